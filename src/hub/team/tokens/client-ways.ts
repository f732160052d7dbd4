// How the hub names its client to a provider. Providers hold a client to one way, and do not say to which.
import * as oidc from "openid-client";
import type { Provider } from "../../options/team-options.ts";
import { createProviderFetch } from "./provider-requests.ts";

export class ClientWays {
  readonly #provider: Provider;
  /** The one that worked last first. */
  #ways: readonly oidc.ClientAuth[];

  constructor(provider: Provider) {
    const { clientSecret } = provider;
    this.#provider = provider;
    this.#ways =
      clientSecret === undefined
        ? [oidc.None()]
        : [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  }

  /** Asks the provider in one way, and where that refuses the client, in the other. */
  async ask<Answer>(
    metadata: oidc.ServerMetadata,
    ask: (config: oidc.Configuration) => Promise<Answer>,
  ): Promise<Answer> {
    let refusal: unknown;
    for (const way of this.#ways) {
      try {
        const answer = await ask(this.#configure(metadata, way));
        this.#ways = [way, ...this.#ways.filter((each) => each !== way)];
        return answer;
      } catch (error) {
        if (!isClientRefused(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  #configure(metadata: oidc.ServerMetadata, way: oidc.ClientAuth): oidc.Configuration {
    const { issuer, clientId = "" } = this.#provider;
    const config = new oidc.Configuration(metadata, clientId, undefined, way);
    config[oidc.customFetch] = createProviderFetch(issuer);
    if (issuer.startsWith("http:")) oidc.allowInsecureRequests(config);
    return config;
  }
}

/** Whether the provider refuses the client, and not what it asks for. Some have another name for that than RFC 6749. */
export function isClientRefused(error: unknown): boolean {
  const { status, error: code, cause } = Object(error) as Partial<Record<"status" | "error" | "cause", unknown>>;
  if (code === "invalid_client") return true;
  if (status === 401) return code !== "invalid_grant" && !isAboutToken(cause);
  return cause instanceof Response && cause.status === 401;
}

function isAboutToken(challenges: unknown): boolean {
  return (
    Array.isArray(challenges) && challenges.some(({ scheme }: { readonly scheme?: unknown }) => scheme === "bearer")
  );
}

// Opaque access tokens: the provider says what they are (RFC 7662).
import * as oidc from "openid-client";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { Shares } from "../../common/shares.ts";
import type { Provider } from "../../options/team-options.ts";
import { checkAudience, checkKind, clockTolerance, timesOf, tokenExpired, tokenInvalid } from "./check-claims.ts";
import type { CheckedClaims } from "./check-claims.ts";
import type { Issuer } from "./issuer.ts";
import { connectedTime } from "./open-tokens.ts";
import { TimedOut, cooldown, createProviderFetch, unavailable } from "./provider-requests.ts";
import type { IssuerOptions } from "./provider-requests.ts";

/** A token that is revoked at the provider is refused after this. */
const cachedTime = 30_000;

export class Introspection {
  readonly #provider: Provider;
  readonly #issuer: Pick<Issuer, "metadata">;
  readonly #options: IssuerOptions;
  readonly #shares = new Shares({ refusal: tooMany });
  readonly #probes = new Shares({ refusal: () => this.#failure ?? tooMany(), perAddress: 1 });
  /** The last question got no answer in time: nobody waits for more than one then. */
  #failure: PagewireError | undefined;
  /** The ways to name the client, the one that worked last first. Providers hold a client to one, and do not say to which. */
  #ways = [oidc.ClientSecretBasic, oidc.ClientSecretPost];
  #notedAt = -Infinity;

  constructor(provider: Provider, issuer: Pick<Issuer, "metadata">, options: IssuerOptions) {
    this.#provider = provider;
    this.#issuer = issuer;
    this.#options = options;
  }

  /** Rejects with a named error: `identity-unavailable` where the provider is away, or says what cannot be read. */
  async check(token: string, client: string): Promise<CheckedClaims> {
    const { now } = this.#options;
    const { issuer } = await this.#issuer.metadata();
    const shares = this.#failure ? this.#probes : this.#shares;
    // The token may be old, the answer is not.
    const saidAt = now();
    const claims = await shares.run(client, () => this.#ask(token));
    if (!claims.active) throw tokenExpired();
    const { iss = issuer, token_type: type = "Bearer", nbf = 0 } = claims;
    if (iss !== issuer) throw tokenInvalid("iss");
    if (!/^bearer$/i.test(type)) throw tokenInvalid("typ");
    checkAudience(claims, this.#provider.audiences);
    checkKind(claims);
    const { issuedAt, expiresAt } = timesOf(claims, now());
    if (expiresAt <= now()) throw tokenExpired();
    if ((nbf - clockTolerance) * 1000 > now()) throw tokenInvalid("nbf");
    return {
      ...{ claims, issuedAt, saidAt, expiresAt: Math.min(expiresAt, now() + connectedTime) },
      checkAgainAt: now() + cachedTime,
    };
  }

  async #ask(token: string): Promise<oidc.IntrospectionResponse> {
    try {
      const answer = await this.#askBothWays(token);
      this.#failure = undefined;
      return checkForm(answer);
    } catch (error) {
      const failure = unavailable(this.#provider, error);
      this.#failure = error instanceof TimedOut ? failure : undefined;
      this.#note(error);
      throw failure;
    }
  }

  async #askBothWays(token: string): Promise<oidc.IntrospectionResponse> {
    const metadata = await this.#issuer.metadata();
    let refusal: unknown;
    for (const way of this.#ways) {
      try {
        const config = this.#configure(metadata, way);
        const answer = await oidc.tokenIntrospection(config, token, { token_type_hint: "access_token" });
        this.#ways = [way, ...this.#ways.filter((each) => each !== way)];
        return answer;
      } catch (error) {
        if (!isClientRefused(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  #configure(metadata: oidc.ServerMetadata, way: (secret: string) => oidc.ClientAuth): oidc.Configuration {
    const { issuer, clientId = "", clientSecret = "" } = this.#provider;
    const config = new oidc.Configuration(metadata, clientId, undefined, way(clientSecret));
    config[oidc.customFetch] = createProviderFetch(issuer);
    if (issuer.startsWith("http:")) oidc.allowInsecureRequests(config);
    return config;
  }

  /** Once a second at most: made-up tokens must not fill the log. */
  #note(error: unknown): void {
    const { now, note } = this.#options;
    if (Math.abs(now() - this.#notedAt) < cooldown) return;
    this.#notedAt = now();
    note("warn", "identity-unavailable", { provider: this.#provider.name, message: messageOf(error) });
  }
}

function isClientRefused(error: unknown): boolean {
  const { status, error: code, cause } = Object(error) as Partial<Record<"status" | "error" | "cause", unknown>>;
  return status === 401 || code === "invalid_client" || (cause instanceof Response && cause.status === 401);
}

/** Throws for an answer that cannot be read. */
function checkForm(answer: oidc.IntrospectionResponse): oidc.IntrospectionResponse {
  for (const name of ["exp", "nbf", "iat"])
    if (!["number", "undefined"].includes(typeof answer[name]))
      throw new TypeError(`The provider's ${name} is no time.`);
  for (const name of ["iss", "token_type"])
    if (!["string", "undefined"].includes(typeof answer[name]))
      throw new TypeError(`The provider's ${name} is no text.`);
  return answer;
}

function tooMany(): PagewireError {
  const message = "Too many tokens are asked about at the identity provider at the moment.";
  return new PagewireError("requests-too-many", message, { retryAfter: cooldown });
}

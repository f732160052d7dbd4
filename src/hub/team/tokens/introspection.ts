// Opaque access tokens: the provider says what they are (RFC 7662).
import * as oidc from "openid-client";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import { Shares } from "../../common/shares.ts";
import type { Provider } from "../../options/team-options.ts";
import { checkAudience, checkKind, clockTolerance, timesOf, tokenExpired, tokenInvalid } from "./check-claims.ts";
import type { CheckedClaims } from "./check-claims.ts";
import { ClientWays } from "./client-ways.ts";
import type { Issuer } from "./issuer.ts";
import { connectedTime } from "./open-tokens.ts";
import { TimedOut, cooldown, unavailable } from "./provider-requests.ts";
import type { IssuerOptions } from "./provider-requests.ts";

/** A token that is revoked at the provider is refused after this. */
const cachedTime = 30_000;

export class Introspection {
  readonly #provider: Provider;
  readonly #issuer: Pick<Issuer, "metadata">;
  readonly #options: IssuerOptions;
  readonly #shares = new Shares({ refusal: tooMany });
  readonly #probes = new Shares({ refusal: () => this.#failure ?? tooMany(), perAddress: 1 });
  /** The last question got no answer in time: until one does, only one request at a time waits. */
  #failure: PagewireError | undefined;
  readonly #ways: ClientWays;
  #notedAt = -Infinity;

  constructor(provider: Provider, issuer: Pick<Issuer, "metadata">, options: IssuerOptions) {
    this.#provider = provider;
    this.#ways = new ClientWays(provider);
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
      const metadata = await this.#issuer.metadata();
      const about = { token_type_hint: "access_token" };
      const answer = await this.#ways.ask(metadata, (config) => oidc.tokenIntrospection(config, token, about));
      this.#failure = undefined;
      return checkForm(answer);
    } catch (error) {
      const failure = unavailable(this.#provider, error);
      this.#failure = error instanceof TimedOut ? failure : undefined;
      this.#note(error);
      throw failure;
    }
  }

  /** Once a second at most: made-up tokens must not fill the log. */
  #note(error: unknown): void {
    const { now, note } = this.#options;
    if (Math.abs(now() - this.#notedAt) < cooldown) return;
    this.#notedAt = now();
    note("warn", "identity-unavailable", { provider: this.#provider.name, message: messageOf(error) });
  }
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

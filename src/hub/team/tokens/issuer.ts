// One identity provider as the issuer of access tokens: what it says of itself, and its keys.
import { createLocalJWKSet } from "jose";
import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import * as oidc from "openid-client";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Note } from "../../common/log.ts";
import type { Provider } from "../../options/team-options.ts";

export interface IssuerOptions {
  readonly now: () => number;
  readonly note: Note;
}

interface Known {
  readonly config: oidc.Configuration;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly fetchedAt: number;
}

/** A key that the provider has withdrawn is good for this long at most. */
const keysTime = 5 * 60_000;
/** Min time between two questions, for any reason. A new key works after it. */
const cooldown = 1000;
const answerTime = 5000;
/** Max questions about tokens at once: made-up tokens must not become a flood at the provider. */
const mostQuestions = 32;

export class Issuer {
  readonly #provider: Provider;
  readonly #options: IssuerOptions;
  #known: Known | undefined;
  #asking: Promise<Known> | undefined;
  #askedAt = -Infinity;
  #questions = 0;
  #failure: PagewireError | undefined;

  constructor(provider: Provider, options: IssuerOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  /** Finds the key of a token; rejects with `identity-unavailable` if no key is known, and none can be had. */
  readonly key: JWTVerifyGetKey = async (header, token) => {
    const { find, fetchedAt } = await this.#current();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ERR_JWKS_NO_MATCHING_KEY")) throw error;
      // The key may be newer than those that are known. All who ask for one wait for the same answer.
      const newer = await this.#fetchAfter(fetchedAt);
      return newer.find(header, token);
    }
  };

  /** The issuer's endpoints; rejects with `identity-unavailable` if they cannot be had. */
  async config(): Promise<oidc.Configuration> {
    const { config } = await this.#current();
    return config;
  }

  /** The provider's answer about an opaque token. */
  async introspect(token: string): Promise<oidc.IntrospectionResponse> {
    const config = await this.config();
    if (this.#questions >= mostQuestions) throw this.#unavailable("It is asked about too many tokens at once.");
    this.#questions++;
    try {
      return await oidc.tokenIntrospection(config, token, { token_type_hint: "access_token" });
    } catch (error) {
      throw this.#unavailable(error);
    } finally {
      this.#questions--;
    }
  }

  #unavailable(error: unknown): PagewireError {
    const { name } = this.#provider;
    this.#options.note("warn", "identity-unavailable", { provider: name, message: messageOf(error) });
    const message = `The identity provider ${name} cannot be reached, so that no new token of it can be checked. Try again in a moment.`;
    return new PagewireError("identity-unavailable", message, { cause: error, retryAfter: cooldown });
  }

  /** The keys, of the last minutes if the provider can be reached. */
  async #current(): Promise<Known> {
    const { now } = this.#options;
    const known = this.#known;
    if (known && now() - known.fetchedAt < keysTime) return known;
    if (!this.#asking && now() - this.#askedAt < cooldown) {
      if (known) return known;
      if (this.#failure) throw this.#failure;
    }
    const asked = this.#ask();
    // Keys that are known go on while the provider is away.
    return known ? asked.catch(() => known) : asked;
  }

  /** Keys that were fetched after a time: of a fetch that others asked for, or of the next one. */
  async #fetchAfter(time: number): Promise<Known> {
    const { now } = this.#options;
    const left = this.#asking ? 0 : this.#askedAt + cooldown - now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    if (this.#known && this.#known.fetchedAt > time) return this.#known;
    return this.#ask();
  }

  #ask(): Promise<Known> {
    this.#asking ??= this.#fetch().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #fetch(): Promise<Known> {
    const { now } = this.#options;
    this.#askedAt = now();
    try {
      // After a failure the provider may have moved its keys.
      const config = (!this.#failure && this.#known?.config) || (await this.#discover());
      const { jwks_uri: address } = config.serverMetadata();
      if (address === undefined) throw new TypeError("The provider names no address of its keys.");
      const find = createLocalJWKSet(await this.#fetchKeys(new URL(address)));
      this.#failure = undefined;
      this.#known = { config, find, fetchedAt: now() };
      return this.#known;
    } catch (error) {
      this.#failure = this.#unavailable(error);
      throw this.#failure;
    }
  }

  async #fetchKeys(address: URL): Promise<JSONWebKeySet> {
    if (address.protocol !== new URL(this.#provider.issuer).protocol)
      throw new TypeError("The provider's keys are not at an https address.");
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(answerTime) });
    if (!answer.ok) throw new TypeError(`The provider's keys were answered with ${answer.status}.`);
    return (await answer.json()) as JSONWebKeySet;
  }

  /** OpenID Connect Discovery, else RFC 8414. */
  async #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId = "pagewire", clientSecret } = this.#provider;
    const address = new URL(issuer);
    const discover = (algorithm: "oidc" | "oauth2") =>
      oidc.discovery(address, clientId, clientSecret, clientSecret === undefined ? oidc.None() : undefined, {
        algorithm,
        timeout: answerTime / 1000,
        execute: address.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
      });
    return discover("oidc").catch(() => discover("oauth2"));
  }
}

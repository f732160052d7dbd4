// The hub as a client of one identity provider, by OpenID Connect: signs a person in, asks about them again, and out.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyOptions } from "jose";
import * as oidc from "openid-client";
import { PagewireError, parseUrl } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import { claimIn } from "../people/read-claims.ts";
import { ClientWays } from "../tokens/client-ways.ts";
import { checkEndpoint, createProviderFetch } from "../tokens/provider-requests.ts";
import { identityError } from "../tokens/identity-error.ts";

/** The tokens of a person at a provider, to ask again about them and to sign them out there. */
export interface Tokens {
  readonly access?: string;
  readonly refresh?: string;
  /** The signed statement about them, as a hint for whom to sign out. */
  readonly id?: string;
  /** When nothing is left to ask with, in milliseconds since 1970: the sign-in ends then. */
  readonly until?: number;
}

export interface Identity {
  readonly subject: string;
  readonly sid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly tokens: Tokens;
}

/** The secrets of one sign-in. */
export interface Begun {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export type SignInProvider = Provider & { readonly clientId: string };

const publicKeyAlgorithms = ["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256", "RS384", "RS512"];
/** Max age of what the provider says about its endpoints. */
const metadataTime = 10 * 60 * 1000;
/** Min time between two questions after one without an answer. */
const retryTime = 1000;
const requestSeconds = 7;
/** Max time of `again`, in milliseconds: the provider's metadata, new tokens, the keys that they are signed with, and claims. */
export const longestAsking = 4 * requestSeconds * 1000;
const clockTolerance = 10;
const hintMost = 4000;

type TokenAnswer = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers;

/** The known facts of the person who is asked about again. */
interface Earlier {
  readonly before: Tokens;
  readonly expected?: string;
}

interface Known {
  readonly config: oidc.Configuration;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

export class IdentityClient {
  readonly provider: SignInProvider;
  readonly #now: () => number;
  readonly #ways: ClientWays;
  #known: Known | undefined;
  #asked: Promise<Known> | undefined;
  #askAgainAt = 0;

  constructor(provider: SignInProvider, now: () => number) {
    this.provider = provider;
    this.#now = now;
    this.#ways = new ClientWays(provider);
  }

  /** Whether this is the name that the provider has for itself in its tokens. */
  isOf(issuer: string | undefined): boolean {
    return issuer !== undefined && parseUrl(issuer)?.href === new URL(this.provider.issuer).href;
  }

  /** Rejects where the provider cannot be asked. */
  async check(): Promise<void> {
    await this.#get();
  }

  /** Whether the provider names itself on the way back, which tells several providers apart (RFC 9207). */
  async namesItself(): Promise<boolean> {
    const { config } = await this.#get();
    return config.serverMetadata().authorization_response_iss_parameter_supported === true;
  }

  async begin(callback: string): Promise<Begun> {
    const { config } = await this.#get();
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const url = oidc.buildAuthorizationUrl(config, {
      ...this.provider.signInParameters,
      scope: this.#scope(config),
      redirect_uri: callback,
      ...{ state, nonce, code_challenge: await oidc.calculatePKCECodeChallenge(verifier) },
      code_challenge_method: "S256",
    });
    return { url: url.href, state, nonce, verifier };
  }

  /** Exchanges the code of the address to which the provider sent the browser back. */
  async finish(back: URL, { state, nonce, verifier }: Omit<Begun, "url">): Promise<Identity> {
    const known = await this.#get();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    return this.#asking(async () => {
      const answer = await this.#named(known, (config) => oidc.authorizationCodeGrant(config, back, checks));
      return this.#identify(known, answer, { before: {} });
    });
  }

  /**
   * Asks again; rejects with `token-expired` where the provider does not answer for the person any more. `keep` gets tokens that
   * replace those of before at once: the old ones may be good no more, also if the rest fails.
   */
  async again(tokens: Tokens, subject: string, keep: (tokens: Tokens) => Promise<void>): Promise<Identity> {
    const known = await this.#get();
    return this.#asking(async () => {
      const { refresh } = tokens;
      if (refresh !== undefined) {
        const answer = await this.#named(known, (config) => oidc.refreshTokenGrant(config, refresh));
        const renewed = this.#tokensOf(answer, tokens);
        if (renewed.refresh !== refresh) await keep(renewed);
        return this.#identify(known, answer, { before: tokens, expected: subject });
      }
      if (tokens.access === undefined) throw new PagewireError("token-expired", "There is nothing to ask with.");
      const told = await oidc.fetchUserInfo(known.config, tokens.access, subject);
      return { subject, sid: undefined, claims: { ...statedIn(tokens), ...told }, tokens };
    });
  }

  /** The address at which the person signs out at the provider; undefined if that has none. */
  async logoutUrl({ id }: Tokens, returnTo: string): Promise<string | undefined> {
    const { config } = await this.#get();
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
    // Many servers take no longer address; without a hint the provider asks the person.
    const hint: Record<string, string> = id === undefined || id.length > hintMost ? {} : { id_token_hint: id };
    return oidc.buildEndSessionUrl(config, { ...hint, post_logout_redirect_uri: returnTo }).href;
  }

  /** The claims of a token that the provider signed for this client. */
  async verify(token: string, options: JWTVerifyOptions = {}): Promise<JWTPayload> {
    const known = await this.#get();
    return this.#asking(() => this.#verified(known, token, options));
  }

  async #verified({ config, keys }: Known, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer: config.serverMetadata().issuer, audience: this.provider.clientId },
      ...{ algorithms: publicKeyAlgorithms, clockTolerance, ...options },
    });
    return payload;
  }

  async #identify(known: Known, answer: TokenAnswer, { before, expected }: Earlier): Promise<Identity> {
    // Its claims were checked by the library, its signature was not. A renewed answer may be without one.
    const stated = answer.id_token === undefined ? {} : await this.#verified(known, answer.id_token, {});
    const subject = stated.sub ?? expected;
    if (subject === undefined || (expected !== undefined && subject !== expected))
      throw new PagewireError("code-invalid", "The identity provider answered about somebody else.");
    const { sid } = stated;
    const tokens = this.#tokensOf(answer, before);
    const told = this.#isWhole(known, stated) ? {} : await this.#told(known, answer.access_token, subject);
    const earlier = answer.id_token === undefined ? statedIn(before) : {};
    const claims = { ...earlier, ...told, ...stated };
    return { subject, sid: typeof sid === "string" ? sid : undefined, claims, tokens };
  }

  /** A provider that just answered for the person, and tells no more of them, told all. */
  async #told({ config }: Known, access: string, subject: string): Promise<object> {
    return oidc.fetchUserInfo(config, access, subject).catch((error: unknown) => {
      if (error instanceof oidc.WWWAuthenticateChallengeError) return {};
      throw error;
    });
  }

  #tokensOf(answer: TokenAnswer, before: Tokens): Tokens {
    const { access_token: access, refresh_token: refresh = before.refresh, id_token: id = before.id } = answer;
    const { expires_in: seconds } = answer;
    const until = seconds === undefined ? {} : { until: this.#now() + seconds * 1000 };
    return { ...(id !== undefined && { id }), ...(refresh === undefined ? { access, ...until } : { refresh }) };
  }

  /** Some providers put groups into their signed statement, others answer them when asked. */
  #isWhole({ config }: Known, stated: JWTPayload): boolean {
    const { groupsClaim, organisationClaim = "sub" } = this.provider;
    if (config.serverMetadata().userinfo_endpoint === undefined) return true;
    return [groupsClaim, organisationClaim, "name", "email"].every((name) => claimIn(stated, name) !== undefined);
  }

  #named<Answer>({ config }: Known, ask: (config: oidc.Configuration) => Promise<Answer>): Promise<Answer> {
    return this.#ways.ask(config.serverMetadata(), ask);
  }

  /** `offline_access` is how OpenID Connect asks for a refresh token, where a provider knows it. */
  #scope(config: oidc.Configuration): string {
    const { scopes_supported: known = [] } = config.serverMetadata();
    const usual = ["openid", "profile", "email", ...(known.includes("offline_access") ? ["offline_access"] : [])];
    const wanted = usual.filter((scope) => scope === "openid" || known.length === 0 || known.includes(scope));
    return this.provider.signInScope ?? wanted.join(" ");
  }

  /** One question at a time; what is known stays good where the provider is away later. */
  async #get(): Promise<Known> {
    if (!this.#asked || this.#now() >= this.#askAgainAt) {
      this.#askAgainAt = this.#now() + metadataTime;
      this.#asked = this.#discover().catch((error: unknown) => {
        this.#askAgainAt = this.#now() + retryTime;
        if (this.#known) return this.#known;
        throw identityError(this.provider, error);
      });
      // It is awaited where nothing is known yet.
      this.#asked.catch(() => {});
    }
    return this.#known ?? this.#asked;
  }

  async #discover(): Promise<Known> {
    const { issuer, clientId } = this.provider;
    const address = new URL(issuer);
    const config = await oidc.discovery(address, clientId, undefined, oidc.None(), {
      [oidc.customFetch]: createProviderFetch(issuer),
      execute: address.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
    });
    const keysAt = new URL(config.serverMetadata().jwks_uri ?? "");
    checkEndpoint(keysAt, address);
    const keys = createRemoteJWKSet(keysAt, { cooldownDuration: retryTime, timeoutDuration: requestSeconds * 1000 });
    this.#known = { config, keys };
    return this.#known;
  }

  async #asking<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      throw identityError(this.provider, error);
    }
  }
}

/** The claims that the provider signed before. */
function statedIn({ id }: Tokens): JWTPayload {
  return id === undefined ? {} : decodeJwt(id);
}

// Access tokens of the team's identity providers. Each is checked by the provider that its issuer names, and by no other.
import { createHash } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { PagewireError, parseUrl } from "../../../wire/index.ts";
import { Kept } from "../../common/kept.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Provider } from "../../options/team-options.ts";
import { tokenInvalid } from "./check-claims.ts";
import type { CheckedClaims } from "./check-claims.ts";
import { Introspection } from "./introspection.ts";
import { Issuer } from "./issuer.ts";
import { noteClaims } from "./note-claims.ts";
import type { NoteClaimsOptions } from "./note-claims.ts";
import { OpenTokens } from "./open-tokens.ts";
import type { IssuerOptions } from "./provider-requests.ts";
import { readScopes } from "./scopes.ts";
import { verifyJwt } from "./verify-jwt.ts";

export interface AccessTokensOptions extends IssuerOptions, NoteClaimsOptions {
  readonly providers: readonly Provider[];
  /** Called after tokens have ended on which something open may rest. */
  readonly onEnded: () => void;
}

interface Known {
  readonly admitted: Admitted & Pick<CheckedClaims, "expiresAt">;
  readonly until: number;
}

interface Source {
  readonly provider: Provider;
  readonly issuer: Issuer;
  /** How the provider's name stands in tokens. */
  readonly name: string;
  readonly introspection: Introspection | undefined;
}

/** Max verified tokens in memory, and max refused ones, by digest. */
const most = 10_000;
/** A provider is not asked again about a token that it refused, though another of its servers may just have issued it. */
const refusedTime = 5000;
/** As the guard has it for requests. */
const longest = 8192;

export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #sources: readonly Source[];
  readonly #known: Kept<Admitted>;
  readonly #refused: Kept<PagewireError>;
  readonly #pending = new Map<string, Promise<Admitted>>();
  readonly #open: OpenTokens;

  constructor(options: AccessTokensOptions) {
    const { providers, now, onEnded } = options;
    this.#options = options;
    this.#known = new Kept({ most, now });
    this.#refused = new Kept({ most, now });
    this.#open = new OpenTokens({ now, onEnded, ask: ({ token, digest }) => this.#refusalOf(digest, token) });
    this.#sources = providers.map((provider) => {
      const issuer = new Issuer(provider, options);
      const introspection = provider.introspection ? new Introspection(provider, issuer, options) : undefined;
      return { provider, issuer, introspection, name: nameOf(provider.issuer) };
    });
  }

  /**
   * Admits who brought a token from an address. Rejects with a named error: `identity-unavailable` where the provider must be
   * asked, and is away.
   */
  async verify(token: string, client = ""): Promise<Admitted> {
    if (token.length > longest) throw new PagewireError("token-invalid", "The access token is too long.");
    const digest = createHash("sha256").update(token).digest("base64url");
    const known = this.#known.get(digest);
    if (known) {
      await this.#options.people.load(known.principal);
      return known;
    }
    const refused = this.#refused.get(digest);
    if (refused) throw refused;
    return this.#once(digest, token, client);
  }

  /** Whether the provider of an opaque token has said that it is not good any more. */
  hasEnded(admitted: Admitted): boolean {
    return this.#open.hasEnded(admitted);
  }

  /** Asks the providers about the opaque tokens on which something open rests. */
  askAgain(): Promise<void> {
    return this.#open.askAgain();
  }

  async #refusalOf(digest: string, token: string): Promise<PagewireError | undefined> {
    try {
      await this.#once(digest, token, "");
      return undefined;
    } catch (error) {
      if (isRefusal(error)) return error;
      throw error;
    }
  }

  #once(digest: string, token: string, client: string): Promise<Admitted> {
    const pending = this.#pending.get(digest) ?? this.#admit(digest, token, client);
    this.#pending.set(digest, pending);
    return pending;
  }

  async #admit(digest: string, token: string, client: string): Promise<Admitted> {
    try {
      const { admitted: found, until } = await this.#check(token, client);
      const admitted = isJwt(token) ? found : { ...found, tokenId: this.#open.add({ token, digest, ...found }) };
      this.#known.set(digest, admitted, until);
      return admitted;
    } catch (error) {
      if (isRefusal(error)) this.#known.delete(digest);
      if (isRefusal(error) && !isJwt(token)) this.#refused.set(digest, error, this.#options.now() + refusedTime);
      throw error;
    } finally {
      this.#pending.delete(digest);
    }
  }

  async #check(token: string, client: string): Promise<Known> {
    const { provider, checked } = await (isJwt(token) ? this.#verifySigned(token, client) : this.#ask(token, client));
    const { claims, issuedAt, checkAgainAt } = checked;
    const { principal, until } = await noteClaims(provider, checked, this.#options);
    const expiresAt = Math.min(checked.expiresAt, until);
    const { jti, client_id: app = claims["azp"] } = claims;
    const admitted = {
      principal,
      // The same after a refresh, so that sessions and keys of calls go on; another client of this person has another.
      credential: typeof app === "string" ? `client ${app}` : "token",
      expiresAt,
      scopes: readScopes(provider, claims),
      ...(issuedAt !== undefined && { issuedAt }),
      ...(typeof jti === "string" && { tokenId: jti }),
    };
    return { admitted, until: Math.min(expiresAt, checkAgainAt) };
  }

  /** A token that is signed is checked by the provider that it names. */
  async #verifySigned(token: string, client: string): Promise<Checked> {
    const { iss } = decodeJwt(token);
    const found = typeof iss === "string" ? this.#sources.find(({ name }) => name === nameOf(iss)) : undefined;
    if (!found) throw tokenInvalid("iss");
    const { provider, issuer } = found;
    return { provider, checked: await verifyJwt(token, { provider, issuer, client, now: this.#options.now }) };
  }

  /** Opaque tokens do not say whose they are: only one provider is asked about them. */
  async #ask(token: string, client: string): Promise<Checked> {
    for (const { provider, introspection } of this.#sources)
      if (introspection) return { provider, checked: await introspection.check(token, client) };
    throw new PagewireError(
      "token-invalid",
      "This is no access token of an identity provider of this hub. Sign in: npx pagewire login, with the hub's address.",
    );
  }
}

interface Checked {
  readonly provider: Provider;
  readonly checked: CheckedClaims;
}

const refusals: readonly string[] = ["token-invalid", "token-expired", "option-refused"];

function isRefusal(error: unknown): error is PagewireError {
  return PagewireError.isInstance(error) && refusals.includes(error.code);
}

function nameOf(issuer: string): string {
  return parseUrl(issuer)?.href ?? issuer;
}

function isJwt(token: string): boolean {
  try {
    decodeProtectedHeader(token);
    decodeJwt(token);
    return true;
  } catch {
    return false;
  }
}

// Access tokens of the team's identity providers. Each is checked by the provider that its issuer names, and by no other.
import { createHash } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { PagewireError, parseUrl } from "../../../wire/index.ts";
import type { Admitted } from "../../identity/admitted.ts";
import type { Provider } from "../../options/team-options.ts";
import type { People } from "../people/people.ts";
import { readClaims } from "../people/read-claims.ts";
import { askAbout } from "./introspection.ts";
import { Issuer } from "./issuer.ts";
import type { IssuerOptions } from "./issuer.ts";
import { readScopes } from "./scopes.ts";
import { verifyJwt } from "./verify-jwt.ts";

export interface AccessTokensOptions extends IssuerOptions {
  readonly providers: readonly Provider[];
  readonly people: Pick<People, "load" | "note">;
}

interface Known {
  readonly admitted: Admitted;
  readonly until: number;
}

/** Max verified tokens in memory, by digest. */
const mostKnown = 10_000;

export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #issuers: readonly { readonly provider: Provider; readonly issuer: Issuer; readonly name: string }[];
  /** The least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #pending = new Map<string, Promise<Known>>();

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#issuers = options.providers.map((provider) => ({
      provider,
      issuer: new Issuer(provider, options),
      name: nameOf(provider.issuer),
    }));
  }

  /** Rejects with a named error: `identity-unavailable` where the provider must be asked, and is away. */
  async verify(token: string): Promise<Admitted> {
    const { now, people } = this.#options;
    const digest = createHash("sha256").update(token).digest("base64url");
    const known = this.#known.get(digest);
    this.#known.delete(digest);
    if (known && known.until > now()) {
      this.#known.set(digest, known);
      await people.load(known.admitted.principal);
      return known.admitted;
    }
    const pending = this.#pending.get(digest) ?? this.#check(token).finally(() => this.#pending.delete(digest));
    this.#pending.set(digest, pending);
    const checked = await pending;
    this.#keep(digest, checked);
    return checked.admitted;
  }

  #keep(digest: string, checked: Known): void {
    this.#known.set(digest, checked);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
  }

  async #check(token: string): Promise<Known> {
    const { now, people } = this.#options;
    const isSigned = isJwt(token);
    const { provider, issuer } = isSigned ? this.#named(token) : this.#asked();
    const checked = await (isSigned ? verifyJwt : askAbout)(token, { provider, issuer, now });
    const { claims, issuedAt, expiresAt, checkAgainAt } = checked;
    const { principal, isMember, ...about } = readClaims(provider, claims);
    if (!isMember) throw new PagewireError("option-refused", notMember);
    await people.note(principal, about, issuedAt ?? now());
    const { jti, client_id: client = claims["azp"] } = claims;
    const admitted = {
      principal,
      // The same after a refresh, so that sessions and keys of calls go on; another client of this person has another.
      credential: typeof client === "string" ? `client ${client}` : "token",
      expiresAt,
      scopes: readScopes(provider, claims),
      ...(issuedAt !== undefined && { issuedAt }),
      ...(typeof jti === "string" && { tokenId: jti }),
    };
    return { admitted, until: Math.min(expiresAt, checkAgainAt) };
  }

  #named(token: string) {
    const { iss } = decodeJwt(token);
    const found = typeof iss === "string" && this.#issuers.find(({ name }) => name === nameOf(iss));
    if (found) return found;
    throw new PagewireError("token-invalid", "The access token's issuer is none of this hub's identity providers.");
  }

  /** Opaque tokens do not say whose they are: only one provider is asked about them. */
  #asked() {
    const found = this.#issuers.find(({ provider }) => provider.introspection);
    if (found) return found;
    throw new PagewireError(
      "token-invalid",
      "This is no access token of an identity provider of this hub. Sign in: npx pagewire login, with the hub's address.",
    );
  }
}

const notMember = "Your identity provider has you in no group that may use this hub.";

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

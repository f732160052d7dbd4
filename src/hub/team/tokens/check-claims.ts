// The checks of every access token's claims, whether the provider signed them or answered them.
import { PagewireError } from "../../../wire/index.ts";

export type TokenClaims = Readonly<Record<string, unknown>>;

/** A token's claims once it is known to be good, and until when they may be used without another check. */
export interface CheckedClaims {
  readonly claims: TokenClaims;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly issuedAt: number | undefined;
  /** When the provider said this of the person. */
  readonly saidAt: number;
  readonly checkAgainAt: number;
}

/** Allowed clock skew of the provider, in seconds. */
export const clockTolerance = 5;
/** The last time that a date can be. */
const farthest = 8.64e15;

/** Amazon Cognito names the app's client instead of an audience. */
export function audiencesOf({ aud, token_use: use, client_id: client }: TokenClaims): readonly unknown[] {
  return [aud ?? (use === "access" ? client : undefined)].flat();
}

/** Throws for a token that is not for this hub. Returns for whom it is, of those that the hub is. */
export function checkAudience(claims: TokenClaims, audiences: readonly string[]): readonly string[] {
  const found = audiences.filter((each) => audiencesOf(claims).includes(each));
  if (found.length === 0) throw tokenInvalid("aud");
  return found;
}

/** Throws for claims that name another kind of token, and for a token that is bound to a key: it must not be good without it. */
export function checkKind(claims: TokenClaims): { readonly isNamed: boolean } {
  const kinds = [claims["typ"], claims["token_use"]].filter((kind) => kind !== undefined);
  const isAccess = (kind: unknown) =>
    typeof kind === "string" && /^(?:bearer|access(?:_token)?|at\+jwt|jwt)$/i.test(kind);
  if (!kinds.every(isAccess)) throw tokenInvalid("typ");
  if (claims["cnf"] !== undefined)
    throw new PagewireError("token-invalid", "The access token is bound to a key, which this hub does not check.");
  return { isNamed: kinds.length > 0 };
}

/**
 * In milliseconds, when a token was issued and when it ends. Throws for one that is issued later than now: facts about people
 * are the newest, and ends of access are about tokens issued before.
 */
export function timesOf({ iat, exp }: { readonly iat?: number; readonly exp?: number }, now: number) {
  if (iat !== undefined && (iat - clockTolerance) * 1000 > now)
    throw new PagewireError("token-invalid", "The access token says that it is issued later than now.");
  return {
    issuedAt: iat === undefined ? undefined : iat * 1000,
    expiresAt: exp === undefined ? farthest : Math.min(exp * 1000, farthest),
  };
}

export function tokenExpired(cause?: unknown): PagewireError {
  return new PagewireError("token-expired", "The access token has expired. Get a new one.", { cause });
}

/** Its words are the hub's own, and can stand in a header. */
export function tokenInvalid(claim: unknown, cause?: unknown): PagewireError {
  const words = (typeof claim === "string" && claimWords[claim]) || "The access token is not valid here.";
  return new PagewireError("token-invalid", words, { cause });
}

const claimWords: Readonly<Record<string, string>> = {
  aud: "The access token is for another audience than this hub.",
  iss: "The access token's issuer is none of this hub's identity providers.",
  exp: "The access token does not say when it expires.",
  typ: "This is another kind of token than an access token.",
};

// Access tokens that are JSON Web Tokens (RFC 9068, and what providers issued before it).
import { jwtVerify } from "jose";
import type { JWTPayload } from "jose";
import { PagewireError } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import type { Issuer } from "./issuer.ts";

export interface TokenCheck {
  readonly provider: Provider;
  readonly issuer: Pick<Issuer, "key" | "config" | "introspect">;
  readonly now: () => number;
}

/** A token's claims once it is known to be good, and until when they may be used without another check. */
export interface CheckedClaims {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly issuedAt: number | undefined;
  readonly checkAgainAt: number;
}

const algorithms = ["ES256", "RS256", "PS256", "EdDSA"];
/** Allowed clock skew of the provider, in seconds. */
const clockTolerance = 5;
/** A verification takes a hundred times as long as a look into the cache. */
const cachedTime = 5 * 60_000;

/** Rejects with a named error; its words are the hub's own, and can stand in a header. */
export async function verifyJwt(token: string, { provider, issuer, now }: TokenCheck): Promise<CheckedClaims> {
  const { audiences, subjectClaim, tokenType, maxTokenAge } = provider;
  const config = await issuer.config();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuer.key, {
      ...{ algorithms, clockTolerance, audience: [...audiences], issuer: config.serverMetadata().issuer },
      requiredClaims: ["exp", subjectClaim],
      currentDate: new Date(now()),
      ...(tokenType !== undefined && { typ: tokenType }),
      ...(maxTokenAge !== undefined && { maxTokenAge: maxTokenAge / 1000 }),
    });
    checkKind(protectedHeader.typ, payload, provider);
    const { exp = 0, iat } = payload;
    // Facts about people are the newest, and ends of access are about tokens issued before.
    if (iat !== undefined && (iat - clockTolerance) * 1000 > now()) throw issuedLater();
    const ends = maxTokenAge === undefined || iat === undefined ? Infinity : iat * 1000 + maxTokenAge;
    return {
      claims: payload,
      issuedAt: iat === undefined ? undefined : iat * 1000,
      expiresAt: Math.min(exp * 1000, ends),
      checkAgainAt: now() + cachedTime,
    };
  } catch (error) {
    throw refusal(error);
  }
}

/** An id token may have the same audience, where the provider's audiences are its clients. */
function checkKind(typ = "JWT", payload: JWTPayload, { clientId, audiences }: Provider): void {
  const isOther = !/^(?:application\/)?(?:at\+)?jwt$/i.test(typ) || marksOfOthers.some((name) => name in payload);
  const kinds = [payload["typ"], payload["token_use"]].filter((kind) => kind !== undefined);
  const isOtherKind = kinds.some((kind) => typeof kind !== "string" || !/^(?:bearer|access|at\+jwt|jwt)$/i.test(kind));
  const isNamed = kinds.length > 0 || /at\+/i.test(typ) || "scope" in payload || "scp" in payload;
  const isForClient = [payload.aud]
    .flat()
    .some((each) => each === clientId && !(isNamed && audiences.includes(each ?? "")));
  if (isOther || isOtherKind || isForClient)
    throw new PagewireError("token-invalid", "This is another kind of token than an access token.");
  checkBound(payload);
}

function issuedLater(): PagewireError {
  return new PagewireError("token-invalid", "The access token says that it is issued later than now.");
}

/** Claims of id tokens and of logout tokens. */
const marksOfOthers = ["nonce", "at_hash", "c_hash", "s_hash", "events"];

/** A token that is bound to a key must not be good without it. */
export function checkBound(claims: Readonly<Record<string, unknown>>): void {
  if (claims["cnf"] !== undefined)
    throw new PagewireError("token-invalid", "The access token is bound to a key, which this hub does not check.");
}

function refusal(error: unknown): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  const { code, claim } = Object(error) as { readonly code?: unknown; readonly claim?: unknown };
  if (code === "ERR_JWT_EXPIRED")
    return new PagewireError("token-expired", "The access token has expired. Get a new one.", { cause: error });
  const words = (typeof claim === "string" && claimWords[claim]) || "The access token is not valid here.";
  return new PagewireError("token-invalid", words, { cause: error });
}

const claimWords: Readonly<Record<string, string>> = {
  aud: "The access token is for another audience than this hub.",
  iss: "The access token's issuer is none of this hub's identity providers.",
  exp: "The access token does not say when it expires.",
  typ: "This is another kind of token than an access token.",
};

// Access tokens that are JSON Web Tokens (RFC 9068, and what providers issued before it).
import { jwtVerify } from "jose";
import { PagewireError } from "../../../wire/index.ts";
import type { Provider } from "../../options/team-options.ts";
import {
  audiencesOf,
  checkAudience,
  checkKind,
  clockTolerance,
  timesOf,
  tokenExpired,
  tokenInvalid,
} from "./check-claims.ts";
import type { CheckedClaims, TokenClaims } from "./check-claims.ts";
import type { Issuer } from "./issuer.ts";

export interface TokenCheck {
  readonly provider: Provider;
  readonly issuer: Pick<Issuer, "keysFor" | "metadata">;
  /** The address of who brought the token. */
  readonly client: string;
  readonly now: () => number;
}

const algorithms = ["ES256", "RS256", "PS256", "EdDSA"];
/** A verification takes a hundred times as long as a look into the cache. */
const cachedTime = 5 * 60_000;

/** Rejects with a named error. */
export async function verifyJwt(token: string, { provider, issuer, client, now }: TokenCheck): Promise<CheckedClaims> {
  const { subjectClaim, tokenType, maxTokenAge } = provider;
  const { issuer: name } = await issuer.metadata();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuer.keysFor(client), {
      ...{ algorithms, clockTolerance, issuer: name },
      requiredClaims: ["exp", subjectClaim],
      currentDate: new Date(now()),
      ...(tokenType !== undefined && { typ: tokenType }),
      ...(maxTokenAge !== undefined && { maxTokenAge: maxTokenAge / 1000 }),
    });
    checkIsAccess(protectedHeader.typ, payload, provider);
    const { issuedAt, expiresAt } = timesOf(payload, now());
    const ends = maxTokenAge === undefined || issuedAt === undefined ? Infinity : issuedAt + maxTokenAge;
    return {
      ...{ claims: payload, issuedAt, saidAt: issuedAt ?? now(), expiresAt: Math.min(expiresAt, ends) },
      checkAgainAt: now() + cachedTime,
    };
  } catch (error) {
    throw refusal(error);
  }
}

/** Claims of id tokens and of logout tokens. */
const marksOfOthers = ["nonce", "at_hash", "c_hash", "s_hash", "events"];
/** Claims with which providers say what an access token may do, or which app got it. */
const marksOfAccess = ["scope", "scp", "cid", "azpacr", "appidacr", "gty"];

/**
 * An id token is for a client. Where clients are the provider's audiences, as with Microsoft Entra ID, one is refused by what
 * an access token alone has.
 */
function checkIsAccess(typ = "JWT", payload: TokenClaims, { clientId, audiences }: Provider): void {
  const found = checkAudience(payload, audiences);
  const kind = checkKind(payload);
  const has = (name: string) => name in payload;
  // Keycloak before 25 puts the nonce into all its tokens.
  const isMarked = marksOfOthers.some((name) => has(name) && !(name === "nonce" && payload["typ"] === "Bearer"));
  if (!/^(?:application\/)?(?:at\+)?jwt$/i.test(typ) || isMarked) throw tokenInvalid("typ");
  const isNamed = kind.isNamed || /at\+/i.test(typ) || marksOfAccess.some(has);
  const isForAddress = found.some((each) => /^(?:[a-z][a-z\d+.-]*:\/\/|urn:)/i.test(each));
  const isForOwnClient = clientId !== undefined && audiencesOf(payload).includes(clientId);
  const isOwnAudience = isNamed && clientId !== undefined && audiences.includes(clientId);
  if ((!isNamed && !isForAddress) || (isForOwnClient && !isOwnAudience)) throw tokenInvalid("typ");
}

function refusal(error: unknown): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  const { code, claim } = Object(error) as { readonly code?: unknown; readonly claim?: unknown };
  return code === "ERR_JWT_EXPIRED" ? tokenExpired(error) : tokenInvalid(claim, error);
}

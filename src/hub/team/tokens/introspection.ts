// Opaque access tokens: the provider says what they are (RFC 7662).
import { PagewireError } from "../../../wire/index.ts";
import { checkBound } from "./verify-jwt.ts";
import type { CheckedClaims, TokenCheck } from "./verify-jwt.ts";

/** A token that is revoked at the provider is refused after this. */
const cachedTime = 30_000;
/** A connection ends after this, and may come back with the same token if that is still good. */
const connectedTime = 5 * 60_000;

export async function askAbout(token: string, { provider, issuer, now }: TokenCheck): Promise<CheckedClaims> {
  const claims = await issuer.introspect(token);
  const own = (await issuer.config()).serverMetadata().issuer;
  const { active, aud, iss, exp = Infinity, iat, token_type: type = "Bearer" } = claims;
  if (!active) throw new PagewireError("token-expired", "The access token is not valid any more. Get a new one.");
  const isForHub = [aud].flat().some((each) => provider.audiences.includes(each ?? ""));
  if (!isForHub) throw new PagewireError("token-invalid", "The access token is for another audience than this hub.");
  if (iss !== undefined && iss !== own)
    throw new PagewireError("token-invalid", "The access token's issuer is none of this hub's identity providers.");
  if (!/^bearer$/i.test(type))
    throw new PagewireError("token-invalid", "This is another kind of token than an access token.");
  checkBound(claims);
  if (exp * 1000 <= now()) throw new PagewireError("token-expired", "The access token has expired. Get a new one.");
  return {
    claims,
    issuedAt: iat === undefined ? undefined : iat * 1000,
    expiresAt: Math.min(exp * 1000, now() + connectedTime),
    checkAgainAt: now() + cachedTime,
  };
}

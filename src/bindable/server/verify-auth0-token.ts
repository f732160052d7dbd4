import { createRemoteJWKSet, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { userContextOf } from "./user-context.ts";
import type { UserContext } from "./user-context.ts";

export interface VerifyTokenOptions {
  /** The tenant, such as `example.auth0.com`; its issuer and keys follow from it. */
  readonly domain: string;
  /** The API that the token must be for. */
  readonly audience: string;
  /** The claim that holds the roles, where it is not `roles`. */
  readonly rolesClaim?: string;
  /** The issuer, where it is not the tenant. */
  readonly issuer?: string;
  /** The issuer's key set, if not at the tenant. */
  readonly jwks?: string;
}

/** Signed with the private half of a key pair: a shared secret could be made up from what is public. */
const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];

const keySets = new Map<string, JWTVerifyGetKey>();

/** Resolves with who the token is about; rejects where it is not valid for this API. */
export async function verifyAuth0Token(token: string, options: VerifyTokenOptions): Promise<UserContext> {
  return userContextOf(await verifyClaims(token, options), options.rolesClaim);
}

/** Resolves with the claims of a valid token with an expiry. */
export async function verifyClaims(token: string, options: VerifyTokenOptions): Promise<JWTPayload & { exp: number }> {
  const { audience, issuer, jwks } = expectationOf(options);
  const { payload } = await jwtVerify(token, keysAt(jwks), {
    algorithms,
    audience,
    issuer,
    requiredClaims: ["exp", "sub"],
  });
  return payload as JWTPayload & { exp: number };
}

/** The expected issuer and audience; throws where one is missing, as with an unset variable. */
export function expectationOf({
  domain,
  audience,
  issuer,
  jwks,
}: VerifyTokenOptions): Readonly<Record<"audience" | "issuer" | "jwks", string>> {
  const expected = {
    audience,
    issuer: issuer ?? (domain && `https://${domain}/`),
    jwks: jwks ?? (domain && `https://${domain}/.well-known/jwks.json`),
  };
  for (const [name, text] of Object.entries(expected)) {
    if (typeof text === "string" && text !== "") continue;
    throw new TypeError(`Tokens cannot be verified: there is no ${name}. Give a domain and an audience.`);
  }
  return expected;
}

/** One set for each address: it keeps the keys that it has fetched. */
function keysAt(url: string): JWTVerifyGetKey {
  const keys = keySets.get(url) ?? createRemoteJWKSet(new URL(url));
  keySets.set(url, keys);
  return keys;
}

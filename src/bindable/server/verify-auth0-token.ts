import { createRemoteJWKSet, jwtVerify } from "jose";
import type { JWTVerifyGetKey } from "jose";
import type { IncomingMessage } from "node:http";

const prefixes = ["auth0-gate.bearer.", "pagewire.bearer."];

/** A neutral subprotocol beside the token: the server selects it, so that the token is not echoed. */
const plainProtocol = "pagewire.core.1";

/** The token that a browser's WebSocket brought as a subprotocol, `auth0-gate.bearer.<JWT>` or `pagewire.bearer.<JWT>`; throws where there is none. */
export function extractTokenFromProtocol(request: Pick<IncomingMessage, "headers">): string {
  const offered = request.headers["sec-websocket-protocol"]?.split(",") ?? [];
  for (const protocol of offered.map((each) => each.trim())) {
    const token = protocol.slice(prefixOf(protocol)?.length ?? protocol.length);
    if (token) return token;
  }
  throw new Error(`No token came with the connection. Offer the subprotocol ${prefixes.join("<token> or ")}<token>.`);
}

/** A browser disconnects from a server that selects none of the offered protocols. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(plainProtocol)) return plainProtocol;
  return [...offered].find((protocol) => prefixOf(protocol)) ?? false;
}

function prefixOf(protocol: string): string | undefined {
  return prefixes.find((prefix) => protocol.startsWith(prefix));
}

export interface VerifyTokenOptions {
  /** The tenant, such as `example.auth0.com`; its issuer and keys follow from it. */
  readonly domain: string;
  /** The API that the token must be for. */
  readonly audience: string;
  /** The claim that holds the roles, where it is not `roles`. */
  readonly rolesClaim?: string;
  readonly issuer?: string;
  /** The issuer's key set, if not at the tenant. */
  readonly jwks?: string;
}

/** Asymmetric only: with a shared secret, a public key could be used to forge signatures. */
const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];

const keySets = new Map<string, JWTVerifyGetKey>();

/** The user of a token, and when it expires, in milliseconds since 1970. */
export interface VerifiedToken {
  readonly user: UserContext;
  readonly expiresAt: number;
}

/** Rejects if the token is not valid for this API, or has no expiry. */
export async function verifyAuth0Token(token: string, options: VerifyTokenOptions): Promise<VerifiedToken> {
  const { audience, issuer, jwks } = expectationOf(options);
  const { payload } = await jwtVerify(token, keysAt(jwks), {
    algorithms,
    audience,
    issuer,
    requiredClaims: ["exp", "sub"],
  });
  return { user: userContextOf(payload, options.rolesClaim), expiresAt: Number(payload.exp) * 1000 };
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

export interface UserContext {
  readonly sub: string;
  readonly email?: string;
  readonly name?: string;
  readonly permissions: readonly string[];
  readonly roles: readonly string[];
  readonly orgId?: string;
  /** All claims of the token. */
  readonly raw: Readonly<Record<string, unknown>>;
}

type Claims = Readonly<Record<string, unknown>>;

/** Reads the claims of a verified token. A list that holds anything but texts counts as empty: nothing is granted by mistake. */
function userContextOf(claims: Claims, rolesClaim: string | undefined): UserContext {
  const { sub, email, name, permissions, roles, org_id: orgId } = claims;
  if (typeof sub !== "string" || sub === "") throw new TypeError("The token names no subject (claim sub).");
  const ownRoles = rolesClaim === undefined ? undefined : claims[rolesClaim];
  return {
    sub,
    ...(typeof email === "string" && { email }),
    ...(typeof name === "string" && { name }),
    permissions: textsOf(permissions),
    roles: textsOf(ownRoles ?? roles),
    ...(typeof orgId === "string" && { orgId }),
    raw: claims,
  };
}

function textsOf(claim: unknown): string[] {
  return Array.isArray(claim) && claim.every((item) => typeof item === "string") ? (claim as string[]) : [];
}

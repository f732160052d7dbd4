// Tokens of jwt mode, signed by an app's own server. Pages, agents and terminals have different audiences, so that a token
// for one is useless for another.
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Limits, TokenBudgets } from "../../wire/index.ts";
import type { JwtOptions } from "../options/options.ts";
import type { Admitted } from "../identity/admitted.ts";
import { readBudgets } from "../identity/admitted.ts";
import { readScopes } from "../identity/scopes.ts";
import type { Scope } from "../identity/scopes.ts";

export const audiences = {
  agent: "pagewire:agent",
  page: "pagewire:page",
  terminal: "pagewire:terminal",
} as const;

type Audience = (typeof audiences)[keyof typeof audiences];

/** Verifies a token for an audience; rejects with a named error. */
export type VerifyToken = (token: string, audience: Audience) => Promise<Admitted>;

const publicKeyAlgorithms = ["ES256", "EdDSA", "PS256", "RS256"];

/** The codes of jose errors about fetching keys; all others are about the token. */
const keyProblems: readonly unknown[] = [undefined, "ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"];

/** Allowed clock skew of the signer, in seconds. */
const clockTolerance = 5;

/** Min milliseconds between two fetches of the key set for an unknown key. Short, so that a new key works at once. */
const keysCooldown = 1000;

/** Verifies tokens of jwt mode; refuses those valid for longer than `tokenTime`. */
export function createTokenVerifier({ secret, jwks, issuer }: JwtOptions, limits: Limits): VerifyToken {
  let keys: Promise<JWTVerifyGetKey> | undefined;

  async function loadKeys(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet } = await import("jose");
    if (jwks !== undefined) return createRemoteJWKSet(new URL(jwks), { cooldownDuration: keysCooldown });
    // Imported once: jose would import the secret for each token, which takes as long as the verification.
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
    return async () => key;
  }

  function refusal(error: unknown, audience: Audience): PagewireError {
    if (PagewireError.isInstance(error)) return error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (jwks !== undefined && keyProblems.includes(code)) {
      const message = `The keys at ${jwks} cannot be had, so that no token can be verified: ${messageOf(error)}`;
      return new PagewireError("internal-error", message, { cause: error });
    }
    if (code === "ERR_JWT_EXPIRED")
      return new PagewireError("token-expired", "The token has expired. Get a new one.", { cause: error });
    if (code === "ERR_JWS_INVALID") {
      const message = `This is no JSON Web Token, and this hub takes nothing else (jwt mode). Get one for the audience "${audience}".`;
      return new PagewireError("token-invalid", message, { cause: error });
    }
    return new PagewireError("token-invalid", `The token is not valid here: ${messageOf(error)}`, { cause: error });
  }

  return async (token, audience) => {
    const { jwtVerify } = await import("jose");
    keys ??= loadKeys();
    try {
      const { payload } = await jwtVerify(token, await keys, {
        algorithms: secret === undefined ? publicKeyAlgorithms : ["HS256"],
        audience,
        requiredClaims: ["sub", "exp"],
        clockTolerance,
        ...(issuer === undefined ? {} : { issuer }),
      });
      checkAge(payload, limits);
      return admittedBy(payload, limits);
    } catch (error) {
      throw refusal(error, audience);
    }
  };
}

/** The holder of a token that is good for this origin, and has expired; undefined for another error. */
export function holderOfExpired(
  error: unknown,
  origin: string | undefined,
): Pick<Admitted, "principal" | "app"> | undefined {
  if (!PagewireError.isInstance(error) || error.code !== "token-expired") return undefined;
  // Its signature and its audience were checked before its time.
  const { payload = {} } = Object(error.cause) as { readonly payload?: JWTPayload };
  const { sub: principal, app, origin: signedFor = origin } = payload;
  if (typeof principal !== "string" || principal === "" || signedFor !== origin) return undefined;
  return { principal, ...(typeof app === "string" && { app }) };
}

/** A token without `iat`, or with one in the future, counts as issued now. */
function checkAge({ exp = 0, iat = Infinity }: JWTPayload, { tokenTime }: Limits): void {
  const issued = Math.min(iat, Date.now() / 1000 + clockTolerance);
  if ((exp - issued) * 1000 <= tokenTime) return;
  throw new PagewireError(
    "token-invalid",
    `The token is good for longer than the limit tokenTime, ${Math.round(tokenTime / 1000)} seconds from when it was issued. Get one that ends sooner.`,
  );
}

function admittedBy(payload: JWTPayload, limits: Limits): Admitted {
  const { sub: principal = "", app, origin, jti: tokenId } = textClaims(payload);
  const allowed = readBudgets(payload["budgets"], limits);
  const scopes = readScopes(payload[scopesClaim]);
  return {
    principal,
    credential: principal,
    expiresAt: (payload.exp ?? 0) * 1000,
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(payload.iat === undefined ? {} : { issuedAt: payload.iat * 1000 }),
    ...(app === undefined ? {} : { app }),
    ...(origin === undefined ? {} : { origin }),
    ...(allowed && { allowed }),
    ...(scopes && { scopes }),
  };
}

/** The claim by which the hub's own tokens are for no more than the token that they were given for. */
const scopesClaim = "pagewire_scopes";

const textNames = ["sub", "app", "origin", "jti"] as const;

type TextClaims = { readonly [Name in (typeof textNames)[number]]?: string };

/** Reads the claims that bind a token. A claim of the wrong type must not count as a missing one. */
function textClaims(payload: JWTPayload): TextClaims {
  const found = Object.entries(payload).filter(([name]) => textNames.some((one) => one === name));
  for (const [name, value] of found) {
    if (typeof value === "string" && value !== "") continue;
    throw new PagewireError("token-invalid", `The token's claim "${name}" is not a text with something in it.`);
  }
  return Object.fromEntries(found) as TextClaims;
}

export interface TokenOptions {
  /** The hub's shared secret. */
  readonly secret: string;
  /** The principal: a user of the app. */
  readonly subject: string;
  readonly issuer?: string;
  /** Seconds until the token ends; an hour by default, at most the hub's limit `tokenTime`. */
  readonly expiresIn?: number;
  /** Lower limits for this token, by the names of limits. */
  readonly budgets?: TokenBudgets;
  /** The token's id for revoking it (`jti`); random by default. */
  readonly id?: string;
}

export interface PageTokenOptions extends TokenOptions {
  readonly app?: string;
  /** Binds the token to pages of one origin. */
  readonly origin?: string;
  /** In team mode: what the token is for; everything if missing. */
  readonly scopes?: readonly Scope[];
}

/** For the app's own server: signs a token for a page that offers tools on behalf of a user. */
export async function signPageToken({ app, origin, scopes, ...options }: PageTokenOptions): Promise<string> {
  return sign(options, audiences.page, {
    ...(app === undefined ? {} : { app }),
    ...(origin === undefined ? {} : { origin }),
    ...(scopes && { [scopesClaim]: scopes }),
  });
}

/** Signs a token for a user's agents, to call the tools of that user's pages. */
export async function signAgentToken(options: TokenOptions): Promise<string> {
  return sign(options, audiences.agent, {});
}

export interface TerminalTokenOptions extends TokenOptions {
  /** The origin of the pages that may use the token, if not the hub's own. */
  readonly origin?: string;
}

/** Signs a token for opening terminals. Their shells run as the user who runs the hub. */
export async function signTerminalToken({ origin, ...options }: TerminalTokenOptions): Promise<string> {
  return sign(options, audiences.terminal, origin === undefined ? {} : { origin });
}

async function sign(
  { secret, subject, issuer, expiresIn = 3600, id = crypto.randomUUID(), budgets: less }: TokenOptions,
  audience: Audience,
  claims: JWTPayload,
): Promise<string> {
  const { SignJWT } = await import("jose");
  const token = new SignJWT(less === undefined ? claims : { ...claims, budgets: less })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt()
    .setJti(id)
    .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn);
  if (issuer !== undefined) token.setIssuer(issuer);
  return token.sign(new TextEncoder().encode(secret));
}

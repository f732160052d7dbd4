import { parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

/** The claims that the worker uses. */
export interface TokenClaims {
  /** Pages and clients of one principal belong together. */
  readonly principal: string;
  /** The hub's name of the same principal. */
  readonly subject: string;
  /** The app that the token was signed for. */
  readonly app: string | undefined;
}

/**
 * Reads a token without verifying it: only documents of the worker's own origin send one, and those trust each other.
 * An opaque token is its own principal.
 */
export function readToken(token: string | undefined): TokenClaims {
  if (token === undefined) return { principal: "local", subject: "local", app: undefined };
  const { sub, app } = claimsOf(token);
  const subject = typeof sub === "string" && sub !== "" ? sub : undefined;
  return {
    principal: subject === undefined ? `token ${token}` : `subject ${subject}`,
    subject: subject ?? token,
    app: typeof app === "string" && app !== "" ? app : undefined,
  };
}

const deepest = 16;

function claimsOf(token: string): JsonObject {
  try {
    const [, claims = ""] = token.split(".");
    const bytes = Uint8Array.from(atob(claims.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return parseJsonObject(new TextDecoder().decode(bytes), deepest) ?? {};
  } catch {
    // An opaque token.
    return {};
  }
}

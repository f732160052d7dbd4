import { parseJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

/** Whom a token speaks for. */
export interface Bearer {
  /** Pages and clients of one principal belong together. */
  readonly principal: string;
  /** What a hub calls the same principal. */
  readonly subject: string;
  /** The app that the token was signed for. */
  readonly app: string | undefined;
}

/**
 * Reads a token without verifying it: only documents of this worker's own origin bring one, and those can do whatever
 * each other can. A token that cannot be read stands for a principal of its own.
 */
export function bearerOf(token: string | undefined): Bearer {
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
    // Not a token that anybody but its maker can read.
    return {};
  }
}

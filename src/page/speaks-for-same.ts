import type { JsonObject } from "../wire/index.ts";
import type { PageOptions } from "./page-options.ts";

/** A token, or what a page has in its place. */
export type Token = PageOptions["token"];

/**
 * Whether two page tokens let a page act for the same principal, as far as a page can read them. It checks no signature:
 * it only spares what runs when a token is merely a fresh one.
 */
export function speaksForSame(one: Token, other: Token): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  const bearer = bearerOf(one);
  return one === other || (bearer !== undefined && bearer === bearerOf(other));
}

function bearerOf(token: string): string | undefined {
  try {
    const [, claims = ""] = token.split(".");
    const { iss, sub, app } = JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))) as JsonObject;
    return sub === undefined ? undefined : JSON.stringify([iss, sub, app]);
  } catch {
    // Not a token that a page can read.
    return undefined;
  }
}

// The settings of a new key, as a request has them.
import type { JsonObject } from "../../../wire/index.ts";
import type { Scope } from "../../identity/scopes.ts";
import { isScope } from "../../team/key-record.ts";
import { malformed } from "./answers.ts";

export const day = 24 * 60 * 60 * 1000;
/** How long a key is good by default, and at most, in milliseconds. */
const usualTime = 90 * day;
const longestTime = 366 * day;

export function readScopes({ scopes = ["tools"] }: JsonObject): readonly Scope[] {
  if (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)) return [...new Set(scopes)];
  throw malformed('The "scopes" must be a list of "tools", "tools:destructive" and "admin".');
}

/** When a key ends: by `expiresAt`, or by `expiresIn` milliseconds. */
export function readEnd(body: JsonObject): number {
  const { expiresAt } = body;
  if (expiresAt === undefined) return Date.now() + (readTime(body, "expiresIn", longestTime) ?? usualTime);
  const left = typeof expiresAt === "number" ? expiresAt - Date.now() : Number.NaN;
  if (body["expiresIn"] === undefined && left > 0 && left <= longestTime) return Number(expiresAt);
  throw malformed('Give "expiresAt" in milliseconds since 1970, at most 366 days from now, or "expiresIn", not both.');
}

export function readTime(body: JsonObject, name: string, longest: number): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 0 && value <= longest) return value;
  throw malformed(`The "${name}" must be milliseconds, at most ${longest / day} days.`);
}

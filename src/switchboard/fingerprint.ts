import { maxJsonAtOnce, parseJsonObject, textOf } from "../wire/index.ts";
import type { Json, JsonObject, Payload } from "../wire/index.ts";
import type { CallRequest } from "./types.ts";

/**
 * The same text for equal calls, in any order of the properties of their arguments. It excludes the tab: a caller that
 * comes back after a hub's restart may name the tab that took its call.
 */
export function fingerprintOf({ method, name, arguments: given, input }: CallRequest): string {
  return JSON.stringify([method, name, canonical(given), input]);
}

const maxDepth = 64;

/** Arguments of more than `maxJsonAtOnce` are compared without sorting. */
function canonical(payload: Payload): string {
  const text = textOf(payload);
  const value = text.length > maxJsonAtOnce ? undefined : parseJsonObject(text, maxDepth);
  return value ? JSON.stringify(sorted(value)) : text;
}

/** Faster than a replacer of JSON.stringify, which runs once per value. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .sort(byName)
      .map(([name, part]) => [name, sorted(part)]),
  );
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

import type { JsonObject, Payload } from "../wire/index.ts";
import { parseJsonObject, textOf } from "../wire/index.ts";
import type { CallRequest } from "./call-request.ts";

/**
 * Text that is equal for equal calls, whatever the order of the arguments' properties. The tab is left out: a caller
 * that comes back after a hub's restart may name the one that took its call.
 */
export function fingerprintOf({ method, name, arguments: given, input }: CallRequest): string {
  return JSON.stringify([method, name, canonical(given), input]);
}

const deepest = 64;

function canonical(payload: Payload): string {
  const text = textOf(payload);
  const value = parseJsonObject(text, deepest);
  if (!value) return text;
  return JSON.stringify(value, (_, part: unknown) => {
    const isPlain = typeof part === "object" && part !== null && !Array.isArray(part);
    return isPlain ? Object.fromEntries(Object.entries(part as JsonObject).sort(byName)) : part;
  });
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

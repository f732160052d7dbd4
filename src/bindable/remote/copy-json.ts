import type { Json } from "../../wire/index.ts";
import { remoteError } from "./remote-error.ts";

export interface JsonBounds {
  /** How deep a value may nest. */
  readonly depth: number;
  /** How many characters its texts and names may have, and how many values it may hold, together. */
  readonly size: number;
}

const jsonBounds: JsonBounds = { depth: 64, size: 32 * 1024 * 1024 };

/**
 * Copies a value as JSON carries it: `toJSON` is asked, NaN becomes null, and what JSON does not know is left out, or null
 * in a list. Throws for what JSON.stringify refuses, and beyond the bounds, saying where.
 */
export function copyJson(value: unknown, bounds: JsonBounds = jsonBounds): Json | undefined {
  const above = new Set<object>();
  let left = bounds.size;

  function fail(path: string, what: string): never {
    throw remoteError("WC_BINDABLE_INVALID_JSON_VALUE", `The value cannot be sent: ${path} ${what}.`);
  }

  function spend(size: number, path: string): void {
    left -= size;
    if (left < 0) fail(path, `is beyond the ${bounds.size} characters and values that one may have`);
  }

  function copy(given: unknown, path: string, key = ""): Json | undefined {
    const { toJSON } = (given ?? {}) as { readonly toJSON?: unknown };
    const part: unknown = typeof toJSON === "function" ? toJSON.call(given, key) : given;
    spend(typeof part === "string" ? part.length : 1, path);
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part : null;
    if (typeof part === "bigint") return fail(path, "is a bigint");
    if (typeof part !== "object") return undefined;
    if (above.has(part)) return fail(path, "holds itself");
    if (above.size >= bounds.depth) return fail(path, `is deeper than ${bounds.depth}`);
    above.add(part);
    const copied = Array.isArray(part)
      ? Array.from(part, (item, at) => copy(item, `${path}[${at}]`, `${at}`) ?? null)
      : copyObject(part as Readonly<Record<string, unknown>>, path);
    above.delete(part);
    return copied;
  }

  function copyObject(part: Readonly<Record<string, unknown>>, path: string): Json {
    const fields: [string, Json][] = [];
    for (const key of Object.keys(part)) {
      const field = copy(part[key], `${path}.${key}`, key);
      if (field === undefined) continue;
      spend(key.length, path);
      fields.push([key, field]);
    }
    return Object.fromEntries(fields);
  }

  return copy(value, "$");
}

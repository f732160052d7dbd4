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
 * Copies a value that JSON carries unchanged; throws for any other, saying where it is not. Fields that are undefined
 * are left out. No getter of the value runs.
 */
export function copyJson(value: unknown, bounds: JsonBounds = jsonBounds): Json {
  const above = new Set<object>();
  let left = bounds.size;

  function fail(path: string, what: string): never {
    throw remoteError("WC_BINDABLE_INVALID_JSON_VALUE", `The value cannot be sent: ${path} ${what}.`);
  }

  function spend(size: number, path: string): void {
    left -= size;
    if (left < 0) fail(path, `is beyond the ${bounds.size} characters and values that one may have`);
  }

  function copy(part: unknown, path: string): Json {
    spend(typeof part === "string" ? part.length : 1, path);
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part : fail(path, `is ${part}`);
    if (typeof part !== "object") return fail(path, `is ${part === undefined ? "undefined" : `a ${typeof part}`}`);
    if (above.has(part)) return fail(path, "holds itself");
    if (above.size >= bounds.depth) return fail(path, `is deeper than ${bounds.depth}`);
    above.add(part);
    const copied = Array.isArray(part) ? copyList(part, path) : copyObject(part, path);
    above.delete(part);
    return copied;
  }

  function read(part: object, key: string | symbol, path: string): unknown {
    const field = Reflect.getOwnPropertyDescriptor(part, key);
    if (typeof key === "symbol" || !field?.enumerable || !("value" in field)) {
      fail(`${path}.${String(key)}`, "is not a plain field");
    }
    return field.value;
  }

  function copyList(part: readonly unknown[], path: string): Json {
    if (Reflect.ownKeys(part).length !== part.length + 1) fail(path, "has holes, or fields beside its items");
    return Array.from({ length: part.length }, (_, at) => copy(read(part, String(at), path), `${path}[${at}]`));
  }

  function copyObject(part: object, path: string): Json {
    const prototype = Reflect.getPrototypeOf(part);
    // A plain object of another realm, such as a frame's, has that realm's prototype.
    if (prototype !== null && Reflect.getPrototypeOf(prototype) !== null) fail(path, "is not a plain object");
    const fields: [string, Json][] = [];
    for (const key of Reflect.ownKeys(part)) {
      const field = read(part, key, path);
      if (field === undefined) continue;
      spend((key as string).length, path);
      fields.push([key as string, copy(field, `${path}.${key as string}`)]);
    }
    return Object.fromEntries(fields);
  }

  return copy(value, "$");
}

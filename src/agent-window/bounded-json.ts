import { isJsonObject, pageLimits } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";

/** The max size of a value from another window. */
export interface Bounds {
  /** Its approximate length as JSON, in characters. */
  readonly characters: number;
  readonly depth: number;
}

export const messageBounds: Bounds = { characters: pageLimits.frameBytes, depth: pageLimits.jsonDepth };

/** A value from another window as JSON, or the problem with it. */
export type BoundedJson = { readonly value: Json } | { readonly wrong: Wrong };

type Wrong = "too-large" | "too-deep" | "not-json";

/**
 * Converts a posted value to JSON. Windows can post more than JSON can express: a date becomes its text, and values that
 * JSON drops are dropped.
 */
export function boundedJson(posted: unknown, { characters, depth }: Bounds): BoundedJson {
  let left = characters;
  let isJson = true;

  // Stops at `depth` and at `characters`, also for a circular value.
  function measure(part: unknown, deeper: number): Wrong | undefined {
    left -= typeof part === "string" ? part.length + 2 : 2;
    if (left < 0) return "too-large";
    if (typeof part !== "object" || part === null) {
      isJson &&= part === null || typeof part === "string" || typeof part === "boolean" || Number.isFinite(part);
      return undefined;
    }
    if (deeper === 0) return "too-deep";
    if (Array.isArray(part)) return firstOf(part, (item) => measure(item, deeper - 1));
    if (part instanceof Date) return void (isJson = false);
    if (!isPlain(part)) return "not-json";
    return firstOf(Object.keys(part), (key) => {
      left -= key.length + 2;
      return measure((part as Record<string, unknown>)[key], deeper - 1);
    });
  }

  const wrong = measure(posted, depth);
  if (wrong !== undefined) return { wrong };
  return isJson ? { value: posted as Json } : throughJson(posted, characters);
}

export function boundedObject(posted: unknown, bounds: Bounds): JsonObject | undefined {
  if (!isJsonObject(posted)) return undefined;
  const read = boundedJson(posted, bounds);
  return "value" in read && isJsonObject(read.value) ? read.value : undefined;
}

/** In any realm: a page may pass on a frame's object. */
function isPlain(part: object): boolean {
  const prototype = Object.getPrototypeOf(part) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function throughJson(posted: unknown, max: number): BoundedJson {
  try {
    const text = JSON.stringify(posted) ?? "null";
    return text.length > max ? { wrong: "too-large" } : { value: JSON.parse(text) as Json };
  } catch {
    return { wrong: "not-json" };
  }
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

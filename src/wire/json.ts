/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json };

/** A payload as it travels: JSON text, or its UTF-8 bytes where a carrier hands out bytes. */
export type Payload = string | Uint8Array;

/** A whole frame as a link carries it. */
export type Message = string | Uint8Array;

/** Parses JSON from a peer; undefined when it is not JSON or nests deeper than allowed. */
export function parseJson(text: string, deepest: number): Json | undefined {
  if (depthOf(text) > deepest) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object from a peer; undefined when it is anything else. */
export function parseJsonObject(text: string, deepest: number): JsonObject | undefined {
  const value = parseJson(text, deepest);
  return isJsonObject(value) ? value : undefined;
}

/** Whether a value is an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How deep JSON text nests; brackets inside strings do not count. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      at = endOfString(text, at);
    } else if (character === 0x7b || character === 0x5b) {
      depth++;
      if (depth > deepest) deepest = depth;
    } else if (character === 0x7d || character === 0x5d) {
      depth--;
    }
  }
  return deepest;
}

function endOfString(text: string, start: number): number {
  let end = start;
  let first = start;
  do {
    end = text.indexOf('"', end + 1);
    // A quote is part of the string where an odd number of backslashes stands before it.
    first = end;
    while (text[first - 1] === "\\") first--;
  } while ((end - first) % 2 === 1);
  return end < 0 ? text.length : end;
}

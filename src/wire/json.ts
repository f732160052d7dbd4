export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export type JsonObject = { readonly [name: string]: Json };

/** A payload on the wire: JSON text, or its UTF-8 bytes if the carrier delivers bytes. */
export type Payload = string | Uint8Array;

/** A whole frame on the wire. */
export type Message = string | Uint8Array;

/** The max characters to parse at once where avoidable, and to receive in parallel: a million values block a hub for seconds. */
export const maxJsonAtOnce = 65_536;

/** Parses JSON from a peer; undefined if it is not JSON or nests too deep. */
export function parseJson(text: string, deepest: number): Json | undefined {
  // Checked before parsing: a text of brackets takes far more memory than its length.
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      // Brackets inside strings do not count. A quote after an odd number of backslashes is part of the string.
      let first: number;
      do {
        at = text.indexOf('"', at + 1);
        if (at < 0) return undefined;
        first = at;
        while (text[first - 1] === "\\") first--;
      } while ((at - first) % 2 === 1);
    } else if (character === 0x7b || character === 0x5b) {
      if (++depth > deepest) return undefined;
    } else if (character === 0x7d || character === 0x5d) {
      depth--;
    }
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Parses a JSON object from a peer; undefined for anything else. */
export function parseJsonObject(text: string, deepest: number): JsonObject | undefined {
  const value = parseJson(text, deepest);
  return isJsonObject(value) ? value : undefined;
}

/** Whether a value is an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

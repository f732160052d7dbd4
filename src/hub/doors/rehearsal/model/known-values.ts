import { isJsonObject } from "../../../../wire/index.ts";
import type { Json } from "../../../../wire/index.ts";
import { readResult } from "./read-result.ts";
import type { RehearsalResult } from "./request.ts";

/** As deep as is looked for values in results. */
const deepest = 6;

/** What tools gave, by the names of the fields; the outermost of each name. */
export function knownValues(results: readonly RehearsalResult[]): ReadonlyMap<string, Json> {
  const known = new Map<string, Json>();
  let level: readonly Json[] = results.flatMap((result) => {
    const { value } = readResult(result);
    return value === undefined ? [] : [value];
  });
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: Json[] = [];
    for (const value of level) {
      if (Array.isArray(value)) next.push(...(value as readonly Json[]).slice(0, 1));
      if (!isJsonObject(value)) continue;
      for (const [name, inner] of Object.entries(value)) {
        if (!known.has(name)) known.set(name, inner);
        next.push(inner);
      }
    }
    level = next;
  }
  return known;
}

import { keyFields } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

type Items = Readonly<Record<string, readonly JsonObject[] | undefined>>;

/** One offer that says the same as an offer and the changes after it, which the switchboard has accepted. */
export function mergeOffer([offer = "{}", ...changes]: readonly string[]): string {
  const first = JSON.parse(offer) as Items;
  const merged = Object.entries(keyFields).map(([kind, field]) => {
    const byKey = new Map((first[kind] ?? []).map((item) => [item[field], item]));
    for (const change of changes) {
      const { add = {}, remove = {} } = JSON.parse(change) as { add?: Items; remove?: Record<string, string[]> };
      for (const key of remove[kind] ?? []) byKey.delete(key);
      for (const item of add[kind] ?? []) byKey.set(item[field], item);
    }
    return [kind, [...byKey.values()]];
  });
  return JSON.stringify(Object.fromEntries(merged));
}

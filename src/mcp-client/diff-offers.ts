import type { Offer, OfferChange } from "../wire/index.ts";
import { keyOf } from "./parse-items.ts";

export const kinds = ["tools", "resources", "resourceTemplates", "prompts"] as const satisfies readonly (keyof Offer)[];

/** The difference between two offers; undefined if there is none. */
export function diffOffers(before: Offer, after: Offer): OfferChange | undefined {
  const add: Partial<Record<keyof Offer, readonly object[]>> = {};
  const remove: Partial<Record<keyof Offer, readonly string[]>> = {};
  for (const kind of kinds) {
    const old = new Map(before[kind].map((item) => [keyOf(kind, item), JSON.stringify(item)]));
    const now = new Map(after[kind].map((item) => [keyOf(kind, item), item]));
    const added = [...now].filter(([key, item]) => old.get(key) !== JSON.stringify(item)).map(([, item]) => item);
    const gone = [...old.keys()].filter((key) => !now.has(key));
    if (added.length > 0) add[kind] = added;
    if (gone.length > 0) remove[kind] = gone;
  }
  if (Object.keys({ ...add, ...remove }).length === 0) return undefined;
  return { add, remove } as OfferChange;
}

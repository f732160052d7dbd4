import { PagewireError, isJsonObject, itemProblem, keyFields, parseJsonObject } from "../wire/index.ts";
import type { ErrorCode, Json, Offer, OfferChange } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

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

export interface ItemNeeds {
  readonly limits: McpLimits;
  /** Whether to accept names that agents elsewhere could not use. */
  readonly anyNames?: boolean | undefined;
}

/** The name or URI of an item. */
export function keyOf(kind: keyof Offer, item: object): string {
  return (item as Readonly<Record<string, string>>)[keyFields[kind]] ?? "";
}

/** The name or URI of an item that may be none, for messages. */
export function shownKey(kind: keyof Offer, given: Json): string {
  const key = isJsonObject(given) ? given[keyFields[kind]] : undefined;
  return typeof key === "string" ? key.slice(0, 140) : "?";
}

/** Parses one item of a server's list, or throws the reason why it cannot. Unknown fields are kept. */
export function parseItem<Kind extends keyof Offer>(
  kind: Kind,
  given: Json,
  { limits, anyNames }: ItemNeeds,
): Offer[Kind][number] {
  const { jsonDepth, schemaBytes } = limits;
  const key = isJsonObject(given) ? given[keyFields[kind]] : undefined;
  const refuse = (problem: string, code: ErrorCode = "frame-malformed") => {
    return new PagewireError(
      code,
      `"${shownKey(kind, given)}" in the server's list of ${kind} ${problem}. It is left out.`,
    );
  };
  if (typeof key !== "string") throw refuse(`has no usable ${keyFields[kind]}`);
  const item = parseJsonObject(JSON.stringify(given), jsonDepth);
  if (!item) throw refuse(`nests deeper than ${jsonDepth} levels (limit jsonDepth)`);
  const wrong = itemProblem(kind, item, { schemaBytes, anyNames });
  if (wrong) throw refuse(wrong.problem, wrong.code);
  return item as unknown as Offer[Kind][number];
}

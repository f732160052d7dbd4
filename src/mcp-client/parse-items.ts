import { PagewireError, isJsonObject, itemProblem, keyFields, parseJsonObject } from "../wire/index.ts";
import type { ErrorCode, Json, Offer } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

export interface ItemNeeds {
  readonly limits: McpLimits;
  /** Whether to accept names that agents elsewhere could not use. */
  readonly anyNames?: boolean | undefined;
}

/** The name or URI of an item. */
export function keyOf(kind: keyof Offer, item: object): string {
  return (item as Readonly<Record<string, string>>)[keyFields[kind]] ?? "";
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
    const shown = typeof key === "string" ? key.slice(0, 140) : "?";
    return new PagewireError(code, `"${shown}" in the server's list of ${kind} ${problem}. It is left out.`);
  };
  if (typeof key !== "string") throw refuse(`has no usable ${keyFields[kind]}`);
  const item = parseJsonObject(JSON.stringify(given), jsonDepth);
  if (!item) throw refuse(`nests deeper than ${jsonDepth} levels (limit jsonDepth)`);
  const wrong = itemProblem(kind, item, { schemaBytes, anyNames });
  if (wrong) throw refuse(wrong.problem, wrong.code);
  return item as unknown as Offer[Kind][number];
}

import { PagewireError, isJsonObject, itemNamePattern, parseJsonObject, wrongItemField } from "../wire/index.ts";
import type { Json, JsonObject, Offer } from "../wire/index.ts";
import type { McpLimits } from "./mcp-limits.ts";

/** By kind: the field by which an item goes, and what that looks like. */
const keyFields = {
  tools: ["name", itemNamePattern],
  prompts: ["name", itemNamePattern],
  resources: ["uri", /^.{1,2048}$/s],
  resourceTemplates: ["uriTemplate", /^.{1,2048}$/s],
} as const satisfies Record<keyof Offer, readonly [string, RegExp]>;

const anyName = /^.{1,2048}$/s;

export interface ItemNeeds {
  readonly limits: McpLimits;
  /** Whether names are taken that agents elsewhere could not use. */
  readonly anyNames?: boolean | undefined;
}

/** What an item goes by. */
export function keyOf(kind: keyof Offer, item: object): string {
  return (item as Readonly<Record<string, string>>)[keyFields[kind][0]] ?? "";
}

/** Reads one item of a server's list, or throws what is wrong with it. What else it says is kept as it is. */
export function parseItem<Kind extends keyof Offer>(
  kind: Kind,
  given: Json,
  { limits, anyNames = false }: ItemNeeds,
): Offer[Kind][number] {
  const [field, strict] = keyFields[kind];
  const pattern = anyNames ? anyName : strict;
  const key = isJsonObject(given) ? given[field] : undefined;
  if (typeof key !== "string" || !pattern.test(key)) {
    throw malformed(kind, typeof key === "string" ? key.slice(0, 140) : "?", `has no usable ${field}`);
  }
  const item = parseJsonObject(JSON.stringify(given), limits.jsonDepth);
  if (!item) throw malformed(kind, key, `nests deeper than ${limits.jsonDepth} levels (limit jsonDepth)`);
  const wrong = wrongItemField(item);
  if (wrong) throw malformed(kind, key, `has no usable ${wrong}`);
  if (kind === "tools") checkSchemas(item, key, limits);
  return item as unknown as Offer[Kind][number];
}

function checkSchemas({ inputSchema, outputSchema }: JsonObject, name: string, { schemaBytes }: McpLimits): void {
  if (!isJsonObject(inputSchema) || inputSchema["type"] !== "object") {
    throw malformed("tools", name, "has an inputSchema that is not a JSON Schema of type object");
  }
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    throw malformed("tools", name, "has an outputSchema that is no object");
  }
  for (const schema of [inputSchema, outputSchema]) {
    if (schema && JSON.stringify(schema).length > schemaBytes) {
      throw malformed("tools", name, `has a schema of more than ${schemaBytes} bytes (limit schemaBytes)`);
    }
  }
}

function malformed(kind: keyof Offer, key: string, problem: string): PagewireError {
  return new PagewireError("frame-malformed", `"${key}" in the server's list of ${kind} ${problem}. It is left out.`);
}

// The items that can be offered: the form of their names and fields, and their audience.
import { group, list, number, optional, text, wrongField } from "./fields.ts";
import type { Fields } from "./fields.ts";
import { isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Offer, Tool } from "./payloads.ts";

/**
 * The form of a tool's or prompt's name. Programs keep tools in objects by name, and every object already has a property
 * with each of the two refused names.
 */
export const itemNamePattern = /^(?!(__proto__|constructor)$)[\w.-]{1,128}$/;

/** The problem with any other name; the end of a sentence that begins with the name. */
export const itemNameProblem = "is reserved or not 1 to 128 letters, digits, dots, dashes or underscores";

const anyText = /* @__PURE__ */ text(Infinity);
const words = /* @__PURE__ */ optional(anyText);
const object = /* @__PURE__ */ optional(isJsonObject);
const listOf = (shape: Fields) => optional(list(group(shape), Infinity));

/** Fields that agents rely on; others are forwarded unchecked. */
const itemFields = {
  name: anyText,
  title: words,
  description: words,
  mimeType: words,
  size: /* @__PURE__ */ optional(number),
  arguments: /* @__PURE__ */ listOf({ name: anyText }),
  annotations: object,
  icons: /* @__PURE__ */ listOf({ src: anyText }),
  _meta: object,
};

/** The name of the first field of an offered tool, resource, template or prompt that is missing or invalid. */
export function wrongItemField(item: JsonObject): string | undefined {
  return wrongField(itemFields, item);
}

/** By kind: the field that is the key. */
export const keyFields = {
  tools: "name",
  prompts: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
} as const satisfies Record<keyof Offer, string>;

/** Why an item cannot be offered: `problem` is the end of a sentence that begins with its key. */
export interface ItemProblem {
  readonly code: "frame-malformed" | "name-invalid" | "schema-invalid" | "schema-too-large";
  readonly problem: string;
}

export interface ItemBounds {
  /** The max size of one schema. */
  readonly schemaBytes: number;
  /** Whether to accept names that most agents cannot use. */
  readonly anyNames?: boolean | undefined;
}

/** The first problem of an external definition; undefined for one that agents can be shown. */
export function itemProblem(kind: keyof Offer, item: JsonObject, bounds: ItemBounds): ItemProblem | undefined {
  const key = item[keyFields[kind]];
  const isKey = typeof key === "string" && key.length > 0 && key.length <= longestKey;
  const isNamed = keyFields[kind] === "name" && !bounds.anyNames;
  if (isNamed && typeof key === "string" && !itemNamePattern.test(key)) {
    return { code: "name-invalid", problem: itemNameProblem };
  }
  const wrong = isKey ? wrongItemField(item) : keyFields[kind];
  if (wrong) return { code: "frame-malformed", problem: `has no usable ${wrong}` };
  if (kind !== "tools") return undefined;
  for (const field of schemaFields) {
    if (field === "outputSchema" && item[field] === undefined) continue;
    const found = schemaProblem(field, item[field], bounds.schemaBytes);
    if (found) return { ...found, problem: `has an ${field} that ${found.problem}` };
  }
  return undefined;
}

/** The max length of a name in a call. */
const longestKey = 2048;

const schemaFields = ["inputSchema", "outputSchema"] as const;

/** Why a tool cannot have this schema; the end of a sentence that begins with the schema. */
export function schemaProblem(
  field: (typeof schemaFields)[number],
  schema: Json | undefined,
  schemaBytes: number,
): ItemProblem | undefined {
  if (!isJsonObject(schema) || (field === "inputSchema" && schema["type"] !== "object"))
    return { code: "schema-invalid", problem: "is not a JSON Schema of type object" };
  const text = JSON.stringify(schema);
  // Only a schema near the limit is measured.
  if (text.length * 3 <= schemaBytes || new TextEncoder().encode(text).length <= schemaBytes) return undefined;
  return { code: "schema-too-large", problem: `takes more than ${schemaBytes} bytes (limit schemaBytes)` };
}

/** An input schema with its type. Arguments are always an object, so authors may omit the type; peers may not. */
export function typedSchema(schema: Json): Json {
  return isJsonObject(schema) ? { type: "object", ...schema } : schema;
}

/** Tools that every agent always has, also agents that ignore changes of a list. */
export const builtInToolNames = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"] as const;

export type BuiltInToolName = (typeof builtInToolNames)[number];

export function isBuiltInTool(name: string): name is BuiltInToolName {
  return (builtInToolNames as readonly string[]).includes(name);
}

/** In a tool's `_meta`: its audience, if that is not everyone. */
const audienceKey = "pagewire/audience";

/** The `_meta` of a tool for programs in a terminal only. */
export const terminalOnly = { "pagewire/audience": "terminal" } as const;

export function isForTerminals({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.[audienceKey] === terminalOnly[audienceKey];
}

/** In the `_meta` of a toolbox's tool: it came from the browser, and is not registered there again. */
export const fromBrowser = { "pagewire/source": "browser" } as const;

/** Whether a tool came from the browser, by its own claim. */
export function isFromBrowser({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.["pagewire/source"] === fromBrowser["pagewire/source"];
}

// The keys of a tab's actions and their results, for the hub's door for terminals.

/** In a tool's `_meta`: the default timeout of a call from a terminal, in milliseconds. */
export const callTimeKey = "pagewire/callTime";

/** In a result's `_meta`: the fields of its structured content are top-level fields of the answer, next to `status`. */
export const fieldsKey = "pagewire/fields";

/** In a failed result's `_meta`: the error code with which the action failed. */
export const codeKey = "pagewire/code";

/** The logger whose entries are chunks of an action's answer, none of which may be dropped. */
export const chunkLogger = "pagewire.chunk";

/** In the `_meta` of such an answer: the number of chunks sent before it, so that a lost one is noticed. */
export const chunksKey = "pagewire/chunks";

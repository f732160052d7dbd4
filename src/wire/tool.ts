// What may be offered: how its name looks, which form its fields have, and whose it is.
import { group, list, number, optional, text, wrongField } from "./fields.ts";
import type { Fields } from "./fields.ts";
import { isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Offer, Tool } from "./payloads.ts";

/**
 * The form of a tool's or prompt's name. Programs keep tools in objects by name, and every object already has something
 * under the two names that are refused.
 */
export const itemNamePattern = /^(?!(__proto__|constructor)$)[\w.-]{1,128}$/;

/** The problem with any other name; a sentence that begins with the name ends so. */
export const itemNameProblem = "is reserved or not 1 to 128 letters, digits, dots, dashes or underscores";

const anyText = /* @__PURE__ */ text(Infinity);
const words = /* @__PURE__ */ optional(anyText);
const object = /* @__PURE__ */ optional(isJsonObject);
const listOf = (shape: Fields) => optional(list(group(shape), Infinity));

/** Fields that agents could not read in another form; the others of an item are passed on as they are. */
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

/** The name of the first field of an offered tool, resource, template or prompt that is missing or has the wrong form. */
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

/** Why an item cannot be offered: `problem` ends a sentence that begins with its key. */
export interface ItemProblem {
  readonly code: "frame-malformed" | "name-invalid" | "schema-invalid" | "schema-too-large";
  readonly problem: string;
}

export interface ItemBounds {
  /** How large one schema may be. */
  readonly schemaBytes: number;
  /** Whether names are taken that most agents could not use. */
  readonly anyNames?: boolean | undefined;
}

/** The first thing that is wrong with a definition that came from elsewhere; undefined for one that agents can be shown. */
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

/** A call could not name it otherwise. */
const longestKey = 2048;

const schemaFields = ["inputSchema", "outputSchema"] as const;

/** Why a tool cannot have this schema; a sentence that begins with the schema ends so. */
export function schemaProblem(
  field: (typeof schemaFields)[number],
  schema: Json | undefined,
  schemaBytes: number,
): ItemProblem | undefined {
  if (!isJsonObject(schema) || (field === "inputSchema" && schema["type"] !== "object"))
    return { code: "schema-invalid", problem: "is not a JSON Schema of type object" };
  const text = JSON.stringify(schema);
  // Only one near the bound is measured.
  if (text.length * 3 <= schemaBytes || new TextEncoder().encode(text).length <= schemaBytes) return undefined;
  return { code: "schema-too-large", problem: `takes more than ${schemaBytes} bytes (limit schemaBytes)` };
}

/** An input schema with its type. Arguments are always an object, so authors may leave it out; peers may not. */
export function typedSchema(schema: Json): Json {
  return isJsonObject(schema) ? { type: "object", ...schema } : schema;
}

/** Tools that every agent always has, also those that ignore changes of a list. */
export const builtInToolNames = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"] as const;

export type BuiltInToolName = (typeof builtInToolNames)[number];

export function isBuiltInTool(name: string): name is BuiltInToolName {
  return (builtInToolNames as readonly string[]).includes(name);
}

/** In a tool's `_meta`: who may see and call it, if not everybody. */
const audienceKey = "pagewire/audience";

/** The `_meta` of a tool that is there for the programs of a terminal, and for nobody else. */
export const terminalOnly = { "pagewire/audience": "terminal" } as const;

/** Whether a tool is for the programs of a terminal only. */
export function isForTerminals({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.[audienceKey] === terminalOnly[audienceKey];
}

/** In the `_meta` of a toolbox's tool: it came from the browser, and is not given back to it. */
export const fromBrowser = { "pagewire/source": "browser" } as const;

/** Whether a tool came from the browser, as it says of itself. */
export function isFromBrowser({ _meta }: Pick<Tool, "_meta">): boolean {
  return _meta?.["pagewire/source"] === fromBrowser["pagewire/source"];
}

// What an action of a tab, and its result, say to the hub's door for terminals.

/** In a tool's `_meta`: the milliseconds that a call from a terminal may take where its caller does not say. */
export const callTimeKey = "pagewire/callTime";

/** In a result's `_meta`: the fields of its structured content are the answer's own, beside `status`. */
export const fieldsKey = "pagewire/fields";

/** In a failed result's `_meta`: the error code with which the action failed. */
export const codeKey = "pagewire/code";

/** The logger whose entries are pieces of an action's answer, none of which may be dropped. */
export const chunkLogger = "pagewire.chunk";

/** In the `_meta` of such an answer: how many pieces were sent before it, so that one that got lost is missed. */
export const chunksKey = "pagewire/chunks";

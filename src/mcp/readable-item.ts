// What pages offer, as MCP clients can read it. A client refuses a whole list for one field of the wrong form, and the
// pages of several apps are in one list: such a field is left out, and the rest of its item stays as it was written.
import { isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject, Offer } from "../wire/index.ts";
import { isSoundSchema } from "./is-sound-schema.ts";

/** What becomes of a value; undefined where it is left out. */
type Clean = (value: Json) => Json | undefined;

const text: Clean = (value) => (typeof value === "string" ? value : undefined);
const flag: Clean = (value) => (typeof value === "boolean" ? value : undefined);
const oneOf =
  (...words: readonly string[]): Clean =>
  (value) =>
    words.includes(value as string) ? value : undefined;

/** The elements that can be read; what is no list is left out. */
const listOf =
  (clean: Clean): Clean =>
  (value) =>
    Array.isArray(value) ? value.map((one: Json) => clean(one)).filter((one) => one !== undefined) : undefined;

/** An object with some fields that have a form, and any others. */
const shape =
  (fields: Readonly<Record<string, Clean>>): Clean =>
  (value) =>
    isJsonObject(value) ? cleanFields(value, fields) : undefined;

function cleanFields(value: JsonObject, fields: Readonly<Record<string, Clean>>): JsonObject {
  const clean = (name: string, field: Json) => (Object.hasOwn(fields, name) ? fields[name]?.(field) : field);
  const entries = Object.entries(value).map(([name, field]) => [name, clean(name, field)] as const);
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined)) as JsonObject;
}

const isoTime: Clean = (value) => {
  const at = typeof value === "string" ? new Date(value) : undefined;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
};
const part: Clean = (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined);

const icons = listOf(shape({ src: text, mimeType: text, sizes: listOf(text), theme: oneOf("light", "dark") }));
const annotations = shape({ audience: listOf(oneOf("user", "assistant")), priority: part, lastModified: isoTime });

/** Some clients know objects only where JSON Schema also has true and false. */
const property: Clean = (value) => (isJsonObject(value) ? value : value === false ? { not: {} } : {});
const properties: Clean = (value) =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, property(schema) ?? {}]))
    : undefined;
const schema = shape({ $schema: text, properties, required: listOf(text) });

/** Without its address: clients take two schemas of the same address for one, whoever wrote them. */
const outputSchema: Clean = (value) => {
  if (!isJsonObject(value) || !isSoundSchema(value)) return undefined;
  const { $id: _, ...rest } = value;
  return schema(rest);
};

const common = { icons, annotations };
const fieldsOf: Readonly<Record<keyof Offer, Readonly<Record<string, Clean>>>> = {
  tools: {
    ...common,
    annotations: shape({
      title: text,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
      untrustedContentHint: flag,
    }),
    execution: shape({ taskSupport: oneOf("forbidden", "optional", "required") }),
    inputSchema: schema,
    outputSchema,
  },
  resources: common,
  resourceTemplates: common,
  prompts: { ...common, arguments: listOf(shape({ title: text, description: text, required: flag })) },
};

const readable = new WeakMap<object, JsonObject>();

/** An offered item as it is listed. Items are worked through once, however often they are listed. */
export function readableItem(kind: keyof Offer, item: object): JsonObject {
  const known = readable.get(item);
  if (known) return known;
  const made = cleanFields(item as JsonObject, fieldsOf[kind]);
  readable.set(item, made);
  return made;
}

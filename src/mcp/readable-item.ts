// Sanitizes the items that pages offer. A client refuses a whole list for one malformed field, and a list mixes pages of
// several apps, so malformed fields are dropped; the rest of an item stays as it was.
import { isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject, Offer } from "../wire/index.ts";
import { isSoundSchema } from "./is-sound-schema.ts";

/** Sanitizes a value; undefined drops it. */
type Clean = (value: Json) => Json | undefined;

const text: Clean = (value) => (typeof value === "string" ? value : undefined);
const flag: Clean = (value) => (typeof value === "boolean" ? value : undefined);
const oneOf =
  (...words: readonly string[]): Clean =>
  (value) =>
    words.includes(value as string) ? value : undefined;

/** Keeps the valid elements; drops what is not a list. */
const listOf =
  (clean: Clean): Clean =>
  (value) =>
    Array.isArray(value) ? value.map((one: Json) => clean(one)).filter((one) => one !== undefined) : undefined;

/** Sanitizes the known fields of an object, and keeps all others. */
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

/** Some clients accept only objects where JSON Schema also allows booleans. */
const property: Clean = (value) => (isJsonObject(value) ? value : value === false ? { not: {} } : {});
const properties: Clean = (value) =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, property(schema) ?? {}]))
    : undefined;
const schema = shape({ $schema: text, properties, required: listOf(text) });

/** Drops `$id`: clients take schemas with the same id for one, even from different pages. */
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

/** The sanitized item, cached. */
export function readableItem(kind: keyof Offer, item: object): JsonObject {
  const known = readable.get(item);
  if (known) return known;
  const made = cleanFields(item as JsonObject, fieldsOf[kind]);
  readable.set(item, made);
  return made;
}

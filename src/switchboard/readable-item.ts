// People and models read the titles and descriptions of offers, so invisible characters are removed from them. Names,
// addresses and values are data and stay unchanged.
import { isJsonObject, visibleText } from "../wire/index.ts";
import type { Json, JsonObject, Offer } from "../wire/index.ts";

const words: readonly string[] = ["title", "description"];
const maps: readonly string[] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const values: readonly string[] = ["const", "enum", "default", "examples"];

/** Removes invisible characters from a schema's titles and descriptions, at any depth. */
export function readableSchema(schema: Json, isMap = false): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => readableSchema(one));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([word, value]): [string, Json] => {
    if (!isMap && values.includes(word)) return [word, value];
    if (!isMap && words.includes(word) && typeof value === "string") return [word, visibleText(value)];
    return [word, readableSchema(value, !isMap && maps.includes(word))];
  });
  return Object.fromEntries(entries);
}

type Readable = (value: Json) => Json;

const text: Readable = (value) => (typeof value === "string" ? visibleText(value) : value);
const fields =
  (readable: Readonly<Record<string, Readable>>): Readable =>
  (value) => {
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(([name, field]): [string, Json] => [
      name,
      Object.hasOwn(readable, name) ? (readable[name]?.(field) ?? field) : field,
    ]);
    return Object.fromEntries(entries);
  };
const list =
  (readable: Readable): Readable =>
  (value) =>
    Array.isArray(value) ? value.map((one: Json) => readable(one)) : value;

const common = { title: text, description: text };
/** A resource's name is for people: its URI is the key. */
const resource = fields({ ...common, name: text });
const readables: Readonly<Record<keyof Offer, Readable>> = {
  tools: fields({
    ...common,
    annotations: fields({ title: text }),
    inputSchema: readableSchema,
    outputSchema: readableSchema,
  }),
  prompts: fields({ ...common, arguments: list(fields(common)) }),
  resources: resource,
  resourceTemplates: resource,
};

export function readableItem(kind: keyof Offer, item: JsonObject): JsonObject {
  return readables[kind](item) as JsonObject;
}

/** Whether JSON has only visible characters: then it stays as it is. */
export function isPlainJson(json: string): boolean {
  return !/[^\n\r\t\x20-\x7e]|\\[ubfr]/.test(json);
}

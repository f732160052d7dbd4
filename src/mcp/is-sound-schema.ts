import { isJsonObject } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";

/**
 * Whether every validator can compile this schema. Clients compile all output schemas of a list before they show any tool, so
 * one invalid schema would cost them the whole list.
 */
export function isSoundSchema(root: JsonObject): boolean {
  const schemas = new Set<Json>();
  const references: string[] = [];
  const waiting: Json[] = [root];
  for (const schema of waiting) {
    schemas.add(schema);
    if (typeof schema === "boolean") continue;
    if (!isJsonObject(schema) || !hasSoundWords(schema, schema === root)) return false;
    if (typeof schema["$ref"] === "string") references.push(schema["$ref"]);
    for (const inner of schemasIn(schema)) waiting.push(inner);
  }
  return references.every((reference) => {
    const target = resolve(root, reference);
    return target !== undefined && schemas.has(target);
  });
}

type Accepts = (value: Json) => boolean;

const isText: Accepts = (value) => typeof value === "string";
const isNumber: Accepts = (value) => typeof value === "number";
const isFlag: Accepts = (value) => typeof value === "boolean";
const isSchema: Accepts = (value) => isFlag(value) || isJsonObject(value);
const isListOf = (accepts: Accepts, least: number) => (value: Json) =>
  Array.isArray(value) && value.length >= least && value.every((one: Json) => accepts(one));
const isMapOf = (accepts: Accepts) => (value: Json) => isJsonObject(value) && Object.values(value).every(accepts);
const isTypeName: Accepts = (value) => typeNames.includes(value);
const isNever: Accepts = () => false;

const typeNames: readonly Json[] = ["null", "boolean", "object", "array", "number", "integer", "string"];

const schemaWords = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const listWords = ["allOf", "anyOf", "oneOf", "prefixItems"];
const mapWords = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

const all = (words: readonly string[], accepts: Accepts) => words.map((word) => [word, accepts] as const);

/** The values that each keyword accepts. Validators ignore other keywords. */
const wordForms = new Map<string, Accepts>([
  ...all(schemaWords, isSchema),
  ...all(listWords, isListOf(isSchema, 1)),
  ...all(mapWords, isMapOf(isSchema)),
  ...all(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], isNumber),
  ...all(["maxLength", "maxItems", "maxProperties", "maxContains"], isNumber),
  ...all(["minLength", "minItems", "minProperties", "minContains"], isNumber),
  ...all(["$schema", "$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "format"], isText),
  ["items", (value) => isSchema(value) || isListOf(isSchema, 0)(value)],
  ["type", (value) => isTypeName(value) || isListOf(isTypeName, 1)(value)],
  ["enum", isListOf(() => true, 1)],
  ["required", isListOf(isText, 0)],
  ["uniqueItems", isFlag],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["pattern", isPattern],
  ["dependentRequired", isMapOf(isListOf(isText, 0))],
  // Keywords of older drafts, and extensions of one validator that make it asynchronous or are refused.
  ...all(["dependencies", "nullable", "discriminator", "$async", "$data", "id"], isNever),
]);

function hasSoundWords(schema: JsonObject, isRoot: boolean): boolean {
  for (const [word, value] of Object.entries(schema)) {
    if (wordForms.get(word)?.(value) === false) return false;
    // A nested $id changes the base of references, and duplicates are refused.
    if (word === "$id" && !(isRoot && isText(value))) return false;
    if (word === "patternProperties" && !Object.keys(value as JsonObject).every(isPattern)) return false;
  }
  return true;
}

function isPattern(value: Json): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function* schemasIn(schema: JsonObject): Generator<Json> {
  for (const [word, value] of Object.entries(schema)) {
    if (schemaWords.includes(word)) yield value;
    else if (listWords.includes(word) || word === "items") yield* [value].flat() as Json[];
    else if (mapWords.includes(word)) yield* Object.values(value as JsonObject);
  }
}

/** Resolves a reference; undefined if it leaves the schema or points nowhere. */
function resolve(root: JsonObject, reference: string): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/") || reference.includes("%")) return undefined;
  let at: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = (isJsonObject(at) || Array.isArray(at)) && Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
  }
  return at;
}

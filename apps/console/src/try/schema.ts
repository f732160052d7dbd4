// JSON Schemas as forms: which control a part has, with which value it begins, and what may be checked here.
import { isJsonObject } from "pagewire/wire";
import type { Json, JsonObject } from "pagewire/wire";

/** A part of a schema as a form shows it. */
export type Part = { readonly title?: string; readonly description?: string; readonly schema: JsonObject } & (
  | { readonly kind: "text"; readonly input: Input; readonly isLong: boolean }
  | { readonly kind: "number"; readonly isWhole: boolean }
  | { readonly kind: "boolean" | "json" }
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "choice"; readonly values: readonly Json[]; readonly labels: readonly string[] }
  | { readonly kind: "object"; readonly fields: readonly Named[]; readonly others: Json }
  | { readonly kind: "list"; readonly first: readonly Json[]; readonly items: Json }
  | { readonly kind: "variants"; readonly variants: readonly Variant[] }
);

export interface Variant {
  readonly label: string;
  readonly schema: JsonObject;
}

export interface Named {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** References followed in a row, and objects that begin inside each other. */
const deepest = 8;

type Input = "text" | "date" | "email" | "url" | "password";

const inputOfFormat: Readonly<Record<string, Input>> = {
  date: "date",
  time: "text",
  email: "email",
  uri: "url",
  password: "password",
};

const longNames =
  /^(text|body|content|markdown|html|css|code|script|sql|query|message|note|description|prompt|xml|json)$/i;

/** How a form shows a schema. `root` has the definitions that it refers to. */
export function partOf(given: Json | undefined, root: JsonObject, name = ""): Part {
  const schema = resolve(given, root);
  const about = {
    schema,
    ...(typeof schema["title"] === "string" && { title: schema["title"] }),
    ...(typeof schema["description"] === "string" && { description: schema["description"] }),
  };
  const { const: constant, enum: values, type } = schema;
  if (constant !== undefined) return { ...about, kind: "constant", value: constant };
  if (Array.isArray(values)) {
    const names = schema["enumNames"];
    const labels = values.map((value, index) => labelOf(Array.isArray(names) ? names[index] : value));
    return { ...about, kind: "choice", values, labels };
  }
  const variants = variantsOf(schema, root);
  if (variants) {
    // A list of constants with titles is a choice in other words.
    const constants = variants.map((each) => each.schema["const"]);
    if (constants.every((each) => each !== undefined))
      return { ...about, kind: "choice", values: constants, labels: variants.map(({ label }) => label) };
    return { ...about, kind: "variants", variants };
  }
  if (type === "object" || (type === undefined && isJsonObject(schema["properties"])))
    return { ...about, kind: "object", fields: fieldsOf(schema), others: schema["additionalProperties"] ?? false };
  if (type === "array") {
    const { prefixItems, items = {} } = schema;
    return { ...about, kind: "list", first: Array.isArray(prefixItems) ? prefixItems : [], items };
  }
  if (type === "string") return { ...about, kind: "text", ...inputOf(schema, name) };
  if (type === "number" || type === "integer") return { ...about, kind: "number", isWhole: type === "integer" };
  if (type === "boolean") return { ...about, kind: "boolean" };
  if (type === "null") return { ...about, kind: "constant", value: null };
  return { ...about, kind: "json" };
}

function inputOf({ format, maxLength, writeOnly }: JsonObject, name: string): { input: Input; isLong: boolean } {
  if (writeOnly === true) return { input: "password", isLong: false };
  const input = typeof format === "string" ? inputOfFormat[format] : undefined;
  const isLong = input === undefined && (Number(maxLength) > 200 || (maxLength === undefined && longNames.test(name)));
  return { input: input ?? "text", isLong };
}

function fieldsOf({ properties, required }: JsonObject): readonly Named[] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isJsonObject(schema) ? schema : {},
    isRequired: needed.has(name),
  }));
}

function variantsOf(schema: JsonObject, root: JsonObject): readonly Variant[] | undefined {
  const { type, oneOf, anyOf, ...rest } = schema;
  const given = [oneOf, anyOf].find((each) => Array.isArray(each) && each.length > 0) as readonly Json[] | undefined;
  const parts: readonly JsonObject[] | undefined =
    given?.map((each) => merge([{ ...rest, ...(type !== undefined && { type }) }, resolve(each, root)])) ??
    (Array.isArray(type) && type.length > 1 ? type.map((each) => ({ ...rest, type: each })) : undefined);
  if (!parts) return undefined;
  return parts.map((part, index) => ({
    label: variantLabel(given ? resolve(given[index], root) : part),
    schema: part,
  }));
}

function variantLabel(schema: JsonObject): string {
  const { title, const: constant, type, properties, required } = schema;
  if (typeof title === "string") return title;
  if (constant !== undefined) return labelOf(constant);
  // A field with one possible value, by which the kinds of a union differ.
  for (const [name, field] of Object.entries(isJsonObject(properties) ? properties : {}))
    if (isJsonObject(field) && field["const"] !== undefined) return `${name}: ${labelOf(field["const"])}`;
  if (Array.isArray(required) && required.length > 0) return `with ${required.map(labelOf).join(", ")}`;
  return typeof type === "string" ? type : "other";
}

export function labelOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** The schema that is meant: references of this document followed, and `allOf` merged into it. */
function resolve(given: Json | undefined, root: JsonObject): JsonObject {
  let schema: JsonObject = isJsonObject(given) ? given : {};
  for (let step = 0; step < deepest; step += 1) {
    const { $ref: reference, allOf, ...own } = schema;
    if (typeof reference === "string") schema = { ...lookUp(reference, root), ...own };
    else if (Array.isArray(allOf)) schema = merge([own, ...allOf.filter(isJsonObject)]);
    else return schema;
  }
  return {};
}

function lookUp(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith("#")) return {};
  let found: Json | undefined = root;
  for (const segment of reference.slice(1).split("/").filter(Boolean)) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isJsonObject(found) ? found : {};
}

function merge(parts: readonly JsonObject[]): JsonObject {
  return parts.reduce<JsonObject>((all, part) => {
    const { properties: some, required: needed } = all;
    const { properties: more, required: also } = part;
    return {
      ...all,
      ...part,
      ...(isJsonObject(some) && isJsonObject(more) && { properties: { ...some, ...more } }),
      ...(Array.isArray(needed) && Array.isArray(also) && { required: [...needed, ...also] }),
    };
  }, {});
}

/** The value that a form begins with: defaults, constants, and what an object must have. Undefined where nothing is given. */
export function firstValue(given: Json | undefined, root: JsonObject, depth = 0): Json | undefined {
  const part = partOf(given, root);
  const preset = part.schema["default"];
  if (preset !== undefined) return preset;
  if (depth > deepest) return undefined;
  switch (part.kind) {
    case "constant":
      return part.value;
    case "object": {
      const values = part.fields.flatMap(({ name, schema, isRequired }) => {
        const isPreset = partOf(schema, root).schema["default"] !== undefined;
        const value = isRequired || isPreset ? firstValue(schema, root, depth + 1) : undefined;
        return value === undefined ? [] : [[name, value]];
      });
      return Object.fromEntries(values) as JsonObject;
    }
    case "list":
      return [];
    case "variants":
      return firstValue(part.variants[0]?.schema, root, depth + 1);
    default:
      return undefined;
  }
}

/** The value of something that its user adds: never undefined. */
export function addedValue(given: Json | undefined, root: JsonObject): Json {
  const value = firstValue(given, root);
  if (value !== undefined) return value;
  const part = partOf(given, root);
  if (part.kind === "number") return 0;
  if (part.kind === "boolean") return false;
  if (part.kind === "choice") return part.values[0] ?? null;
  return part.kind === "json" ? null : "";
}

/** Which of the variants a value is of, by its type and its constants. */
export function variantFor(value: Json | undefined, schemas: readonly JsonObject[], root: JsonObject): number {
  const fits = schemas.findIndex((schema) => fitsPart(value, partOf(schema, root)));
  return Math.max(0, fits);
}

function fitsPart(value: Json | undefined, part: Part): boolean {
  switch (part.kind) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "constant":
      return JSON.stringify(value) === JSON.stringify(part.value);
    case "choice":
      return part.values.some((each) => JSON.stringify(each) === JSON.stringify(value));
    case "object":
      return (
        isJsonObject(value) &&
        part.fields.every(({ name, schema, isRequired }) => {
          const { const: constant } = schema;
          if (constant !== undefined) return JSON.stringify(value[name]) === JSON.stringify(constant);
          return !isRequired || value[name] !== undefined;
        })
      );
    default:
      return true;
  }
}

/**
 * The schema without regular expressions: a page's may take forever, and run in that page only. What they would allow
 * beside named properties is then not refused here either.
 */
export function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  const hasPatterns = isJsonObject(schema["patternProperties"]);
  const dropped = (word: string, value: Json) =>
    (word === "pattern" && typeof value === "string") ||
    (hasPatterns && /^(patternProperties|additionalProperties|unevaluatedProperties)$/.test(word));
  const kept = Object.entries(schema).filter(([word, value]) => !dropped(word, value));
  return Object.fromEntries(kept.map(([word, value]) => [word, isData(word) ? value : withoutPatterns(value)]));
}

function isData(word: string): boolean {
  return word === "const" || word === "enum" || word === "default" || word === "examples";
}

/** Whether a schema has a secret field, whose values must not be kept. */
export function hasSecret(schema: JsonObject): boolean {
  return /"writeOnly":true|"format":"password"/.test(JSON.stringify(schema));
}

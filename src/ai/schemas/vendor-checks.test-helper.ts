// Whether a vendor would refuse a tool's schema, by the vendors' documents and their errors, and independently of what fits it.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

export type Vendor = "openai" | "anthropic" | "google-json" | "any";

const unions = ["oneOf", "anyOf", "allOf"];

/** "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level" */
const atTheTop: Readonly<Record<Vendor, readonly string[]>> = {
  openai: [...unions, "enum", "const", "not", "$ref"],
  // "input_schema does not support oneOf, allOf, or anyOf at the top level"
  anthropic: unions,
  "google-json": [...unions, "$ref"],
  any: [...unions, "enum", "const", "not", "$ref"],
};

/** Google's list for parametersJsonSchema. */
const googles =
  "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering";

export function complaintsOf(schema: JsonObject, vendor: Vendor): string[] {
  const found = atTheTop[vendor].filter((keyword) => keyword in schema).map((keyword) => `${keyword} at the top`);
  if (schema["type"] !== "object") found.push("the top is no object");
  const { properties = {} } = schema;
  if (vendor === "anthropic" || vendor === "any")
    for (const name of Object.keys(properties ?? {}))
      // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) found.push(`the name ${name}`);
  return [...found, ...inside(schema, vendor, schema)];
}

function inside(schema: Json, vendor: Vendor, root: JsonObject): string[] {
  if (typeof schema === "boolean") return vendor === "google-json" ? ["a boolean schema"] : [];
  if (!isJsonObject(schema)) return ["no schema"];
  const found: string[] = [];
  const { type, $ref, pattern } = schema;
  const types = [type ?? []].flat();
  if (
    types.some(
      (each) => !["object", "array", "string", "number", "integer", "boolean", "null"].includes(each as string),
    )
  )
    found.push(`type ${JSON.stringify(type)}`);
  if (typeof $ref === "string" && !existsIn(root, $ref)) found.push(`$ref ${$ref}`);
  if (vendor === "google-json") found.push(...googleWords(schema, types));
  else if (vendor !== "anthropic" && typeof pattern === "string" && /\(\?[=!<]|\\p/.test(pattern))
    found.push(`pattern ${pattern}`);
  // "array schema missing items"
  if (vendor !== "anthropic" && types.includes("array") && !("items" in schema)) found.push("an array without items");
  if (Array.isArray(schema["items"])) found.push("a list of items");
  for (const limit of ["exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum"])
    if (limit in schema && typeof schema[limit] !== "number") found.push(limit);
  return [...found, ...partsOf(schema).flatMap((part) => inside(part, vendor, root))];
}

function googleWords(schema: JsonObject, types: readonly Json[]): string[] {
  const { enum: values, format } = schema;
  const found = Object.keys(schema).filter((keyword) => !googles.split(" ").includes(keyword));
  if (types.filter((each) => each !== "null").length > 1) found.push("several types");
  const kinds = new Set(Array.isArray(values) ? values.map((value) => typeof value) : []);
  if (kinds.size > 1 || !["string", "number", undefined].includes([...kinds][0])) found.push("enum");
  if (format !== undefined && !["date-time", "date", "time"].includes(format as string)) found.push("format");
  return found;
}

function partsOf(schema: JsonObject): Json[] {
  const one = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"].flatMap(
    (word) => {
      const part = schema[word];
      return part === undefined || (word === "additionalProperties" && typeof part === "boolean") ? [] : [part];
    },
  );
  const lists = [...unions, "prefixItems"].flatMap((word) =>
    Array.isArray(schema[word]) ? (schema[word] as Json[]) : [],
  );
  const maps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].flatMap((word) =>
    Object.values(schema[word] ?? {}),
  );
  return [...one, ...lists, ...maps];
}

function existsIn(root: JsonObject, reference: string): boolean {
  const [start, ...steps] = reference.split("/");
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], root);
  return start === "#" && found !== undefined;
}

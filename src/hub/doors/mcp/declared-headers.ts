import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";

/** An argument that a tool wants repeated as a header. */
export interface DeclaredHeader {
  /** What comes after `Mcp-Param-`. */
  readonly name: string;
  /** Where in the arguments the value is. */
  readonly path: readonly string[];
  readonly isNumber: boolean;
}

const declared = new WeakMap<JsonObject, readonly DeclaredHeader[]>();

/**
 * What an input schema says with `x-mcp-header`, read once per schema. One that breaks a rule makes all of it invalid
 * by MCP, and clients send no headers then: so none are declared.
 */
export function declaredHeaders(inputSchema: JsonObject): readonly DeclaredHeader[] {
  let headers = declared.get(inputSchema);
  if (!headers) declared.set(inputSchema, (headers = readHeaders(inputSchema)));
  return headers;
}

/** A schema inside another; `name` is the property whose schema it is, where only properties lead to it. */
interface Place {
  readonly schema: Json;
  readonly parent?: Place;
  readonly name?: string;
}

const keyword = "x-mcp-header";

/** Without recursion: schemas come from pages, and may be as deep as they are long. */
function readHeaders(inputSchema: JsonObject): readonly DeclaredHeader[] {
  const found = new Map<string, DeclaredHeader>();
  const places: Place[] = [{ schema: inputSchema }];
  for (const place of places) {
    const { schema } = place;
    if (!isJsonObject(schema)) continue;
    if (Object.hasOwn(schema, keyword)) {
      const header = readHeader(place, schema);
      if (!header || found.has(header.name.toLowerCase())) return [];
      found.set(header.name.toLowerCase(), header);
    }
    for (const inner of placesIn(place, schema)) places.push(inner);
  }
  return [...found.values()];
}

/** A number is not among the types that MCP allows, but clients send it, so it is checked. */
const allowedTypes: readonly unknown[] = ["string", "integer", "boolean", "number"];
/** A token by RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function readHeader(place: Place, { type, [keyword]: name }: JsonObject): DeclaredHeader | undefined {
  if (place.name === undefined || typeof name !== "string" || !token.test(name) || !allowedTypes.includes(type))
    return undefined;
  return { name, path: pathTo(place), isNumber: type === "integer" || type === "number" };
}

function pathTo(place: Place): readonly string[] {
  const names: string[] = [];
  for (let at: Place | undefined = place; at?.name !== undefined; at = at.parent) names.push(at.name);
  return names.reverse();
}

/** Keywords with one schema or a list of them, and keywords with schemas by name. What `$ref` points to is not followed. */
const schemaKeywords = new Set([
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
]);
const namedSchemaKeywords = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"]);

function* placesIn(place: Place, schema: JsonObject): Generator<Place> {
  const isReachable = place.name !== undefined || place.parent === undefined;
  for (const [word, value] of Object.entries(schema)) {
    if (word === "properties" && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value))
        yield isReachable ? { schema: inner, parent: place, name } : { schema: inner, parent: place };
    } else if (schemaKeywords.has(word)) {
      for (const inner of [value].flat()) yield { schema: inner, parent: place };
    } else if (namedSchemaKeywords.has(word) && isJsonObject(value)) {
      for (const inner of Object.values(value)) yield { schema: inner, parent: place };
    }
  }
}

// Schemas that all hold, or of which one holds, as one schema that refuses nothing which they allow.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";

/** Keywords that mean something only together. */
const units: readonly (readonly string[])[] = [
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
  ["oneOf"],
  ["anyOf"],
];

/** Both hold: where both have a keyword, the first one's counts, and `onLost` gets the other. */
export function mergeBoth(
  first: JsonObject,
  second: JsonObject,
  onLost: (keyword: string, value: Json) => void,
): JsonObject {
  const merged = new Map(Object.entries(first));
  for (const [keyword, value] of Object.entries(second)) {
    const own = first[keyword];
    const unit = units.find((each) => each.includes(keyword)) ?? [keyword];
    if (keyword === "properties" && isJsonObject(own) && isJsonObject(value)) {
      merged.set(keyword, { ...value, ...own });
      for (const [name, schema] of Object.entries(value))
        if (name in own && !isSame(own[name], schema)) onLost(keyword, { [name]: schema });
    } else if (keyword === "required" && Array.isArray(own) && Array.isArray(value)) {
      merged.set(keyword, [...new Set<Json>([...own, ...value])]);
    } else if (!unit.some((word) => word in first)) {
      merged.set(keyword, value);
    } else if (!isSame(own, value) && keyword !== "description" && keyword !== "title") onLost(keyword, value);
  }
  return Object.fromEntries(merged);
}

/** One of them holds: an object with the arguments of all. */
export function mergeAlternatives(alternatives: readonly JsonObject[]): JsonObject {
  const properties = [...schemasByName(alternatives)].map(([name, schemas]): [string, Json] => [name, anyOf(schemas)]);
  const needed = alternatives.map((each) => new Set(requiredOf(each)));
  const required = [...(needed[0] ?? [])].filter((name) => needed.every((each) => each.has(name)));
  const isClosed = alternatives.every((each) => each["additionalProperties"] === false && !each["patternProperties"]);
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

function schemasByName(alternatives: readonly JsonObject[]): ReadonlyMap<string, ReadonlySet<Json>> {
  const found = new Map<string, Set<Json>>();
  for (const each of alternatives) {
    for (const [name, schema] of Object.entries(propertiesOf(each))) {
      const schemas = found.get(name) ?? new Set();
      found.set(name, schemas.add(schema));
    }
  }
  return found;
}

/** Alternatives in the words of a description, up to a length: their arguments, with what only one of them says of them. */
export function describeAlternatives(alternatives: readonly JsonObject[], mostWords: number): string {
  const byName = schemasByName(alternatives);
  const alike = new Map<string, boolean>();
  const isAlike = (name: string) => {
    const [first, ...others] = byName.get(name) ?? [];
    const known = alike.get(name) ?? others.every((other) => isSame(first, other));
    alike.set(name, known);
    return known;
  };
  let words = "";
  for (const each of alternatives) {
    if (words.length > mostWords) break;
    words += `${words && " or "}${describeAlternative(each, { isAlike, mostWords })}`;
  }
  return words;
}

interface Describing {
  /** Whether all alternatives that have this argument say the same of it. */
  isAlike(name: string): boolean;
  readonly mostWords: number;
}

function describeAlternative(alternative: JsonObject, { isAlike, mostWords }: Describing): string {
  const {
    type: _,
    title,
    description,
    properties: _own,
    required: _needed,
    additionalProperties: _closed,
    ...rest
  } = alternative;
  const needed = new Set(requiredOf(alternative));
  let shown = "";
  for (const name of new Set([...Object.keys(propertiesOf(alternative)), ...needed])) {
    if (shown.length > mostWords) break;
    const own = propertyOf(alternative, name);
    const isKnown = own === undefined || isAlike(name);
    const called = `${shown && ", "}${name}${needed.has(name) ? "" : "?"}`;
    shown += isKnown && !isConstant(own) ? called : `${called}: ${valuesIn(own)}`;
  }
  const more = Object.keys(rest).length > 0 ? ` with ${jsonOf(rest)}` : "";
  const [called = ""] = [title, description].filter((text) => typeof text === "string");
  return `${called === "" ? "" : `${called}: `}{${shown}}${more}`;
}

function valuesIn(schema: Json | undefined): string {
  const { const: only, enum: values } = isJsonObject(schema) ? schema : {};
  if (only !== undefined) return jsonOf(only);
  return Array.isArray(values) ? values.map(jsonOf).join("|") : jsonOf(schema);
}

function isConstant(schema: Json | undefined): boolean {
  return isJsonObject(schema) && ("const" in schema || "enum" in schema);
}

/** A schema that takes what any of these takes. */
function anyOf(schemas: ReadonlySet<Json>): Json {
  const distinct = schemas.size < 2 ? [...schemas] : distinctOf(schemas);
  const [first = {}] = distinct;
  if (distinct.length < 2) return first;
  const constants = distinct.map(constantsOf);
  const values = new Set(constants.flatMap((each) => each ?? []));
  return constants.includes(undefined) ? { anyOf: distinct } : { enum: [...values] };
}

function distinctOf(schemas: ReadonlySet<Json>): readonly Json[] {
  return [...new Map([...schemas].map((schema) => [jsonOf(schema), schema])).values()];
}

/** The values of a schema that says nothing else; undefined for others. */
function constantsOf(schema: Json): readonly Json[] | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { type: _, title: _title, description: _description, const: only, enum: values, ...rest } = schema;
  if (Object.keys(rest).length > 0) return undefined;
  const found = only === undefined ? values : [only];
  return Array.isArray(found) && found.every((value) => typeof value !== "object")
    ? (found as readonly Json[])
    : undefined;
}

export function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function propertyOf(schema: JsonObject, name: string): Json | undefined {
  const properties = propertiesOf(schema);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export function requiredOf({ required }: JsonObject = {}): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** As JSON; a mark for what is too deep for that. */
export function jsonOf(value: Json | undefined): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "…";
  }
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || jsonOf(one) === jsonOf(other);
}

// Keywords that are written otherwise for a vendor, or for the newest draft.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { noteChange } from "./fitting.ts";
import type { Fitting, Lost, Part } from "./fitting.ts";
import { jsonOf } from "./merge-schemas.ts";
import { isPythonPattern, newer, types } from "./schema-rules.ts";
import type { Shape } from "./schema-rules.ts";

const limits = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** The keywords of older drafts in those of 2020-12. */
export function modern(schema: JsonObject, { place }: Part, fitting: Fitting): JsonObject {
  const { items, additionalItems } = schema;
  if (!fitting.isOld && additionalItems === undefined && !Array.isArray(items)) return schema;
  const made = new Map(Object.entries(schema));
  if (fitting.isOld) for (const keyword of newer) made.delete(keyword);
  made.delete("additionalItems");
  if (Array.isArray(items)) {
    noteChange(fitting, { what: "a list of items", place, became: "prefixItems" });
    made.delete("items");
    made.set("prefixItems", items);
    if (additionalItems !== undefined) made.set("items", additionalItems);
  }
  if (fitting.isOld)
    for (const [keyword, limit] of limits) {
      if (schema[keyword] !== true || typeof schema[limit] !== "number") continue;
      noteChange(fitting, { what: keyword, place, became: "a number" });
      made.set(keyword, schema[limit]);
      made.delete(limit);
    }
  return Object.fromEntries(made);
}

/** The keywords that the vendor has other ones for. */
export function inTheirWords(
  schema: JsonObject,
  { place, lost }: Pick<Part, "place"> & { readonly lost: Lost },
  fitting: Fitting,
): JsonObject {
  const { rule } = fitting;
  if (!rule.keywords && !isSpecial(schema)) return schema;
  const made = new Map(Object.entries(schema));
  const change = (keyword: string, became: string, isLost = false) => {
    noteChange(fitting, { what: keyword, place, became: became });
    if (isLost) lost.push([keyword, made.get(keyword) ?? null]);
    made.delete(keyword);
  };
  const { type, pattern, format, const: only } = schema;
  const named = [type].flat().filter((each) => types.includes(each)) as readonly string[];
  if (type !== undefined && named.length !== [type].flat().length) change("type", "left out");
  for (const keyword of ["$dynamicRef", "$recursiveRef"]) if (keyword in schema) change(keyword, "words", true);
  if (rule.isPython && typeof pattern === "string" && !isPythonPattern(pattern)) change("pattern", "words", true);
  if (!rule.keywords) return Object.fromEntries(made);
  if (rule.formats && typeof format === "string" && !rule.formats.has(format)) change("format", "words", true);
  if (only !== undefined) {
    change("const", "enum");
    if (!made.has("enum") || isListed(made.get("enum"), only)) made.set("enum", [only]);
  }
  for (const [keyword, wider] of limits) {
    if (typeof schema[keyword] !== "number") continue;
    change(keyword, `${wider}, and words`, true);
    if (!made.has(wider)) made.set(wider, schema[keyword]);
  }
  if (made.has("oneOf") && !made.has("anyOf")) {
    made.set("anyOf", made.get("oneOf") ?? []);
    change("oneOf", "anyOf");
  }
  const several = named.filter((each) => each !== "null");
  if (several.length > 1 && !made.has("anyOf")) {
    change("type", "anyOf");
    made.set(
      "anyOf",
      named.map((each) => ({ type: each })),
    );
  } else if (several.length > 1) change("type", "words", true);
  fitEnum(made, fitting, change);
  return Object.fromEntries(made);
}

/** Whether it may have something that no vendor takes as it is. */
function isSpecial({ type, pattern, $dynamicRef, $recursiveRef }: JsonObject): boolean {
  const isKnown = type === undefined || types.includes(type);
  return !isKnown || pattern !== undefined || $dynamicRef !== undefined || $recursiveRef !== undefined;
}

/** Gemini has lists of strings and lists of numbers, and wants to know of which. */
function fitEnum(
  made: Map<string, Json>,
  fitting: Fitting,
  change: (keyword: string, became: string, isLost: boolean) => void,
): void {
  const values = made.get("enum");
  if (!Array.isArray(values)) return;
  const kinds = [...new Set(values.map((value) => typeof value))];
  const [kind] = kinds;
  if (kinds.length !== 1 || (kind !== "string" && kind !== "number")) return change("enum", "words", true);
  if (made.has("type") || made.has("anyOf")) return;
  fitting.isOther = true;
  made.set("type", kind === "number" && values.every(Number.isInteger) ? "integer" : kind);
}

function isListed(values: Json | undefined, value: Json): boolean {
  return !Array.isArray(values) || values.some((each) => jsonOf(each) === jsonOf(value));
}

export function hasShape(value: Json, shape: Shape): boolean {
  const isList = Array.isArray(value);
  switch (shape) {
    case "schema":
      return isSchema(value);
    case "schemas":
      return isList && value.length > 0 && value.every(isSchema);
    case "map":
      return isJsonObject(value) && Object.values(value).every(isSchema);
    case "number":
      return Number.isFinite(value);
    case "count":
      return Number.isInteger(value) && Number(value) >= 0;
    case "flag":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string";
    case "texts":
      return isList && value.every((each) => typeof each === "string");
    case "values":
      return isList && value.length > 0;
    case "any":
      return true;
  }
}

function isSchema(value: unknown): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}

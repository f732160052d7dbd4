// A schema in the parts of JSON Schema that a vendor takes. It allows all that the schema allows, and perhaps more: words say the rest.
import { isJsonObject } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { most, noteChange, withWords } from "./fitting.ts";
import type { Fitting, Part } from "./fitting.ts";
import { hasShape, inTheirWords, modern } from "./keywords.ts";
import { resolve } from "./resolve.ts";
import type { Plain } from "./resolve.ts";
import { shapes, silent } from "./schema-rules.ts";

export function fitPart(given: Json, part: Part, fitting: Fitting): JsonObject {
  const { rule, left } = fitting;
  const { place, depth } = part;
  if (given === false && !rule.keywords) return { not: {} };
  if (given === false) {
    noteChange(fitting, { what: "false", place, became: "words" });
    return { description: "Never given." };
  }
  if (!isJsonObject(given)) {
    fitting.isOther = true;
    return {};
  }
  if (--left.parts < 0 || depth > most.depth) {
    noteChange(fitting, { what: "what is deeper or more than the limits", place, became: "words" });
    return { description: "More than can be described here." };
  }
  const { schema, lost } = fitKeywords(resolve(given, part, fitting), part, fitting);
  return withWords(schema, lost, fitting);
}

function fitKeywords({ schema: given, open, lost }: Plain, part: Part, fitting: Fitting): Omit<Plain, "open"> {
  const { place, depth } = part;
  const { rule } = fitting;
  const before = fitting.changed;
  const isForeign = part.isForeign || (depth > 0 && typeof given["$id"] === "string");
  const schema = inTheirWords(modern(given, part, fitting), { place, lost }, fitting);
  const fitted = new Map<string, Json>();
  const lose = (keyword: string) => {
    noteChange(fitting, { what: keyword, place, became: "words" });
    lost.push([keyword, given[keyword] ?? schema[keyword] ?? null]);
  };
  const inner = (value: Json, step: string) =>
    fitPart(value, { place: `${place}${step}`, open, depth: depth + 1, ...(isForeign && { isForeign }) }, fitting);
  for (const [keyword, value] of Object.entries(schema)) {
    if (silent.has(keyword) && (place !== "" || rule.keywords || !isMap(keyword))) {
      if (rule.keywords) fitting.isOther = true;
      continue;
    }
    const shape = shapes.get(keyword) ?? "any";
    if (keyword !== "type" && !hasShape(value, shape))
      noteChange(fitting, { what: keyword, place, became: "left out" });
    else if (rule.keywords && !rule.keywords.has(keyword)) lose(keyword);
    else if (isNarrow(keyword)) {
      const count = fitting.changed;
      const one = shape === "schemas" ? (value as readonly Json[]).map((each) => inner(each, "")) : inner(value, "");
      if (fitting.changed === count && !fitting.isCautious) fitted.set(keyword, one);
      else if (keyword === "oneOf" && !("anyOf" in schema)) fitted.set("anyOf", one);
      else lose(keyword);
    } else fitted.set(keyword, fitValue(keyword, value, inner));
  }
  for (const [whole, ...parts] of dependent) {
    if (!whole || fitted.has(whole) || !(whole in schema)) continue;
    for (const part of parts) if (fitted.delete(part)) lost.push([part, schema[part] ?? null]);
  }
  if (fitting.changed > before)
    for (const keyword of ["unevaluatedProperties", "unevaluatedItems"]) if (fitted.delete(keyword)) lose(keyword);
  if (rule.isPython && [fitted.get("type")].flat().includes("array") && !fitted.has("items")) {
    noteChange(fitting, { what: "an array without items", place, became: "items of any kind" });
    fitted.set("items", {});
  }
  return { schema: Object.fromEntries(fitted), lost };
}

function isMap(keyword: string): boolean {
  return shapes.get(keyword) === "map";
}

/** A wider schema in one of these would allow less. */
function isNarrow(keyword: string): boolean {
  return ["not", "if", "oneOf", "contains"].includes(keyword);
}

/** Without the first of these keywords, the others would mean more than they did. */
const dependent: readonly (readonly string[])[] = [
  ["patternProperties", "additionalProperties", "unevaluatedProperties"],
  ["prefixItems", "items", "unevaluatedItems"],
  ["if", "then", "else"],
  ["contains", "minContains", "maxContains"],
];

function fitValue(keyword: string, value: Json, inner: (value: Json, step: string) => JsonObject): Json {
  const shape = shapes.get(keyword);
  // Vendors that have no false schemas have this one.
  if (keyword === "additionalProperties" && typeof value === "boolean") return value;
  const below = keyword === "properties" ? "" : `/${keyword}`;
  if (shape === "schema") return inner(value, `/${keyword}`);
  if (shape === "schemas") return (value as readonly Json[]).map((each, index) => inner(each, `/${keyword}/${index}`));
  if (shape !== "map") return value;
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([name, each]) => [name, inner(each, `${below}/${name}`)]));
}

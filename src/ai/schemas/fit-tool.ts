// A tool as a vendor's models take it: an object of arguments without unions around them, in the parts of JSON Schema that the
// vendor knows. What that cannot say is in the tool's description; the tool's own schema stays the judge of a call.
import { isJsonObject, plainText } from "../../wire/index.ts";
import type { Json, JsonObject } from "../../wire/index.ts";
import { fitPart } from "./fit-part.ts";
import { beginFitting, countMerge, noteChange, top, wordsFor } from "./fitting.ts";
import type { Fitting, Lost } from "./fitting.ts";
import { resolve } from "./resolve.ts";
import { isFine } from "./is-fine.ts";
import { describeAlternatives, mergeAlternatives, mergeBoth, propertiesOf, requiredOf } from "./merge-schemas.ts";
import { schemaRules } from "./schema-rules.ts";
import type { SchemaRule, SchemaRuleName } from "./schema-rules.ts";

export interface FittedTool {
  readonly schema: JsonObject;
  /** Behind the tool's own description; empty where there is nothing to add. */
  readonly words: string;
  /** The changes, each with its result, for the tool's developer; empty where the schema is as it was. */
  readonly changes: readonly string[];
  /** The work that it was, in parts of schemas. */
  readonly cost: number;
}

const mostAlternatives = 64;
const mostWords = 1500;

/** Fits a tool's schema to a vendor; cut where that needs all of a limit. Never throws. */
export function fitTool(schema: JsonObject, vendor: SchemaRuleName, mostWork = Infinity): FittedTool {
  const rule: SchemaRule = schemaRules[vendor];
  if (rule.takes?.(schema) || isFine(schema, rule)) return { schema, words: "", changes: [], cost: 0 };
  const fitting = beginFitting(schema, rule, { mostWork });
  const made = fitRoot(fitting);
  const cost = costOf(fitting);
  if (fitting.changed === 0) return { schema: fitting.isOther ? made.schema : schema, words: "", changes: [], cost };
  if (!fitting.keepsReferences) return { ...made, changes: [...fitting.changes], cost };
  const again = beginFitting(schema, rule, { mostWork, isCautious: true });
  return { ...fitRoot(again), changes: [...again.changes], cost: cost + costOf(again) };
}

/** A text beyond the limit is not work. */
function costOf({ left, limits }: Fitting): number {
  return limits.parts - Math.max(0, left.parts) + limits.merges - Math.max(0, left.merges);
}

/** For when there is no time to fit it: any arguments, where the vendor does not take the schema as it is. */
export function openTool(schema: JsonObject, vendor: SchemaRuleName): Pick<FittedTool, "schema" | "words"> {
  if (isFine(schema, schemaRules[vendor])) return { schema, words: "" };
  return { schema: { type: "object", properties: {} }, words: "list_tab_tools says which arguments it takes." };
}

function fitRoot(fitting: Fitting): Pick<FittedTool, "schema" | "words"> {
  const { root } = fitting;
  const said: string[] = [];
  const plain = resolve(root, top, fitting);
  const lost = [...plain.lost];
  const onLost = (keyword: string, value: Json) => lost.push([keyword, value]);
  let merged = plain.schema;
  for (const keyword of ["oneOf", "anyOf"]) {
    const { [keyword]: union, ...rest } = merged;
    if (!Array.isArray(union)) continue;
    noteChange(fitting, { what: keyword, place: "", became: "one object with the arguments of all, and words" });
    const alternatives = alternativesOf(union, fitting, plain.open);
    merged = alternatives.length > 0 ? mergeBoth(rest, mergeAlternatives(alternatives), onLost) : rest;
    const words = describeAlternatives(alternatives, mostWords);
    said.push(
      `Give ${keyword === "oneOf" ? "exactly one" : "at least one"} of ${plainText(words)}.`.slice(0, mostWords),
    );
  }
  for (const keyword of ["not", "enum", "const"]) {
    const { [keyword]: value, ...rest } = merged;
    if (value === undefined) continue;
    noteChange(fitting, { what: keyword, place: "", became: "words" });
    onLost(keyword, value);
    merged = rest;
  }
  if (merged["type"] !== "object") noteChange(fitting, { what: "type", place: "", became: "object" });
  merged = withNames(merged, fitting, onLost);
  if (fitting.changed > 0) merged = withoutUnevaluated(merged, onLost);
  const { description, ...schema } = fitPart(
    { ...merged, type: "object" },
    { ...top, open: plain.open, isTop: false },
    fitting,
  );
  if (fitting.changed === 0 && description !== undefined) return { schema: { ...schema, description }, words: "" };
  const words = [...said, typeof description === "string" ? description : "", wordsFor(lost, fitting)];
  return { schema: { properties: {}, ...schema }, words: words.filter(Boolean).join(" ") };
}

/** The alternatives of a union that can be objects, with those of unions within it. */
function alternativesOf(union: readonly Json[], fitting: Fitting, open: readonly string[]): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const waiting = union.map((schema) => ({ schema, open }));
  let isCut = false;
  for (let next = waiting.shift(); next && found.length < mostAlternatives; next = waiting.shift()) {
    if (!countMerge(fitting, true)) break;
    if (!isJsonObject(next.schema)) {
      if (next.schema === true) found.push({});
      continue;
    }
    const { schema, open: opened } = resolve(next.schema, { ...top, open: next.open }, fitting);
    const { oneOf, anyOf, ...rest } = schema;
    const inner = [oneOf, anyOf].find(Array.isArray) as readonly Json[] | undefined;
    if (inner && !(oneOf && anyOf)) {
      const others = inner.slice(0, mostAlternatives).map((each) => ({
        schema: isJsonObject(each) ? { allOf: [rest, each] } : each,
        open: opened,
      }));
      isCut ||= inner.length > others.length;
      waiting.unshift(...others);
    } else if ([schema["type"] ?? "object"].flat().includes("object") && countMerge(fitting, schema))
      found.push(schema);
  }
  // Some were left out, so that nothing is known of all.
  return isCut || waiting.length > 0 || fitting.left.merges < 0 ? [...found, {}] : found;
}

function withoutUnevaluated(schema: JsonObject, onLost: (...lost: Lost[number]) => void): JsonObject {
  const { unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties !== undefined) onLost("unevaluatedProperties", unevaluatedProperties);
  return rest;
}

/** Leaves out arguments whose names the vendor refuses: the model may still give them. */
function withNames(schema: JsonObject, fitting: Fitting, onLost: (...lost: Lost[number]) => void): JsonObject {
  const { names } = fitting.rule;
  if (!names) return schema;
  const all = Object.entries(propertiesOf(schema));
  const refused = all.filter(([name]) => !names.test(name));
  if (refused.length === 0) return schema;
  noteChange(fitting, {
    what: `the name ${refused.map(([name]) => JSON.stringify(name)).join(", ")}`.slice(0, 200),
    place: "",
    became: "words",
  });
  onLost("properties", Object.fromEntries(refused));
  const { additionalProperties, required: _, ...rest } = schema;
  const needed = requiredOf(schema);
  const left = needed.filter((name) => names.test(name));
  if (left.length < needed.length) onLost("required", needed);
  return {
    ...rest,
    properties: Object.fromEntries(all.filter(([name]) => names.test(name))),
    ...(left.length > 0 && { required: left }),
    ...(additionalProperties !== undefined &&
      typeof additionalProperties !== "boolean" && { additionalProperties: {} }),
  };
}

// JSON Schema by @cfworker/json-schema: no eval, so it runs under a strict content security policy, and no network,
// so a remote $ref is an error. This module is loaded on demand; nothing may import it statically.
import { Validator } from "@cfworker/json-schema";
import type { OutputUnit } from "@cfworker/json-schema";
import type { JsonObject } from "../wire/index.ts";
import type { Problem, ValidateJson } from "./validate-json.ts";

const validators = new WeakMap<JsonObject, Validator>();

/** Validates by draft 2020-12, or by the older draft that a schema's `$schema` names. */
export const jsonSchemaValidator: ValidateJson = (schema, value) => {
  let validator = validators.get(schema);
  if (!validator) {
    // A copy, because the library writes into the schema that it is given.
    validator = new Validator(structuredClone(schema), draftOf(schema["$schema"]), false);
    validators.set(schema, validator);
  }
  return problemsIn(validator, value);
};

function draftOf(dialect: unknown): "4" | "7" | "2019-09" | "2020-12" {
  const uri = String(dialect);
  if (uri.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(uri)) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

function problemsIn(validator: Validator, value: unknown): readonly Problem[] {
  try {
    const problems = new Map<string, Problem>();
    for (const error of validator.validate(value).errors) {
      const problem = problemOf(error);
      if (problem) problems.set(`${problem.path} ${problem.message}`, problem);
    }
    return [...problems.values()];
  } catch (error) {
    // The library goes on with the page's address and all it knows; the first sentence says what is wrong.
    throw new TypeError(String((error as Error).message).split(/ {2}|\n/)[0], { cause: error });
  }
}

/** Keywords whose error only says that errors about a part follow. */
const summaries = new Set([
  "$ref",
  "$recursiveRef",
  "allOf",
  "if",
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "dependentSchemas",
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
]);

/** How each keyword reads after a path; the library's own words serve for the others. */
const phrases: Readonly<Record<string, (error: string) => string>> = {
  false: () => "is not allowed",
  type: (error) => `must be ${after(error, "Expected ").replaceAll('", "', " or ").replaceAll('"', "")}`,
  required: () => "is required",
  const: (error) => `must be ${after(error, "match ")}`,
  enum: (error) => `must be one of ${after(error, "any of ")}`,
  not: () => "must not match the schema under not",
  anyOf: () => "must match one of the schemas under anyOf",
  oneOf: (error) => `must match exactly one of the schemas under oneOf, not ${/\d+/.exec(error)?.[0]}`,
  minimum: (error) => `must be at least ${after(error, "than ")}`,
  maximum: (error) => `must be at most ${after(error, "than ")}`,
  exclusiveMinimum: (error) => `must be greater than ${after(error, "than ")}`,
  exclusiveMaximum: (error) => `must be less than ${after(error, "equal to ")}`,
  multipleOf: (error) => `must be a multiple of ${after(error, "multiple of ")}`,
  maxProperties: (error) => `must have at most ${/\d+/.exec(error)?.[0]} properties`,
};

function problemOf({ keyword, instanceLocation, error }: OutputUnit): Problem | undefined {
  if (summaries.has(keyword)) return undefined;
  // The missing property is what an agent must add, so the path leads to it.
  const missing = keyword === "required" ? /"(.*)"/s.exec(error)?.[1] : undefined;
  const pointer = decodeURIComponent(instanceLocation.slice(1));
  const path = missing === undefined ? pointer : `${pointer}/${missing.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const phrase = phrases[keyword] ?? ((text: string) => text.replace(/^(String|Array|Instance) |\.$/g, ""));
  return { path: path || "/", message: phrase(error) };
}

/** What follows the first occurrence of a mark in a sentence, without the full stop. */
function after(sentence: string, mark: string): string {
  return sentence.slice(sentence.indexOf(mark) + mark.length).replace(/\.$/, "");
}

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
    // A copy, because the library modifies its input.
    validator = new Validator(structuredClone(schema), draftOf(schema["$schema"]), false);
    validators.set(schema, validator);
  }
  try {
    const problems = new Map<string, Problem>();
    let before: OutputUnit | undefined;
    for (const error of validator.validate(value).errors) {
      const problem = problemOf(error, before);
      before = error;
      if (problem) problems.set(`${problem.path} ${problem.message}`, problem);
    }
    return [...problems.values()];
  } catch (error) {
    // The library's message ends with irrelevant details; the first sentence has the error.
    throw new TypeError(String((error as Error).message).split(/ {2}|\n/)[0], { cause: error });
  }
};

function draftOf(dialect: unknown): "4" | "7" | "2019-09" | "2020-12" {
  const uri = String(dialect);
  if (uri.includes("draft-04")) return "4";
  if (/draft-0[67]/.test(uri)) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** Keywords whose error only introduces the errors of a part. */
const summaries =
  /^(\$.*|allOf|if|dependentSchemas|(prefix|additional|unevaluated)?items|(pattern|additional|unevaluated)?properties)$/i;

/** Our messages for keywords whose own message is misleading or too short. */
const phrases: Readonly<Record<string, (error: string) => string>> = {
  false: () => "is not allowed",
  type: (error) => `must be ${after(error, "Expected ").replaceAll('", "', " or ").replaceAll('"', "")}`,
  required: () => "is required",
  exclusiveMinimum: (error) => `must be greater than ${after(error, "than ")}`,
  maxProperties: (error) => `must not have more than ${after(error, "least ")}`,
};

function problemOf(unit: OutputUnit, before: OutputUnit | undefined): Problem | undefined {
  const { keyword, instanceLocation, error } = unit;
  if (summaries.test(keyword)) return undefined;
  // The missing property is what an agent must add, so the path leads to it.
  const missing = keyword === "required" ? /"(.*)"/s.exec(error)?.[1] : undefined;
  const pointer = decodeURIComponent(instanceLocation.slice(1));
  const path = missing === undefined ? pointer : `${pointer}/${missing.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const phrase = phrases[keyword] ?? ((text: string) => text.replace(/^(String|Array|Instance) |\.$/g, ""));
  // For the schema `false`, use the keyword that contains it.
  const named = (keyword === "false" && before?.keyword) || keyword;
  return { path: path || "/", message: phrase(error), keyword: named };
}

/** The rest of a sentence after a mark, without the full stop. */
function after(sentence: string, mark: string): string {
  return sentence.slice(sentence.indexOf(mark) + mark.length).replace(/\.$/, "");
}

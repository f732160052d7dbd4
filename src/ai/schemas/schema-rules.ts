// The parts of JSON Schema that each vendor's models take in a tool's arguments: what is written here is what docs/decisions/0180
// says. One tool that a vendor refuses costs the whole request.

import { isGeminiSchema } from "../providers/gemini-schema.ts";

export interface SchemaRule {
  /** Whether it takes a schema as it is, by other rules than these. */
  readonly takes?: (schema: unknown) => boolean;
  /** All keywords that it takes; undefined where it takes those of JSON Schema. */
  readonly keywords?: ReadonlySet<string>;
  readonly formats?: ReadonlySet<string>;
  /** The names that arguments may have. */
  readonly names?: RegExp;
  /** Arrays must say what is in them, and patterns must be ones that Python's `re` reads. */
  readonly isPython?: true;
}

const openAi: SchemaRule = { isPython: true };
const anthropic: SchemaRule = { names: /^[a-zA-Z0-9_.-]{1,64}$/ };

/** What Gemini takes as `parametersJsonSchema`. It ignores some others, and a model must know of them. */
const googleJson: SchemaRule = {
  isPython: true,
  keywords: new Set(
    "type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required".split(
      " ",
    ),
  ),
  formats: new Set(["date-time", "date", "time"]),
};

/** For every vendor: for programs that let their user choose one. */
const any: SchemaRule = { ...openAi, ...anthropic };

export const schemaRules = {
  openai: openAi,
  "openai-responses": openAi,
  anthropic,
  google: { ...googleJson, takes: isGeminiSchema },
  "google-json": googleJson,
  any,
} as const;

export type SchemaRuleName = keyof typeof schemaRules;

/** The form of a keyword's value. A keyword with another value is left out. */
export type Shape = "schema" | "schemas" | "map" | "number" | "count" | "flag" | "text" | "texts" | "values" | "any";

const words: Readonly<Partial<Record<Shape, string>>> = {
  schema: "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties",
  schemas: "anyOf oneOf allOf prefixItems",
  map: "properties patternProperties dependentSchemas $defs definitions",
  number: "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
  count: "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
  flag: "uniqueItems",
  text: "$ref format pattern title description",
  texts: "required",
  values: "enum",
};

export const shapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries(words).flatMap(([shape, names]) => names.split(" ").map((name) => [name, shape as Shape] as const)),
);

/** About the schema itself, and not about values. */
export const silent: ReadonlySet<string> = new Set(
  "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $comment $vocabulary $defs definitions".split(" "),
);

export const types: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** Since draft 2019-09; older ones ignore them. */
export const newer: ReadonlySet<string> = new Set(
  "prefixItems dependentSchemas dependentRequired unevaluatedItems unevaluatedProperties minContains maxContains".split(
    " ",
  ),
);

/** Whether Python's `re`, as OpenAI uses it, reads a pattern. */
export function isPythonPattern(pattern: string): boolean {
  if (/\(\?[=!<]|\\[pPk]/.test(pattern)) return false;
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
}

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { PagewireError, messageOf, schemaProblem, typedSchema } from "../wire/index.ts";
import type { Json, JsonObject } from "../wire/index.ts";
import { deepestPart, toJson } from "./to-json.ts";
import type { ToolboxLimits } from "./toolbox.ts";

export interface Schema {
  /** The JSON Schema that agents see. */
  readonly json: JsonObject;
  readonly standard: Standard | undefined;
}

/** The schema of a handler's input or output. */
export interface SchemaPlace {
  readonly tool: string;
  readonly side: "input" | "output";
}

/** Parses a tool's schema; throws if it is invalid. */
export function readSchema(given: unknown, { tool, side }: SchemaPlace, limits: ToolboxLimits): Schema {
  const what = `The ${side}Schema of tool "${tool}"`;
  const code = "schema-invalid";
  const standard = standardIn(given);
  const text = toJson(standard ? jsonSchemaOf(standard, side, what) : given, {
    what,
    code,
    deepest: deepestPart(limits),
  });
  const parsed = JSON.parse(text) as Json;
  const json = side === "input" ? typedSchema(parsed) : parsed;
  const wrong = schemaProblem(`${side}Schema`, json, limits.schemaBytes);
  if (wrong) throw new PagewireError(wrong.code, `${what} ${wrong.problem}.`);
  return { json: json as JsonObject, standard };
}

/** Whether a schema accepts everything: then the validator need not be loaded. */
export function everyObjectMatches(json: JsonObject): boolean {
  for (const keyword in json) {
    if (/^(type|title|description|\$schema)$/.test(keyword)) continue;
    if (!/^(properties|required)$/.test(keyword) || JSON.stringify(json[keyword]).length !== 2) return false;
  }
  return true;
}

/** The properties of a Standard Schema, which can sometimes be converted to JSON Schema. */
export type Standard = StandardSchemaV1.Props & Partial<Pick<StandardJSONSchemaV1.Props, "jsonSchema">>;

/** The Standard Schema in a value, if it is one; some are objects and some are functions. */
function standardIn(given: unknown): Standard | undefined {
  return (Object(given) as { readonly "~standard"?: Standard })["~standard"];
}

/** The JSON Schema of a Standard Schema; throws if it has none. `what` is its name in the error. */
function jsonSchemaOf({ jsonSchema, vendor }: Standard, side: "input" | "output", what: string): unknown {
  try {
    if (jsonSchema) return jsonSchema[side]({ target: "draft-2020-12" });
    throw new TypeError(
      vendor === "valibot" ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema" : `update ${vendor}`,
    );
  } catch (error) {
    throw new PagewireError("schema-invalid", `${what} has no JSON Schema: ${messageOf(error)}.`, { cause: error });
  }
}

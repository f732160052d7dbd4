import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { checkSize } from "./check-size.ts";
import { jsonSchemaOf, standardIn } from "./standard-schema.ts";
import type { Standard } from "./standard-schema.ts";
import { toJson } from "./to-json.ts";
import { deepestPart } from "./toolbox-limits.ts";
import type { ToolboxLimits } from "./toolbox-limits.ts";

/** A schema that was read. */
export interface Schema {
  /** As agents see it. */
  readonly json: JsonObject;
  /** What compares values with it, where it brought that along. */
  readonly standard: Standard | undefined;
}

/** Which schema it is: of what a handler is given, or of what it answers. */
export interface SchemaPlace {
  readonly tool: string;
  readonly side: "input" | "output";
}

/** Reads a schema of a tool, or throws what is wrong with it. */
export function readSchema(given: unknown, { tool, side }: SchemaPlace, limits: ToolboxLimits): Schema {
  const what = `The ${side}Schema of tool "${tool}"`;
  const code = "schema-invalid";
  const standard = standardIn(given);
  const text = toJson(standard ? jsonSchemaOf(standard, side, what) : given, {
    what,
    code,
    deepest: deepestPart(limits),
  });
  checkSize(what, text, { limit: "schemaBytes", most: limits.schemaBytes, code: "schema-too-large" });
  const parsed: unknown = JSON.parse(text);
  // Arguments are always an object, so a schema that does not say so loses nothing by it.
  const json = side === "input" && isJsonObject(parsed) ? { type: "object", ...parsed } : parsed;
  if (isJsonObject(json) && (side === "output" || json["type"] === "object")) return { json, standard };
  throw new PagewireError(code, `${what} is not a JSON Schema of type object.`);
}

import { isJsonObject } from "../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../wire/index.ts";

const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);
const ownFormats = new Set(["enum", "int32", "int64", "float", "double"]);

/** Google's schemas as JSON Schema: types in capitals, `nullable`, counts as text. */
export function schemaOfGoogle(schema: JsonObject): JsonObject {
  const written: Record<string, Json> = {};
  for (const [given, value] of Object.entries(schema)) {
    const name = given.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (
      name === "nullable" ||
      name === "propertyOrdering" ||
      (name === "format" && typeof value === "string" && ownFormats.has(value))
    )
      continue;
    written[name] = counts.has(name) && typeof value === "string" ? Number(value) : partOf(name, value);
  }
  if (typeof written["type"] === "string") written["type"] = written["type"].toLowerCase();
  if (schema["nullable"] !== true) return written;
  if (typeof written["type"] === "string") written["type"] = [written["type"], "null"];
  if (Array.isArray(written["enum"])) written["enum"] = [...(written["enum"] as readonly Json[]), null];
  return written;
}

function partOf(name: string, value: Json): Json {
  if (name === "items" && isJsonObject(value)) return schemaOfGoogle(value);
  if (name === "anyOf" && Array.isArray(value))
    return (value as readonly Json[]).map((one) => (isJsonObject(one) ? schemaOfGoogle(one) : one));
  if (name !== "properties" || !isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, isJsonObject(one) ? schemaOfGoogle(one) : one]),
  );
}

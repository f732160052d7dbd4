import type { ValidateJson } from "./validate-json.ts";

/** Loads the validator of JSON Schemas, which is too large to come along before a tool needs it. */
export async function loadJsonSchemaValidator(): Promise<ValidateJson> {
  return (await import("./json-schema-validator.ts")).jsonSchemaValidator;
}

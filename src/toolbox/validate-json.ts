import type { JsonObject } from "../wire/index.ts";

/** One mismatch between a value and its schema, as in `/days must be number`. */
export interface Problem {
  /** A JSON pointer; `/` is the value itself. */
  readonly path: string;
  readonly message: string;
  /** The failed keyword, such as `required`. */
  readonly keyword: string;
}

/** Validates a JSON value against a JSON Schema: returns the errors. Throws if the schema itself is invalid. */
export type ValidateJson = (schema: JsonObject, value: unknown) => readonly Problem[];

/** Loads the validator on first use. A failure goes to the caller, and the next call tries again. */
export type LoadValidator = () => Promise<ValidateJson>;

/** Loads the JSON Schema validator, which is too large to load before a tool needs it. */
export async function loadJsonSchemaValidator(): Promise<ValidateJson> {
  return (await import("./json-schema-validator.ts")).jsonSchemaValidator;
}

import type { JsonObject } from "../wire/index.ts";

/** One way in which a value does not match its schema, as in `/days must be number`. */
export interface Problem {
  /** A JSON pointer; `/` is the value itself. */
  readonly path: string;
  readonly message: string;
  /** The schema's keyword that says so, such as `required`. */
  readonly keyword: string;
}

/** Compares a JSON value with a JSON Schema: what is wrong, or nothing. Throws where the schema itself cannot be used. */
export type ValidateJson = (schema: JsonObject, value: unknown) => readonly Problem[];

/** Gets the validator when a tool first needs it. A rejection is told to the caller, and the next call tries again. */
export type LoadValidator = () => Promise<ValidateJson>;

/** Loads the validator of JSON Schemas, which is too large to come along before a tool needs it. */
export async function loadJsonSchemaValidator(): Promise<ValidateJson> {
  return (await import("./json-schema-validator.ts")).jsonSchemaValidator;
}

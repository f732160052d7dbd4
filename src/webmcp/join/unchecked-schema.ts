import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";

/**
 * A JSON Schema that agents are shown, and that takes every input. Whoever wrote it may have made one that takes for ever
 * to compare with.
 */
export function uncheckedSchema(schema: object): StandardJSONSchemaV1<object> & StandardSchemaV1<object> {
  const json = () => schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "pagewire",
      validate: (value) => ({ value: value as object }),
      jsonSchema: { input: json, output: json },
    },
  };
}

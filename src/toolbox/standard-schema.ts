import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { PagewireError, messageOf } from "../wire/index.ts";

/** The properties of a Standard Schema, some of which can say their JSON Schema. */
export type Standard = StandardSchemaV1.Props & Partial<Pick<StandardJSONSchemaV1.Props, "jsonSchema">>;

/** The Standard Schema in a value, if it is one; some are objects and some are functions. */
export function standardIn(given: unknown): Standard | undefined {
  return (Object(given) as { readonly "~standard"?: Standard })["~standard"];
}

/** The JSON Schema of a Standard Schema; throws where it has none, and then `what` names it. */
export function jsonSchemaOf({ jsonSchema, vendor }: Standard, side: "input" | "output", what: string): unknown {
  try {
    if (jsonSchema) return jsonSchema[side]({ target: "draft-2020-12" });
    throw new TypeError(
      vendor === "valibot" ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema" : `update ${vendor}`,
    );
  } catch (error) {
    throw new PagewireError("schema-invalid", `${what} has no JSON Schema: ${messageOf(error)}.`, { cause: error });
  }
}

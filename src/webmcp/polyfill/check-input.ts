import { messageOf } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { failure } from "./failure.ts";
import { getParts } from "./parts.ts";

/**
 * Compares the input of a tool with its schema, and throws the DataError of the draft. A schema that cannot be used
 * refuses nothing: browsers take it, too.
 */
export function checkInput(tool: string, json: string): (input: object) => Promise<void> {
  const schema = JSON.parse(json) as JsonObject;
  return async (input) => {
    const [problem] = await problems(schema, input).catch((error: unknown) => {
      console.warn(`Pagewire: the input of the tool "${tool}" is not checked: ${messageOf(error)}`);
      return [];
    });
    if (!problem) return;
    const { path, keyword } = problem;
    throw failure("DataError", JSON.stringify({ path, reason: keyword, schemaPath: `/${keyword}` }));
  };
}

async function problems(schema: JsonObject, input: object) {
  const validate = await getParts().validator();
  return validate(schema, input);
}

// Validates handlers' inputs and answers. A toolbox loads this when the first schema has something to check.
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { PagewireError, messageOf } from "../wire/index.ts";
import { everyObjectMatches } from "./schema.ts";
import type { Schema, SchemaPlace } from "./schema.ts";
import type { LoadValidator, Problem } from "./validate-json.ts";

export interface AcceptOptions extends SchemaPlace {
  readonly loadValidator: LoadValidator;
}

const problemsShown = 10;

/** Returns the value to use, which a Standard Schema may have changed, or throws why the schema refuses it. */
export async function acceptValue(schema: Schema, value: unknown, options: AcceptOptions): Promise<unknown> {
  const { json, standard } = schema;
  const { tool, side } = options;
  if (standard) {
    const result = await standard.validate(value);
    if (!result.issues) return result.value;
    throw mismatch(options, result.issues.map(issueText));
  }
  if (side === "input" && everyObjectMatches(json)) return value;
  const validate = await options.loadValidator();
  let problems: readonly Problem[];
  try {
    problems = validate(json, value);
  } catch (error) {
    const message = `The ${side}Schema of tool "${tool}" cannot be used: ${messageOf(error)}`;
    throw new PagewireError("schema-invalid", message, { cause: error });
  }
  if (problems.length === 0) return value;
  throw mismatch(
    options,
    problems.map(({ path, message }) => `${path} ${message}`),
  );
}

function issueText({ path = [], message }: StandardSchemaV1.Issue): string {
  return `/${path.map((step) => String(typeof step === "object" ? step.key : step)).join("/")}: ${message}`;
}

function mismatch({ tool, side }: SchemaPlace, problems: readonly string[]): PagewireError {
  const more = problems.length - problemsShown;
  const list = `${problems.slice(0, problemsShown).join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
  return side === "input"
    ? new PagewireError("input-invalid", `Tool "${tool}" refused its input: ${list}`)
    : new PagewireError("output-invalid", `The answer of tool "${tool}" does not match its outputSchema: ${list}`);
}

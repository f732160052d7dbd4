import type { Json, JsonObject } from "../../../../wire/index.ts";
import type { RehearsalTool } from "./request.ts";
import { typesOf, valuesOf } from "./schema/resolve-schema.ts";
import type { FilledArguments } from "./fill/fill-arguments.ts";
import type { Slot } from "./fill/slot.ts";

/** Asks for what a tool needs and the sentence does not say. */
export function writeQuestion(tool: RehearsalTool, missing: readonly Slot[]): string {
  if (missing.length === 0) return `I cannot call \`${tool.name}\`: I found no arguments that satisfy its schema.`;
  return `To use \`${tool.name}\` I need ${missing.map(nameSlot).join(", and ")}.`;
}

/** Says which values were taken although the sentence does not say them. */
export function writeChosen({ name }: RehearsalTool, filled: FilledArguments): string {
  if (filled.chosen.length === 0) return "";
  const names = filled.chosen.map(({ path }) => `\`${path.join(".")}\``).join(", ");
  const values = filled.chosen.map(({ path }) => JSON.stringify(valueAt(filled.arguments, path))).join(", ");
  return `You did not say ${names} for \`${name}\`, so I take what its schema allows first: ${values}.`;
}

function valueAt(value: Json | undefined, [step, ...path]: Slot["path"]): Json | undefined {
  if (step === undefined) return value;
  return valueAt((value as Readonly<Record<string | number, Json>> | undefined)?.[step], path);
}

function nameSlot({ path, schema, description }: Slot): string {
  const about = [kindOf(schema), description.replace(/\.$/, "")].filter(Boolean).join("; ");
  return `\`${path.join(".")}\`${about === "" ? "" : ` (${about})`}`;
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function kindOf(schema: JsonObject): string {
  const values = valuesOf(schema);
  if (values)
    return `one of ${values
      .slice(0, 12)
      .map((value) => (value === null ? "nothing" : asText(value)))
      .join(", ")}`;
  const types = typesOf(schema);
  if (types.length > 2) return "";
  const { minimum, maximum, format } = schema;
  const words: Readonly<Record<string, string>> = {
    integer: "a whole number",
    string: "text",
    boolean: "yes or no",
    array: "a list",
  };
  const kind = types.map((type) => words[type] ?? type).join(" or ");
  const bounds = [
    typeof minimum === "number" ? `from ${minimum}` : "",
    typeof maximum === "number" ? `to ${maximum}` : "",
  ];
  return [kind, ...bounds, typeof format === "string" ? `as ${format}` : ""].filter(Boolean).join(" ");
}

/** Whether a sentence is no answer, but drops what was asked about or asks something itself. */
export function turnsAway(sentence: string): boolean {
  return /^\s*(?:never\s?mind|forget (?:it|that)|cancel|stop|help|thanks?)(?!\p{L})|^\s*(?:what|who|how|why|where|which|can|could)\s.*\?\s*$/isu.test(
    sentence,
  );
}

export interface AnsweredQuestion {
  readonly before: string;
  readonly question: string;
  readonly answer: string;
}

/** A sentence and the answer to our question about it, as one sentence; the answer alone where we did not ask. */
export function joinAnswer({ before, question, answer }: AnsweredQuestion): string {
  const [, first] = /^To use `[^`]+` I need `([^`]+)`/m.exec(question) ?? [];
  if (first === undefined) return answer;
  const isOne = !/, and `/.test(question);
  const bare = answer.replace(/^\s*(?:in|at|for|to)\s+/i, "").replace(/,?\s+please\W*$/i, "");
  const name = first.split(".").findLast((step) => !/^\d+$/.test(step)) ?? first;
  return isOne && !/[:=]/.test(answer) ? `${before}, ${name}: ${bare}` : `${before}, ${answer}`;
}

import type { AnswerOf, InputOf, NoInput, SchemaTool, ToolDefinition } from "./tool-definition.ts";

/** Declares a tool: gives back its definition, with the handler's types taken from the schemas. */
export function defineTool<const Input extends object = NoInput, const Output extends object = object>(
  definition: SchemaTool<Input, Output>,
): ToolDefinition<InputOf<Input>, AnswerOf<Output>> {
  return definition;
}

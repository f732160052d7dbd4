import { check, wrong } from "./check.ts";
import type { AiRequestOptions } from "./types.ts";

const rules = {
  "a string": "model system from apiKey baseUrl apiVersion responseSchemaName",
  "a finite number": "temperature topP seed",
  "a positive integer": "maxTokens",
  "an integer of zero or more": "maxToolRoundtrips",
  "a number of zero or more": "toolTimeout",
  "a boolean": "stream",
  "a function": "fetch approve",
  "a plain object": "responseSchema headers body",
  "an AbortSignal": "signal",
  "an array of strings": "stop",
  "an array": "mcp",
  "one of auto, always, never": "streamOptions",
  "one of rollback, keep": "onFailure",
};

const reasoningRules = {
  "one of minimal, low, medium, high": "effort",
  // Gemini knows one below zero, which leaves it to the model.
  "an integer": "budgetTokens",
};

const toolRules = {
  required: "name parameters",
  "a string": "name description",
  "a plain object": "parameters",
  "a function": "handler",
  "a number of zero or more": "timeout",
};

/** Throws, by name, where an option is not what it must be. */
export function validateOptions(options: AiRequestOptions): void {
  check(options, "", rules);
  const { tools = [], mcp = [], reasoning = {}, responseSchema } = options;
  check(reasoning, "reasoning.", reasoningRules);
  if (tools !== "page") {
    if (!Array.isArray(tools)) throw wrong("tools", 'an array, or "page"', tools);
    for (const [index, tool] of tools.entries()) if (tool !== "page") check(tool, `tools[${index}].`, toolRules);
  }
  if (responseSchema && tools.length + mcp.length > 0) throw new Error("responseSchema and tools exclude each other.");
}

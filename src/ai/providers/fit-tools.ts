// The tools of a request in the parts of JSON Schema that a model's API takes, for providers with models of several vendors.
import { fitTool } from "../schemas/fit-tool.ts";
import type { SchemaRuleName } from "../schemas/schema-rules.ts";
import type { AiRequestOptions, AiTool } from "../types.ts";

export function withFittedTools(options: AiRequestOptions, rule: SchemaRuleName): AiRequestOptions {
  const { tools } = options;
  if (!Array.isArray(tools)) return options;
  const given = tools as readonly (AiTool | "page")[];
  return { ...options, tools: given.map((tool) => (typeof tool === "string" ? tool : fittedTool(tool, rule))) };
}

export function fittedTool(tool: AiTool, rule: SchemaRuleName): AiTool {
  const { schema, words } = fitTool(tool.parameters, rule);
  return { ...tool, parameters: schema, description: [tool.description, words].filter(Boolean).join(" ") };
}

import type { AiRequestOptions } from "../ai/index.ts";
import type { AgentProperties } from "./agent-properties.ts";

/** Properties that are options of the same name. */
const names = [
  "model",
  "baseUrl",
  "apiKey",
  "apiVersion",
  "streamOptions",
  "temperature",
  "maxTokens",
  "topP",
  "seed",
  "toolTimeout",
  "from",
  "tools",
  "toolChoice",
  "maxToolRoundtrips",
  "responseSchema",
  "responseSchemaName",
  "stop",
  "headers",
  "body",
  "fetch",
  "retries",
  "mcp",
  "approve",
  "prices",
  "keepModel",
] as const satisfies (keyof AgentProperties & keyof AiRequestOptions)[];

/** The request options of an element's attributes and properties; `system` comes from its children. */
export function requestOptions(agent: Element & AgentProperties, system: string | undefined): AiRequestOptions {
  const { reasoningEffort: effort, reasoningBudget: budgetTokens } = agent;
  const values: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, agent[name]]));
  values["tools"] ??= agent.getAttribute("tools");
  values["system"] = agent.getAttribute("system") ?? system;
  if (agent.keepOnFailure) values["onFailure"] = "keep";
  const reasoning = pickGiven({ effort, budgetTokens });
  if (Object.keys(reasoning).length > 0) values["reasoning"] = reasoning;
  // AiCore checks each of them: they may come from markup.
  return { model: "", stream: agent.stream, ...pickGiven(values) } as AiRequestOptions;
}

function pickGiven(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value != null && value !== ""));
}

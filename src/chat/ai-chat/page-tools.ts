import type { WindowTool } from "../../agent-window/index.ts";
import type { AiAgent, AiTool } from "../../element/index.ts";
import { getPageToolbox } from "../../toolbox/index.ts";
import { isForTerminals } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

/** The tools that an agent may use, as far as the page knows them: its own, and those that the page offers. */
export function pageTools(agent: AiAgent): readonly WindowTool[] {
  const given = agent.tools ?? agent.getAttribute("tools") ?? [];
  const sources = typeof given === "string" ? [given] : given;
  return sources.flatMap((source) => (typeof source === "object" ? [ownTool(source)] : offeredTools()));
}

function ownTool({ name, title, description, parameters, annotations }: AiTool): WindowTool {
  return {
    name,
    description,
    parameters: parameters as JsonObject,
    ...(title !== undefined && { title }),
    ...(annotations && { annotations }),
  };
}

function offeredTools(): readonly WindowTool[] {
  const tools = getPageToolbox()?.offer().tools ?? [];
  return tools
    .filter((tool) => !isForTerminals(tool))
    .map(({ name, title, description = "", inputSchema, annotations }) => ({
      name,
      description,
      parameters: inputSchema,
      ...(title !== undefined && { title }),
      ...(annotations && { annotations }),
    }));
}

// The tools that a component gives its bridge: what the agent knows of them follows each render, as far as it differs.
import type { AgentBridge } from "../agent-window/index.ts";
import { PagewireError } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import type { BridgeTool } from "./agent-bridge-options.ts";
import { describesSame } from "./describes-same.ts";

export interface OfferedToolsOptions {
  readonly newest: () => readonly BridgeTool[];
  readonly onError: OnError;
}

/** The returned function offers these tools from now on, and no others. */
export function createOfferedTools(
  bridge: AgentBridge,
  { newest, onError }: OfferedToolsOptions,
): (tools: readonly BridgeTool[]) => void {
  let offered: readonly BridgeTool[] = [];

  function offer({ handler: _handler, ...definition }: BridgeTool): void {
    const { name } = definition;
    try {
      bridge.registerTool(definition);
      bridge.onToolCall(name, (...given) => {
        const tool = newest().find((known) => known.name === name);
        if (tool) return tool.handler(...given);
        throw new PagewireError("tool-not-found", `The app does not offer ${name} any more.`);
      });
    } catch (error) {
      onError(error, { stage: `useAgentBridge ${name}` });
    }
  }

  return (tools) => {
    for (const { name } of offered) if (!tools.some((tool) => tool.name === name)) bridge.unregisterTool(name);
    for (const tool of tools) if (!offered.some((known) => describesSame(known, tool))) offer(tool);
    offered = tools;
  };
}

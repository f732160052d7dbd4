import type { BridgeConfig, ToolCallContext, ToolDefinition, ToolSource } from "../agent-window/index.ts";
import type { JsonObject } from "../wire/index.ts";

/** A tool as a component writes it: its handler may close over props and state. */
export interface BridgeTool extends ToolDefinition {
  /** Runs it. Returns, or resolves with, what JSON can say; what it throws is told to the agent. */
  handler(args: JsonObject, context: ToolCallContext): unknown;
}

/** What an `AgentBridge` takes, with the tools of the page that `<PagewireProvider>` gives if `toolbox` is true. */
export interface AgentBridgeOptions extends Omit<BridgeConfig, "toolbox"> {
  readonly tools?: readonly BridgeTool[];
  readonly toolbox?: ToolSource | true;
}

/** What makes a bridge another one. The rest can change while it is there. */
export type Content = Omit<
  BridgeConfig,
  "toolbox" | "onConnectionChange" | "onWindowClosed" | "onSessionRecovered" | "onError"
>;

export function contentOf(options: AgentBridgeOptions): Content {
  const {
    tools: _tools,
    toolbox: _toolbox,
    onConnectionChange: _onConnectionChange,
    onWindowClosed: _onWindowClosed,
    onSessionRecovered: _onSessionRecovered,
    onError: _onError,
    ...content
  } = options;
  return content;
}

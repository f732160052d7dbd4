import type { BridgeConfig, ToolCallContext, ToolDefinition, ToolSource } from "../agent-window/index.ts";
import type { JsonObject } from "../wire/index.ts";

/** A tool as written in a component: its handler may close over props and state. */
export interface BridgeTool extends ToolDefinition {
  /** The handler. Returns JSON or a promise of it; the agent receives its errors. */
  handler(args: JsonObject, context: ToolCallContext): unknown;
}

/** The options of an `AgentBridge`, with the tools of `<PagewireProvider>`'s page if `toolbox` is true. */
export interface AgentBridgeOptions extends Omit<BridgeConfig, "toolbox"> {
  readonly tools?: readonly BridgeTool[];
  readonly toolbox?: ToolSource | true;
}

/** The options that need a new bridge. The others can change while it lives. */
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

// The exports of pagewire/agent-window. Exports for this repository only are in index.ts.
export { AgentBridge, ParentLink, SeahorseAgentBridge } from "./index.ts";
export type {
  BridgeConfig,
  ConnectionState,
  InjectedMessage,
  MessageInjectionOptions,
  ParentLinkOptions,
  ParentLinkState,
  ToolCallContext,
  ToolCallHandler,
  ToolDefinition,
  WindowTool,
} from "./index.ts";

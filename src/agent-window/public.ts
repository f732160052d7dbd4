// What the package publishes as pagewire/agent-window. What only rooms of this repository need is in index.ts.
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

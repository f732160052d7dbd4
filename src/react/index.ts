"use client";

export type { AgentBridgeOptions, BridgeTool } from "./agent-bridge-options.ts";
export type { PageCall, PageCalls } from "./call-record.ts";
export { PagewireProvider } from "./pagewire-provider.ts";
export type { PagewireProviderProps } from "./pagewire-provider.ts";
export { usePage } from "./place.ts";
export type { ProviderOptions } from "./provider-options.ts";
export { useAgentBridge } from "./use-agent-bridge.ts";
export type { UsedAgentBridge } from "./use-agent-bridge.ts";
export { useCalls } from "./use-calls.ts";
export { useConnection } from "./use-connection.ts";
export type { Enabled } from "./use-offered.ts";
export { usePrompt } from "./use-prompt.ts";
export { useResource, useResourceTemplate } from "./use-resource.ts";
export { useTool } from "./use-tool.ts";
export type { HookedTool } from "./use-tool.ts";

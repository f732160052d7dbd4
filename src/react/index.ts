"use client";

export type { PageCall, PageCalls } from "./call-record.ts";
export { PagewireProvider } from "./pagewire-provider.ts";
export { usePage } from "./place.ts";
export { useAgentBridge } from "./use-agent-bridge.ts";
export type { UsedAgentBridge } from "./use-agent-bridge.ts";
export { useCalls } from "./use-calls.ts";
export { useConnection } from "./use-connection.ts";
export { useModelContextTool } from "./use-model-context-tool.ts";
export { usePrompt } from "./use-prompt.ts";
export { useResource, useResourceTemplate } from "./use-resource.ts";
export { useTool } from "./use-tool.ts";
export { useWebMcp } from "./use-web-mcp.ts";
export type { UsedWebMcp } from "./use-web-mcp.ts";

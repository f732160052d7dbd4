export { connectMcpToolbox } from "./connect-mcp-toolbox.ts";
export type { McpLimits } from "./mcp-limits.ts";
export type { McpAuthProvider, McpClock, McpHandshake, McpToolbox, McpToolboxOptions } from "./mcp-toolbox.ts";

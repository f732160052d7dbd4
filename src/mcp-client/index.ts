export { connectMcpToolbox } from "./connect-mcp-toolbox.ts";
export type { McpAuthProvider, McpToolbox, McpToolboxOptions } from "./mcp-toolbox.ts";

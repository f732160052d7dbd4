export { findModelContext } from "./model-context.ts";
export { mirrorToolbox } from "./mirror-toolbox.ts";
export { joinBrowserTools } from "./join-browser-tools.ts";
export type { ModelContext, ModelContextTool, RegisteredTool } from "./model-context.ts";
export { whyRefused } from "./why-refused.ts";
export { registerWebMcp } from "./register-web-mcp.ts";
export type { RefusedTool } from "./mirror.ts";
export type { WebMcpLogger } from "./web-mcp-logger.ts";
export type { McpTool, WebMcpHandle, WebMcpOptions, WebMcpProgress, WebMcpServersOptions } from "./web-mcp-options.ts";

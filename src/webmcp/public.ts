// The exports of pagewire/webmcp. Exports for other rooms of this repository are in index.ts.
export { registerWebMcp, reportToolErrors } from "./index.ts";
export type {
  McpTool,
  ModelContext,
  RegisteredTool,
  WebMcpHandle,
  WebMcpLogger,
  WebMcpOptions,
  WebMcpServersOptions,
} from "./index.ts";

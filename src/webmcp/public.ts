// What the package publishes as pagewire/webmcp. What only rooms of this repository need is in index.ts.
export { registerWebMcp } from "./index.ts";
export type {
  McpTool,
  ModelContext,
  RegisteredTool,
  WebMcpHandle,
  WebMcpLogger,
  WebMcpOptions,
  WebMcpServersOptions,
} from "./index.ts";

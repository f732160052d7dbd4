// The hub's /webmcp.js: the adapter for pages that load no packages.
export { findModelContext } from "./model-context.ts";
export { registerWebMcp } from "./register-web-mcp.ts";

import { join } from "node:path";
import { tokenVariable } from "./client.ts";
import { fileClient } from "./file-client.ts";

export const cursor = fileClient({
  id: "cursor",
  title: "Cursor",
  names: ["cursor"],
  summary: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
  section: "mcpServers",
  defaultScope: "project",
  configPath: (scope, { project, homeDirectory }) =>
    join(scope === "project" ? project : homeDirectory, ".cursor", "mcp.json"),
  needsCmd: false,
  httpEntry: (url) => ({ url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } }),
  limits: { name: 60, tools: 40 },
  restart: "Restart Cursor.",
  check: (name) => [
    `Cursor's settings list ${name} among its MCP servers, switched on, with its tools.`,
    "If not: the Output panel, under MCP Logs, says why.",
  ],
});

import { join } from "node:path";
import { jsonFormat } from "../config/config-format.ts";
import { commonStdioEntry, exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition } from "./client.ts";

const format = jsonFormat("mcpServers");

export const cursor: ClientDefinition = {
  id: "cursor",
  title: "Cursor",
  names: ["cursor"],
  summary: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
  format,
  defaultScope: "project",
  configPath: (scope, { project, homeDirectory }) =>
    join(scope === "project" ? project : homeDirectory, ".cursor", "mcp.json"),
  needsCmd: false,
  stdioEntry: commonStdioEntry,
  stdioSteps: (connection) =>
    fileSteps(connection, format.snippet(connection.name, commonStdioEntry(connection.stdio))),
  httpSteps: (connection) => [
    {
      text: "Put this into the same file. Cursor takes the token from its environment:",
      code: format.snippet(connection.name, {
        url: connection.url,
        headers: { Authorization: `Bearer \${env:${tokenVariable}}` },
      }),
    },
    { text: "Then the shell that starts Cursor needs:", code: exportToken(connection) },
  ],
  restart: "Restart Cursor.",
  check: (name) => [
    `Cursor's settings list ${name} among its MCP servers, switched on, with its tools.`,
    "If not: the Output panel, under MCP Logs, says why.",
  ],
};

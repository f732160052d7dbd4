import { join } from "node:path";
import type { JsonObject } from "../../../wire/index.ts";
import { jsonFormat } from "../config/config-format.ts";
import { commonStdioEntry, exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition, StdioServer } from "./client.ts";

const format = jsonFormat("mcpServers");

export const copilotCli: ClientDefinition = {
  id: "copilot-cli",
  title: "Copilot CLI",
  names: ["copilot"],
  summary: "~/.copilot/mcp-config.json, or .github/mcp.json in the project",
  format,
  defaultScope: "user",
  configPath: (scope, { project, homeDirectory, environment }) =>
    scope === "project"
      ? join(project, ".github", "mcp.json")
      : join(environment["COPILOT_HOME"] || join(homeDirectory, ".copilot"), "mcp-config.json"),
  needsCmd: true,
  stdioEntry,
  stdioSteps: (connection) => fileSteps(connection, format.snippet(connection.name, stdioEntry(connection.stdio))),
  httpSteps: (connection) => [
    {
      text: "Put this into the same file. The token is taken from the environment:",
      code: format.snippet(connection.name, {
        type: "http",
        url: connection.url,
        headers: { Authorization: `Bearer \${${tokenVariable}}` },
        tools: ["*"],
      }),
    },
    { text: "Then the shell that starts copilot needs:", code: exportToken(connection) },
  ],
  restart: "Restart Copilot CLI.",
  check: (name) => [`In Copilot CLI, /mcp show ${name} lists its tools.`, `In a terminal: copilot mcp get ${name}`],
};

/** Without a list of tools, it offers none of them. */
function stdioEntry(server: StdioServer): JsonObject {
  return { ...commonStdioEntry(server), type: "local", tools: ["*"] };
}

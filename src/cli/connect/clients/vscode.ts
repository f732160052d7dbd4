import { join } from "node:path";
import { appFolder } from "./app-folder.ts";
import { jsonFormat } from "../config/config-format.ts";
import { shellWords } from "../../console/shell-words.ts";
import { commonStdioEntry, fileSteps } from "./client.ts";
import type { ClientDefinition } from "./client.ts";

const format = jsonFormat("servers");

export const vscode: ClientDefinition = {
  id: "vscode",
  title: "VS Code",
  names: ["visual studio code", "vscode"],
  summary: ".vscode/mcp.json in the project, or mcp.json of the user's default profile",
  format,
  defaultScope: "project",
  // Its user's file is that of the default profile, beside the settings.
  configPath: (scope, place) =>
    scope === "project"
      ? join(place.project, ".vscode", "mcp.json")
      : join(appFolder("Code", place), "User", "mcp.json"),
  needsCmd: false,
  limits: { tools: 128 },
  stdioEntry: commonStdioEntry,
  stdioSteps(connection) {
    const { name, stdio, stdioAnywhere, platform } = connection;
    const server = JSON.stringify({ name, ...commonStdioEntry(stdioAnywhere) });
    return [
      ...fileSteps(connection, format.snippet(name, commonStdioEntry(stdio))),
      {
        text: "Or add it to your profile, for all your projects:",
        code: shellWords(["code", "--add-mcp", server], platform),
      },
    ];
  },
  httpSteps({ name, url }) {
    const id = `${name}-token`;
    const input = { type: "promptString", id, description: "The token of the Pagewire hub", password: true };
    const server = { type: "http", url, headers: { Authorization: `Bearer \${input:${id}}` } };
    return [
      {
        text: "Put this into the same file. VS Code asks for the hub's token once and keeps it safe; for a hub of this machine npx pagewire token show says it:",
        code: JSON.stringify({ inputs: [input], servers: { [name]: server } }, null, 2),
      },
    ];
  },
  restart:
    "Run MCP: List Servers from the Command Palette and start the server; VS Code asks once whether you trust it.",
  check: (name) => [
    `Configure Tools in the chat view lists the tools of ${name}.`,
    `If not: MCP: List Servers, ${name}, Show Output says why; MCP: Reset Cached Tools forgets an old list.`,
  ],
};

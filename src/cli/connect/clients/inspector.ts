import { join } from "node:path";
import { jsonFormat } from "../config/config-format.ts";
import { shellWords } from "../../console/shell-words.ts";
import { commonStdioEntry, fileSteps } from "./client.ts";
import type { ClientDefinition } from "./client.ts";

const format = jsonFormat("mcpServers");
const program = ["npx", "@modelcontextprotocol/inspector", "--cli"];
const listTools = ["--method", "tools/list"];

export const inspector: ClientDefinition = {
  id: "inspector",
  title: "MCP Inspector",
  names: ["mcp-inspector", "inspector"],
  summary: "a command line, or ~/.mcp-inspector/mcp.json; needs Node 22.19 or newer",
  format,
  defaultScope: "user",
  configPath: (scope, { homeDirectory, environment }) =>
    scope === "project"
      ? undefined
      : environment["MCP_CATALOG_PATH"] || join(homeDirectory, ".mcp-inspector", "mcp.json"),
  needsCmd: false,
  stdioEntry: commonStdioEntry,
  stdioSteps(connection) {
    const { name, stdio, platform } = connection;
    const variables = Object.entries(stdio.env).flatMap(([variable, value]) => ["-e", `${variable}=${value}`]);
    const start = [...program, ...variables, stdio.command, ...stdio.args, ...listTools];
    return [
      { text: "Run:", code: shellWords(start, platform) },
      ...fileSteps(connection, format.snippet(name, commonStdioEntry(stdio))),
      { text: "Then its name is enough:", code: shellWords([...program, "--server", name, ...listTools], platform) },
    ];
  },
  httpSteps: ({ url, token, isTokenKnown, platform }) => [
    {
      text: "Run:",
      code: shellWords(
        [...program, url, "--transport", "http", "--header", `Authorization: Bearer ${token()}`, ...listTools],
        platform,
      ),
      isSecret: isTokenKnown,
    },
  ],
  restart: "The Inspector needs Node 22.19 or newer. It reads its catalog whenever it starts.",
  check: (name) => [`This lists the tools: ${[...program, "--server", name, ...listTools].join(" ")}`],
};

import { join } from "node:path";
import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { jsonFormat } from "../config/config-format.ts";
import { shellWords } from "../../console/shell-words.ts";
import { commonStdioEntry, envOptions, exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition, Connection, StdioServer } from "./client.ts";

const format = jsonFormat("mcpServers");

export const claudeCode: ClientDefinition = {
  id: "claude-code",
  title: "Claude Code",
  names: ["claude-code"],
  summary: "claude mcp add, .mcp.json in the project, or ~/.claude.json",
  format,
  defaultScope: "project",
  configPath: (scope, { project, homeDirectory, environment }) =>
    scope === "project"
      ? join(project, ".mcp.json")
      : join(environment["CLAUDE_CONFIG_DIR"] || homeDirectory, ".claude.json"),
  // `claude mcp add` keeps what is for one project, and for its user alone, below that project's path.
  otherServers: ({ projects }, { project }) => memberOf(memberOf(projects, project), "mcpServers") ?? {},
  needsCmd: true,
  reservedNames: ["workspace"],
  stdioEntry: commonStdioEntry,
  stdioSteps(connection) {
    const { name, scope, stdio, stdioAnywhere } = connection;
    const everywhere = addCommand(connection, stdioAnywhere, ["--scope", "user"]);
    const here = { text: "Run this in your project, for you alone in it:", code: addCommand(connection, stdio, []) };
    return [
      ...(scope === "user" ? [] : [here]),
      { text: scope === "user" ? "Run:" : "Or this, for you alone in all your projects:", code: everywhere },
      ...fileSteps(connection, format.snippet(name, commonStdioEntry(stdio))),
    ];
  },
  httpSteps(connection) {
    const { name, path, url, token, isTokenKnown, platform } = connection;
    const header = `Authorization: Bearer ${token()}`;
    const words = ["claude", "mcp", "add", "--transport", "http", name, url, "--header", header];
    const entry = { type: "http", url, headers: { Authorization: `Bearer \${${tokenVariable}}` } };
    return [
      {
        text: "Run this in your project, for you alone in it. Never with --scope project, which would write the token into .mcp.json:",
        code: shellWords(words, platform),
        isSecret: isTokenKnown,
      },
      {
        text: `Or put this into ${path}, which takes the token from the environment:`,
        code: format.snippet(name, entry),
      },
      { text: "Then the shell that starts claude needs:", code: exportToken(connection) },
    ];
  },
  restart: "Restart Claude Code. It asks once before it uses the servers of a project's .mcp.json: approve it.",
  check: (name) => [
    `In Claude Code, /mcp shows ${name} as connected, with the number of its tools.`,
    `In a terminal: claude mcp get ${name}`,
  ],
};

function memberOf(value: Json | undefined, name: string): JsonObject | undefined {
  const member = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(member) ? member : undefined;
}

/** Its --env takes every word up to the next option, so one has to stand between it and the name. */
function addCommand({ name, platform }: Connection, stdio: StdioServer, scope: readonly string[]): string {
  const env = envOptions(stdio);
  const options = env.length === 0 ? [] : [...env, "--transport", "stdio"];
  return shellWords(["claude", "mcp", "add", ...scope, ...options, name, "--", stdio.command, ...stdio.args], platform);
}

import { join } from "node:path";
import type { JsonObject } from "../../../wire/index.ts";
import { jsonFormat } from "../config/config-format.ts";
import { exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition, StdioServer } from "./client.ts";

const format = jsonFormat("mcp");

export const opencode: ClientDefinition = {
  id: "opencode",
  title: "opencode",
  names: ["opencode"],
  summary: "opencode.json in the project, or ~/.config/opencode/opencode.json",
  format,
  defaultScope: "project",
  configPath: (scope, { project, homeDirectory, environment }) =>
    scope === "project"
      ? join(project, "opencode.json")
      : join(environment["XDG_CONFIG_HOME"] || join(homeDirectory, ".config"), "opencode", "opencode.json"),
  needsCmd: true,
  stdioEntry,
  commonEntry: ({ command, environment, ...entry }) => ({
    ...entry,
    ...(Array.isArray(command) ? { command: command[0] ?? "", args: command.slice(1) } : {}),
    ...(environment === undefined ? {} : { env: environment }),
  }),
  stdioSteps: (connection) => fileSteps(connection, format.snippet(connection.name, stdioEntry(connection.stdio))),
  httpSteps: (connection) => [
    {
      text: "Put this into the same file. The token is taken from the environment:",
      code: format.snippet(connection.name, {
        type: "remote",
        url: connection.url,
        oauth: false,
        headers: { Authorization: `Bearer {env:${tokenVariable}}` },
      }),
    },
    { text: "Then the shell that starts opencode needs:", code: exportToken(connection) },
  ],
  restart: "Restart opencode.",
  check: (name) => [`In a terminal: opencode mcp list shows ${name} as connected.`],
};

/** The command and its arguments are one list here. */
function stdioEntry({ command, args, env }: StdioServer): JsonObject {
  const environment = Object.keys(env).length === 0 ? {} : { environment: env };
  return { type: "local", command: [command, ...args], ...environment };
}

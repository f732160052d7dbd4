import { join } from "node:path";
import type { JsonObject } from "../../../wire/index.ts";
import { tokenVariable } from "./client.ts";
import type { StdioServer } from "./client.ts";
import { fileClient } from "./file-client.ts";

export const opencode = fileClient({
  id: "opencode",
  title: "opencode",
  names: ["opencode"],
  summary: "opencode.json in the project, or ~/.config/opencode/opencode.json",
  section: "mcp",
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
  httpEntry: (url) => ({
    type: "remote",
    url,
    oauth: false,
    headers: { Authorization: `Bearer {env:${tokenVariable}}` },
  }),
  restart: "Restart opencode.",
  check: (name) => [`In a terminal: opencode mcp list shows ${name} as connected.`],
});

/** The command and its arguments are one list here. */
function stdioEntry({ command, args, env }: StdioServer): JsonObject {
  const environment = Object.keys(env).length === 0 ? {} : { environment: env };
  return { type: "local", command: [command, ...args], ...environment };
}

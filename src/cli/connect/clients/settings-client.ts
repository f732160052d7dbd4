// Gemini CLI and what was made from it: a settings.json in a folder of the home directory and of the project.
import { join } from "node:path";
import type { JsonObject } from "../../../wire/index.ts";
import { jsonFormat } from "../config/config-format.ts";
import { exportToken, fileSteps, tokenVariable } from "./client.ts";
import type { ClientDefinition, StdioServer } from "./client.ts";

interface SettingsClient extends Pick<ClientDefinition, "id" | "title" | "names" | "restart"> {
  readonly command: string;
  readonly folder: string;
}

const format = jsonFormat("mcpServers");

export function settingsClient({ command, folder, ...client }: SettingsClient): ClientDefinition {
  return {
    ...client,
    summary: `~/${folder}/settings.json, or ${folder}/settings.json in the project`,
    format,
    defaultScope: "user",
    configPath: (scope, { project, homeDirectory }) =>
      join(scope === "project" ? project : homeDirectory, folder, "settings.json"),
    needsCmd: true,
    stdioEntry,
    stdioSteps: (connection) => fileSteps(connection, format.snippet(connection.name, stdioEntry(connection.stdio))),
    httpSteps: (connection) => [
      {
        text: "Put this into the same file. The token is taken from the environment:",
        code: format.snippet(connection.name, {
          httpUrl: connection.url,
          headers: { Authorization: `Bearer $${tokenVariable}` },
        }),
      },
      { text: `Then the shell that starts ${command} needs:`, code: exportToken(connection) },
    ],
    check: (name) => [`In ${client.title}, /mcp lists ${name} and its tools.`, `In a terminal: ${command} mcp list`],
  };
}

/** Variables with secrets are not handed on to the programs that it starts, unless they are named. */
function stdioEntry({ command, args, env, forwards }: StdioServer): JsonObject {
  const all = { ...env, ...Object.fromEntries(forwards.map((name) => [name, `$${name}`])) };
  return { command, args: [...args], ...(Object.keys(all).length === 0 ? {} : { env: all }) };
}

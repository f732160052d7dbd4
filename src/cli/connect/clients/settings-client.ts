// Gemini CLI and what was made from it: a settings.json in a folder of the home directory and of the project.
import { join } from "node:path";
import type { JsonObject } from "../../../wire/index.ts";
import { tokenVariable } from "./client.ts";
import type { ClientDefinition, StdioServer } from "./client.ts";
import { fileClient } from "./file-client.ts";

interface SettingsClient extends Pick<ClientDefinition, "id" | "title" | "names" | "restart"> {
  readonly command: string;
  readonly folder: string;
}

export function settingsClient({ folder, ...client }: SettingsClient): ClientDefinition {
  return fileClient({
    ...client,
    section: "mcpServers",
    summary: `~/${folder}/settings.json, or ${folder}/settings.json in the project`,
    defaultScope: "user",
    configPath: (scope, { project, homeDirectory }) =>
      join(scope === "project" ? project : homeDirectory, folder, "settings.json"),
    needsCmd: true,
    stdioEntry,
    httpEntry: (url) => ({ httpUrl: url, headers: { Authorization: `Bearer $${tokenVariable}` } }),
    check: (name) => [
      `In ${client.title}, /mcp lists ${name} and its tools.`,
      `In a terminal: ${client.command} mcp list`,
    ],
  });
}

/** Variables with secrets are not handed on to the programs that it starts, unless they are named. */
function stdioEntry({ command, args, env, forwards }: StdioServer): JsonObject {
  const all = { ...env, ...Object.fromEntries(forwards.map((name) => [name, `$${name}`])) };
  return { command, args: [...args], ...(Object.keys(all).length === 0 ? {} : { env: all }) };
}

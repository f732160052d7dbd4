// Desktop apps that take the servers of their user from one JSON file, as their documentation says.
import { join } from "node:path";
import { appFolder } from "./app-folder.ts";
import { tokenVariable } from "./client.ts";
import type { ClientDefinition } from "./client.ts";
import { fileClient } from "./file-client.ts";

const common = { defaultScope: "user", needsCmd: false } as const;

export const windsurf: ClientDefinition = fileClient({
  ...common,
  id: "windsurf",
  title: "Windsurf",
  names: ["windsurf"],
  summary: "~/.codeium/windsurf/mcp_config.json",
  section: "mcpServers",
  configPath: (scope, { homeDirectory }) =>
    scope === "project" ? undefined : join(homeDirectory, ".codeium", "windsurf", "mcp_config.json"),
  httpEntry: (url) => ({ serverUrl: url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } }),
  limits: { tools: 100 },
  restart: "Press the refresh button among the MCP servers of Cascade, or restart Windsurf.",
  check: (name) => [`In Windsurf, the MCP servers of Cascade list ${name} with its tools.`],
});

export const zed: ClientDefinition = fileClient({
  ...common,
  id: "zed",
  title: "Zed",
  names: ["zed"],
  summary: "settings.json of the user",
  section: "context_servers",
  configPath: (scope, place) => {
    if (scope === "project") return undefined;
    // On macOS it keeps its settings where it does on Linux.
    const platform = place.platform === "win32" ? "win32" : "linux";
    return join(appFolder(platform === "win32" ? "Zed" : "zed", { ...place, platform }), "settings.json");
  },
  stdioEntry: ({ command, args, env }) => ({ command, args: [...args], env }),
  restart: "Zed reads its settings as they change.",
  check: (name) => [`In Zed, the settings of the Agent Panel show a green dot beside ${name}.`],
});

export const lmStudio: ClientDefinition = fileClient({
  ...common,
  id: "lm-studio",
  title: "LM Studio",
  names: [],
  summary: "~/.lmstudio/mcp.json",
  section: "mcpServers",
  configPath: (scope, { homeDirectory }) =>
    scope === "project" ? undefined : join(homeDirectory, ".lmstudio", "mcp.json"),
  needsPath: true,
  restart: "Restart LM Studio, or save mcp.json in its editor.",
  check: (name) => [`In LM Studio, the Program tab lists mcp/${name}: switch it on.`],
});

import { join } from "node:path";
import { appFolder } from "./app-folder.ts";
import { fileClient } from "./file-client.ts";

/** Its file names programs only. Addresses are added in its settings, and reached from Anthropic's servers. */
export const claudeDesktop = fileClient({
  id: "claude-desktop",
  title: "Claude Desktop",
  names: ["claude-ai"],
  summary: "claude_desktop_config.json of the user",
  section: "mcpServers",
  defaultScope: "user",
  configPath: (scope, place) =>
    scope === "project" ? undefined : join(appFolder("Claude", place), "claude_desktop_config.json"),
  needsCmd: false,
  needsPath: true,
  restart: "Quit Claude Desktop and start it again; closing its window is not enough.",
  check: (name) => [
    `In Claude Desktop, Settings > Developer shows ${name} as running; it asks before it calls a tool.`,
    `If not: ~/Library/Logs/Claude/mcp-server-${name}.log says why (on Windows, the same file below %APPDATA%\\Claude\\logs).`,
  ],
});

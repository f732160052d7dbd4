import { join } from "node:path";
import { commonStdioEntry, tokenVariable } from "./client.ts";
import { fileClient } from "./file-client.ts";

export const copilotCli = fileClient({
  id: "copilot-cli",
  title: "Copilot CLI",
  names: ["copilot"],
  command: "copilot",
  summary: "~/.copilot/mcp-config.json, or .github/mcp.json in the project",
  section: "mcpServers",
  defaultScope: "user",
  configPath: (scope, { project, homeDirectory, environment }) =>
    scope === "project"
      ? join(project, ".github", "mcp.json")
      : join(environment["COPILOT_HOME"] || join(homeDirectory, ".copilot"), "mcp-config.json"),
  needsCmd: true,
  // Without a list of tools, it offers none of them.
  stdioEntry: (server) => ({ ...commonStdioEntry(server), type: "local", tools: ["*"] }),
  httpEntry: (url) => ({
    type: "http",
    url,
    headers: { Authorization: `Bearer \${${tokenVariable}}` },
    tools: ["*"],
  }),
  restart: "Restart Copilot CLI.",
  check: (name) => [`In Copilot CLI, /mcp show ${name} lists its tools.`, `In a terminal: copilot mcp get ${name}`],
});

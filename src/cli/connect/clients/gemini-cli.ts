import { settingsClient } from "./settings-client.ts";

/** It reads neither file in a folder that its user does not trust, and hands only a few variables on. */
export const geminiCli = settingsClient({
  id: "gemini-cli",
  title: "Gemini CLI",
  names: ["gemini-cli"],
  command: "gemini",
  folder: ".gemini",
  restart: "Restart Gemini CLI. It uses MCP servers only in folders that you trust: /permissions trust.",
});

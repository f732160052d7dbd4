import { readConfigFile } from "../../connect/config/config-file.ts";
import { jsonIn } from "./program.ts";
import type { Program } from "./program.ts";

export const codex: Program = {
  id: "codex",
  command: "codex",
  args: (name) => ["mcp", "get", name, "--json"],
  copies: async ({ client }, place, folder) => ({
    variables: { CODEX_HOME: folder },
    files: { "config.toml": readConfigFile(client.configPath("user", place) ?? "") ?? "" },
  }),
  read(output, { scope }) {
    const server = jsonIn(output);
    if (server?.["enabled"] === true) return { status: "enabled" };
    const { disabled_reason: reason } = server ?? {};
    if (server) return { status: "disabled", ...(typeof reason === "string" ? { why: reason } : {}) };
    const [, error] = /^Error: ([^]*)/m.exec(output) ?? [];
    if (!output.includes("No MCP server named")) return { status: "unclear", why: error ?? output };
    return { status: scope === "project" ? "untrusted" : "missing" };
  },
  advice: {
    untrusted: "Start codex in this folder, and trust it when it asks; it reads the project's file only then.",
    disabled: "Set enabled = true in its table, or take that line out.",
  },
};

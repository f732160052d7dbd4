import { readConfigFile } from "../../connect/config/config-file.ts";
import { tomlTable } from "../../connect/config/toml.ts";
import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { jsonIn, pick } from "./program.ts";
import type { Program } from "./program.ts";

export const codex: Program = {
  id: "codex",
  command: "codex",
  args: (name) => ["mcp", "get", name, "--json"],
  async copies({ client, name }, place, folder) {
    const config = await client.format.parse(readConfigFile(client.configPath("user", place) ?? "") ?? "");
    return { variables: { CODEX_HOME: folder }, files: { "config.toml": configWith(config, name) } };
  },
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

/** The markers of a project, the trusted ones, and this server. */
function configWith(config: JsonObject, name: string): string {
  const { projects, project_root_markers: markers, mcp_servers: servers } = config;
  const tables = [
    ...Object.entries(isJsonObject(projects) ? projects : {}).map(
      ([path, project]) => [["projects", path], pick(project, ["trust_level"])] as const,
    ),
    ...Object.entries(pick(servers, [name])).flatMap(([own, server]) =>
      isJsonObject(server) ? [[["mcp_servers", own], server] as const] : [],
    ),
  ];
  const first = Array.isArray(markers) ? `project_root_markers = ${JSON.stringify(markers)}\n` : "";
  return first + tables.map(([path, fields]) => tomlTable(path, fields)).join("");
}

import { join } from "node:path";
import { isJsonObject } from "../../../wire/index.ts";
import type { Json, JsonObject } from "../../../wire/index.ts";
import { foreignNpx, onlyServer, pick, plainOutput, settingsIn } from "./program.ts";
import type { Program } from "./program.ts";

export const claudeCode: Program = {
  id: "claude-code",
  command: "claude",
  args: (name) => ["mcp", "get", name],
  refusal: foreignNpx,
  async copies({ client, name }, place, folder) {
    const { CLAUDE_CONFIG_DIR } = place.environment;
    const state = await settingsIn(client.configPath("user", place), client);
    const own = join(CLAUDE_CONFIG_DIR || join(place.homeDirectory, ".claude"), "settings.json");
    const projects = isJsonObject(state["projects"]) ? state["projects"] : {};
    const settings = await settingsIn(own, client);
    return {
      variables: {
        CLAUDE_CONFIG_DIR: folder,
        XDG_CACHE_HOME: join(folder, "cache"),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_AUTOUPDATER: "1",
      },
      files: {
        ".claude.json": JSON.stringify({
          hasCompletedOnboarding: true,
          projects: Object.fromEntries(
            Object.entries(projects).map(([path, project]) => [path, projectWith(project, name)]),
          ),
          ...onlyServer(state, "mcpServers", name),
        }),
        "settings.json": JSON.stringify({
          ...pick(settings, lists),
          ...choicesOf([projects[place.project], settings]),
        }),
      },
    };
  },
  read(output) {
    const text = plainOutput(output);
    const status = /^\s*Status: (.*)$/m.exec(text)?.[1] ?? "";
    const [, why] = /^\s*Issue: (.*)$/m.exec(text) ?? [];
    if (status.includes("Connected")) return { status: "connected" };
    if (status.includes("Pending")) return { status: "pending" };
    if (status.includes("Rejected")) return { status: "rejected" };
    if (status.includes("Disabled")) return { status: "disabled" };
    if (status !== "") return { status: "failed", why: why ?? status.replace(/^\W+/, "") };
    return { status: text.includes("No MCP server") ? "missing" : "unclear", why: text };
  },
  advice: {
    pending: "Start claude in this folder, and approve the server when it asks.",
    rejected:
      "In claude, open /mcp and enable the server; or take its name out of disabledMcpjsonServers in the settings.",
    disabled: "In claude, open /mcp and enable the server.",
  },
};

/** The servers of a project's file that its user allowed or refused, in whichever place. */
function choicesOf(places: readonly (Json | undefined)[]): JsonObject {
  const each = places.filter((place) => isJsonObject(place));
  const joined = (list: string) => each.flatMap(({ [list]: names }) => (Array.isArray(names) ? names : []));
  return {
    enabledMcpjsonServers: joined("enabledMcpjsonServers"),
    disabledMcpjsonServers: joined("disabledMcpjsonServers"),
    enableAllProjectMcpServers: each.some(({ enableAllProjectMcpServers: all }) => all === true),
  };
}

/** An organisation's rules for servers. */
const lists = ["allowedMcpServers", "deniedMcpServers"];

/** Its trust, and its own entry of this server. */
function projectWith(project: Json, name: string): JsonObject {
  const servers = isJsonObject(project) ? onlyServer(project, "mcpServers", name) : {};
  return { ...pick(project, ["hasTrustDialogAccepted", "disabledMcpServers"]), ...servers };
}

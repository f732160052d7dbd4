import { dirname, join } from "node:path";
import { isJsonObject } from "../../../wire/index.ts";
import { jsonIn, onlyServer, pick, settingsIn } from "./program.ts";
import type { Program } from "./program.ts";

/** The first time that any version of it runs, it unpacks itself into ~/.cache/copilot. */
export const copilotCli: Program = {
  id: "copilot-cli",
  command: "copilot",
  args: (name) => ["mcp", "get", name, "--json"],
  async copies({ client, name }, place, folder) {
    const own = client.configPath("user", place) ?? "";
    const settings = await settingsIn(join(dirname(own), "settings.json"), client);
    return {
      variables: { COPILOT_HOME: folder, COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false" },
      files: {
        "mcp-config.json": JSON.stringify(onlyServer(await settingsIn(own, client), "mcpServers", name)),
        "settings.json": JSON.stringify(pick(settings, ["disabledMcpServers"])),
      },
    };
  },
  read(output, { name }) {
    const server = jsonIn(output)?.[name];
    if (!isJsonObject(server)) {
      return { status: output.includes(`Server "${name}" not found`) ? "missing" : "unclear", why: output };
    }
    if (server["enabled"] === false) return { status: "disabled" };
    const { tools } = server;
    if (Array.isArray(tools) && tools.length === 0) return { status: "disabled", why: 'its list "tools" is empty' };
    return { status: "enabled" };
  },
  advice: { disabled: 'Run: copilot mcp enable <server>. Its entry needs "tools": ["*"], too.' },
};

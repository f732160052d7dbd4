// Gemini CLI and what was made from it.
import { dirname, join } from "node:path";
import { readConfigFile } from "../../connect/config/config-file.ts";
import { lineAbout, onlyServer, pick, plainOutput, settingsIn } from "./program.ts";
import type { Program } from "./program.ts";

interface SettingsProgram extends Pick<Program, "id" | "command" | "advice"> {
  /** The variable that names another folder, and the place of its files in there. */
  readonly variable: string;
  readonly folder: string;
  /** Its files beside the settings that say what its user allows. */
  readonly beside: readonly string[];
  readonly refusal?: NonNullable<Program["refusal"]>;
}

function settingsProgram({ variable, folder: inner, beside, ...program }: SettingsProgram): Program {
  return {
    ...program,
    args: () => ["mcp", "list"],
    async copies({ client, name }, place, folder) {
      const own = client.configPath("user", place) ?? "";
      const settings = await settingsIn(own, client);
      const kept = { ...pick(settings, ["$version", "mcp"]), security: pick(settings["security"], ["folderTrust"]) };
      const texts = beside.flatMap((file) => {
        const text = readConfigFile(join(dirname(own), file));
        return text === undefined ? [] : [[join(inner, file), text] as const];
      });
      return {
        variables: { [variable]: folder },
        files: {
          ...Object.fromEntries(texts),
          [join(inner, "settings.json")]: JSON.stringify({ ...kept, ...onlyServer(settings, "mcpServers", name) }),
        },
      };
    },
    read(output, { name }) {
      const [line] = lineAbout(output, name) ?? [];
      if (line === undefined) return { status: "unclear", why: output };
      if (/ - Connected/.test(line)) return { status: "connected" };
      if (/ - Pending approval/.test(line)) return { status: "pending" };
      if (/ - Blocked/.test(line)) return { status: "disabled", why: "its settings exclude it" };
      if (/ - Disabled/.test(line)) {
        return { status: plainOutput(output).includes("untrusted") ? "untrusted" : "disabled" };
      }
      return { status: "failed" };
    },
  };
}

export const geminiCli = settingsProgram({
  id: "gemini-cli",
  command: "gemini",
  variable: "GEMINI_CLI_HOME",
  folder: ".gemini",
  beside: ["trustedFolders.json", "mcp-server-enablement.json"],
  advice: {
    untrusted: "Start gemini in this folder, and trust it when it asks, or type /permissions trust.",
    disabled: "Take it out of mcp.excluded in its settings, or run: gemini mcp enable <server>",
  },
});

export const qwenCode = settingsProgram({
  id: "qwen-code",
  command: "qwen",
  variable: "QWEN_HOME",
  folder: "",
  beside: ["trustedFolders.json", "mcpApprovals.json"],
  // It adds the version of its format to a file that has none, also by being asked.
  refusal({ client }, place) {
    const path = client.configPath("project", place) ?? "";
    const text = readConfigFile(path);
    return text === undefined || text.includes('"$version"') ? undefined : `it would rewrite ${path}`;
  },
  advice: {
    pending: "Run: qwen mcp approve <server>",
    untrusted: "Start qwen in this folder, and trust it when it asks.",
    disabled: "Take it out of mcp.excluded in its settings.",
  },
});

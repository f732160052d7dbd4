// Gemini CLI and what was made from it.
import { dirname, join } from "node:path";
import { readConfigFile } from "../../connect/config/config-file.ts";
import { foreignNpx, lineAbout, onlyServer, pick, plainOutput, settingsIn } from "./program.ts";
import type { ClientEntry, Program } from "./program.ts";

interface SettingsProgram extends Pick<Program, "id" | "command" | "advice"> {
  /** The variable that names another folder, and the place of its files in there. */
  readonly variable: string;
  readonly folder: string;
  /** Its files beside the settings that say what its user allows. */
  readonly beside: readonly string[];
  /** Another file of a project in which it finds servers. */
  readonly servers?: string;
  /** Why it would change the project's settings, which are in this file. */
  change?(path: string): string | undefined;
}

function settingsProgram({ variable, folder: inner, beside, servers, change, ...program }: SettingsProgram): Program {
  return {
    ...program,
    args: () => ["mcp", "list"],
    async refusal(entry, place) {
      const path = entry.client.configPath("project", place) ?? "";
      return (
        change?.(path) ??
        (await strangers(path, entry, entry.scope === "project")) ??
        (servers && (await strangers(join(place.project, servers), entry, true))) ??
        foreignNpx(entry, place)
      );
    },
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
      if (/ - Rejected/.test(line)) return { status: "rejected" };
      if (/ - Blocked/.test(line)) return { status: "disabled", why: "its settings exclude it" };
      if (/ - Disabled/.test(line)) {
        return { status: plainOutput(output).includes("untrusted") ? "untrusted" : "disabled" };
      }
      return { status: "failed" };
    },
  };
}

/** Why its list, which starts servers, may start others than this one: a file of the project names them. */
async function strangers(path: string, { client, name }: ClientEntry, isOwn: boolean): Promise<string | undefined> {
  const names = Object.keys(await client.format.servers(readConfigFile(path) ?? ""));
  const other = names.find((each) => !isOwn || each !== name);
  return other === undefined ? undefined : `it may start the ${other} that ${path} names`;
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
  servers: ".mcp.json",
  // It adds the version of its format to a file that has none, also by being asked.
  change(path) {
    const text = readConfigFile(path);
    return text === undefined || text.includes('"$version"') ? undefined : `it would rewrite ${path}`;
  },
  advice: {
    pending: "Run: qwen mcp approve <server>",
    rejected: "Run: qwen mcp approve <server>",
    untrusted: "Start qwen in this folder, and trust it when it asks.",
    disabled: "Take it out of mcp.excluded in its settings.",
  },
});

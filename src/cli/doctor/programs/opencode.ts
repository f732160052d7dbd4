import { join } from "node:path";
import { stateDirectory } from "../../../state/index.ts";
import { isOwnCommand } from "../../connect/launch.ts";
import { lineAbout } from "./program.ts";
import type { Program } from "./program.ts";

/** It starts the servers of a project's file without asking, so it gets one entry and none of its files. */
export const opencode: Program = {
  id: "opencode",
  command: "opencode",
  args: () => ["mcp", "list"],
  refusal: ({ scope, entry }) =>
    scope === "user" || isOwnCommand(entry)
      ? undefined
      : "it would start what the project's file names, which is not what connect writes",
  copies: async ({ name, written }, { environment, platform, homeDirectory }, folder) => ({
    variables: {
      ...Object.fromEntries(
        ["CONFIG", "DATA", "STATE", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]),
      ),
      // The server must find the same hub, although XDG_STATE_HOME is another one here.
      PAGEWIRE_HOME: stateDirectory(environment, platform, homeDirectory),
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: { [name]: written } }),
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
    files: {},
  }),
  read(output, { name }) {
    const [line, next] = lineAbout(output, name) ?? [];
    if (line === undefined) return { status: "unclear", why: output };
    if (/✓/.test(line)) return { status: "connected" };
    if (/disabled/.test(line)) return { status: "disabled" };
    return { status: "failed", why: (next ?? "").replace(/^\W+/, "") };
  },
  advice: { disabled: 'Take "enabled": false out of its entry.' },
};

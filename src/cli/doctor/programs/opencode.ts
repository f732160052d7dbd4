import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateDirectory } from "../../../state/index.ts";
import { isNpx, isOwnCommand } from "../../connect/launch.ts";
import { foreignPackage, lineAbout, pick } from "./program.ts";
import type { Program } from "./program.ts";

/** It starts the servers of a project's file without asking, so it gets one entry and none of its files, in another folder. */
export const opencode: Program = {
  id: "opencode",
  command: "opencode",
  args: () => ["mcp", "list"],
  refusal({ scope, entry }, place) {
    if (scope === "project" && !isOwnCommand(entry, place)) {
      return "it would start what the project's file names, which is not what connect writes for a hub of this machine";
    }
    if (!isNpx(entry)) return undefined;
    // In another folder npx would not find the package of the project.
    return (scope === "project" ? foreignPackage(place.project, place) : undefined) ?? foreignPackage(tmpdir(), place);
  },
  copies: async ({ name, scope, written }, { environment, platform, homeDirectory }, folder) => ({
    cwd: folder,
    variables: {
      ...Object.fromEntries(
        ["CONFIG", "DATA", "STATE", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, join(folder, kind)]),
      ),
      // The server must find the same hub, although XDG_STATE_HOME is another one here.
      PAGEWIRE_HOME: stateDirectory(environment, platform, homeDirectory),
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        mcp: { [name]: scope === "user" ? written : pick(written, ownFields) },
      }),
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

/** The fields that were checked, and those that decide whether it is used. */
const ownFields = ["type", "command", "environment", "enabled", "timeout"];

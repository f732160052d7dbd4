import { fileURLToPath } from "node:url";
import type { MountShell } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import type { FindPtyOptions } from "../../terminal/index.ts";
import type { Io } from "../io.ts";
import { installCommand } from "./install-command.ts";

export interface MountTerminalsOptions {
  readonly io: Pick<Io, "environment" | "platform">;
  readonly state: Pick<State, "directory">;
  readonly klangk: boolean;
  /** Loads the package that opens pseudo terminals, by its name. */
  readonly loadPty?: FindPtyOptions["loadPty"];
}

/** What serves the terminals of a hub that this command runs; rejects with what to install where something is missing. */
export async function mountTerminals({ io, state, klangk, loadPty }: MountTerminalsOptions): Promise<MountShell> {
  const { createTerminalDoor, findPty } = await import("../../terminal/index.ts");
  await findPty({ loadPty, install: (name) => howToInstall(name, io) });
  return createTerminalDoor({
    stateDirectory: state.directory,
    klangk,
    cli: [process.execPath, process.argv[1] ?? ""],
    environment: io.environment,
    loadPty,
  });
}

/** The command that adds a package to the installation that runs. */
export function howToInstall(name: string, { platform }: Pick<Io, "platform">): string {
  return installCommand({ name, file: fileURLToPath(import.meta.url), platform });
}

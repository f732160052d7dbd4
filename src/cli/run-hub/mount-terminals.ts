import { fileURLToPath } from "node:url";
import type { MountShell } from "../../hub/index.ts";
import type { State } from "../../state/index.ts";
import type { FindPtyOptions } from "../../terminal/index.ts";
import type { Io } from "../common/io.ts";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWords } from "../console/shell-words.ts";

export interface MountTerminalsOptions {
  readonly io: Pick<Io, "environment" | "platform">;
  readonly state: Pick<State, "directory">;
  readonly klangk: boolean;
  /** Loads the package that opens pseudo terminals, by its name. */
  readonly loadPty?: FindPtyOptions["loadPty"];
}

/** Loads the door for terminals; rejects with how to install a missing package. */
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

interface InstallOptions {
  /** The package that is missing. */
  readonly name: string;
  /** A file of this installation of Pagewire, with links resolved. */
  readonly file: string;
  readonly platform: string;
  readonly exists?: (path: string) => boolean;
}

/** The one command that puts a package where this installation of Pagewire finds it. */
export function installCommand({ name, file, platform, exists = existsSync }: InstallOptions): string {
  const words = (...all: readonly string[]) => shellWords(all, platform);
  const path = file.replaceAll("\\", "/");
  const at = path.indexOf("/node_modules/");
  // An installation of npx cannot be changed; npx creates another one for both packages.
  if (path.includes("/_npx/"))
    return words("npx", `--package=pagewire`, `--package=${name}`, "pagewire", "hub", "--terminal");
  if (at < 0) return words("npm", "install", "--prefix", folderOfSources(path, exists));
  const folder = path.slice(0, at);
  const isPnpm = path.includes("/node_modules/.pnpm/");
  const isGlobal = isPnpm ? /\/pnpm\/global\//.test(path) : !exists(join(folder, "package.json"));
  if (isPnpm) return isGlobal ? words("pnpm", "add", "--global", name) : words("pnpm", "--dir", folder, "add", name);
  return isGlobal ? words("npm", "install", "--global", name) : words("npm", "install", "--prefix", folder, name);
}

/** The folder of a checkout, whose own dependencies include the package. */
function folderOfSources(path: string, exists: (path: string) => boolean): string {
  let folder = dirname(path);
  while (!exists(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

import { join } from "node:path";
import { quote } from "./quote.ts";
import { writeScript } from "./write-script.ts";

export interface ShellFolderOptions {
  readonly stateDirectory: string;
  /** How this installation's command is run: a program and its first arguments. */
  readonly cli: readonly string[];
  /** Whether its commands also have the names that programs written for klangk know. */
  readonly klangk: boolean;
}

/** What each of klangk's scripts is here. */
const klangkCommands = {
  "klangk-attach-browser": "attach-browser",
  "klangk-browser-id": "browser-id",
  "klangk-workspace-token": "workspace-token",
  "klangk-copy-to-clipboard": "copy-to-clipboard",
};

/** Writes the commands that the shells of terminals find, and returns the folders to put at the end of PATH. */
export function createShellFolder({ stateDirectory, cli, klangk }: ShellFolderOptions): readonly string[] {
  const command = cli.map(quote).join(" ");
  const bin = join(stateDirectory, "terminal", "bin");
  writeScript(join(bin, "pagewire"), [`exec ${command} "$@"`]);
  if (!klangk) return [bin];
  const folder = join(stateDirectory, "terminal", "klangk");
  for (const [name, own] of Object.entries(klangkCommands)) {
    writeScript(join(folder, name), [`exec ${command} ${own} "$@"`]);
  }
  return [bin, folder];
}

import { join, dirname } from "node:path";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";

export interface ShellFolderOptions {
  readonly stateDirectory: string;
  /** The command line of this installation: a program and its first arguments. */
  readonly cli: readonly string[];
  /** Whether its commands also have klangk's names, for programs written for klangk. */
  readonly klangk: boolean;
}

/** Our equivalents of klangk's scripts. */
const klangkCommands = {
  "klangk-attach-browser": "attach-browser",
  "klangk-browser-id": "browser-id",
  "klangk-workspace-token": "workspace-token",
  "klangk-copy-to-clipboard": "copy-to-clipboard",
};

/** Writes the commands for shells, and returns the folders to append to PATH. */
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

interface ShellScripts {
  readonly shell: string;
  /** The same in tmux, which does not report how a shell ended: the exit code is written to a file. */
  readonly run: string;
}

interface ShellScriptsOptions {
  readonly stateDirectory: string;
  /** Folders to append to PATH. */
  readonly folders: readonly string[];
  readonly platform: string;
  /** The folder for the exit codes of terminals' shells, in files named by id with the ending ".exit". */
  readonly exitFolder: string;
}

/** Writes the scripts that shells are started with. */
export function createShellScripts(options: ShellScriptsOptions): ShellScripts {
  const { stateDirectory, folders, platform, exitFolder } = options;
  const shell = join(stateDirectory, "terminal", "shell");
  const run = join(stateDirectory, "terminal", "run");
  const addFolders = [
    `for folder in ${folders.map(quote).join(" ")}; do`,
    '  case ":$PATH:" in *":$folder:"*) ;; *) PATH="$PATH:$folder" ;; esac',
    "done",
    "export PATH",
  ];
  writeScript(shell, platform === "darwin" ? onMac(addFolders) : elsewhere(addFolders, shell));
  writeScript(run, [
    "terminal=$PAGEWIRE_TERMINAL",
    `sh ${quote(shell)}`,
    "code=$?",
    `if [ -n "$terminal" ]; then echo "$code" > ${quote(exitFolder)}/"$terminal.exit"; fi`,
    'exit "$code"',
  ]);
  return { shell, run };
}

/** On macOS a login shell keeps the end of PATH, and users expect one. */
function onMac(addFolders: readonly string[]): readonly string[] {
  return [...addFolders, 'exec "$SHELL" -l'];
}

/**
 * On other systems, a login shell's files may reset PATH, as Debian's do. So a login shell reads them first, and then
 * executes an ordinary shell. csh accepts no command together with -l.
 */
function elsewhere(addFolders: readonly string[], shell: string): readonly string[] {
  return [
    'case "$1:$SHELL" in',
    "  inside:* | *csh) ;;",
    `  *) exec "$SHELL" -l -c "exec sh "${quote(quote(shell))}" inside" ;;`,
    "esac",
    ...addFolders,
    'exec "$SHELL"',
  ];
}

/** Quotes a word for a shell or for tmux. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Writes a file atomically, with access for its owner only. */
export function writeOwnFile(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

/** Writes an executable script for /bin/sh. */
function writeScript(path: string, lines: readonly string[]): void {
  writeOwnFile(path, ["#!/bin/sh", ...lines, ""].join("\n"), 0o700);
}

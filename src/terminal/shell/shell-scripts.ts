import { join } from "node:path";
import { quote } from "./quote.ts";
import { writeScript } from "./write-script.ts";

export interface ShellScripts {
  /** Starts the shell that $SHELL names. */
  readonly shell: string;
  /** The same in tmux, whose clients do not hear how a shell ended: it is written down. */
  readonly run: string;
}

export interface ShellScriptsOptions {
  readonly stateDirectory: string;
  /** Folders that belong at the end of PATH. */
  readonly folders: readonly string[];
  readonly platform: string;
  /** Where the exit code of a terminal's shell is written, as its id with the ending ".exit". */
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

/** There a login shell keeps what PATH ends with, and is what people are used to. */
function onMac(addFolders: readonly string[]): readonly string[] {
  return [...addFolders, 'exec "$SHELL" -l'];
}

/**
 * Elsewhere the files of a login shell may set PATH anew, as Debian's do. So they are read first, by a shell that then
 * becomes an ordinary one. That of csh takes no command together with -l.
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

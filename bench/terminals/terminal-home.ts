// The home of one contestant's shells: a folder with a text to print, and its own tmux server.
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export interface TerminalHome {
  readonly folder: string;
  /** The tmux server's process; undefined where none runs. */
  tmuxServer(): Promise<number | undefined>;
  close(): void;
}

/** The file in it that is printed. */
export const textFile = "text";

/** Cleanups to run if this process ends early. */
const endings = new Set<() => void>();
process.once("exit", () => endings.forEach((end) => end()));

export function createTerminalHome(text: string): TerminalHome {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-bench-"));
  writeFileSync(join(folder, ".bashrc"), "PS1='$ '\nbind 'set enable-bracketed-paste off'\nunset HISTFILE\n");
  writeFileSync(join(folder, ".tmux.conf"), "set -g status off\n");
  writeFileSync(join(folder, textFile), text);

  /** A server's socket lies in a folder that tmux makes, named after the user. */
  function socket(): string | undefined {
    const made = readdirSync(folder).find((name) => name.startsWith("tmux-"));
    const [name] = made === undefined ? [] : readdirSync(join(folder, made));
    return made !== undefined && name !== undefined ? join(folder, made, name) : undefined;
  }

  function close(): void {
    endings.delete(close);
    const path = socket();
    try {
      if (path !== undefined) execFileSync("tmux", ["-S", path, "kill-server"], { stdio: "ignore" });
    } catch {
      // It ended with its last session.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  endings.add(close);
  return {
    folder,
    close,
    async tmuxServer() {
      const path = socket();
      if (path === undefined) return undefined;
      const { stdout } = await promisify(execFile)("tmux", ["-S", path, "list-sessions", "-F", "#{pid}"]);
      return Number.parseInt(stdout, 10);
    },
  };
}

/** The environment of the shells in a home; their tmux finds its server there. */
export function environmentIn(folder: string): Readonly<Record<string, string>> {
  const { PATH = "/usr/local/bin:/usr/bin:/bin" } = process.env;
  return { PATH, HOME: folder, SHELL: "/bin/bash", LANG: "C.UTF-8", TMUX_TMPDIR: folder };
}

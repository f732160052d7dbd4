// A tmux server of a test's own, with sessions that real programs run in.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TmuxServer {
  /** Runs a tmux command; returns its output. */
  tmux(...command: readonly string[]): string;
  /** Starts a session; returns the environment that tmux gives to its programs. */
  session(name: string): { readonly TMUX: string; readonly TMUX_PANE: string; readonly PATH: string };
  /** Types a command into a session's pane, and waits until it has run. */
  run(session: string, command: string): Promise<void>;
  /** Resolves when a program in the session runs `tmux wait-for -S <name>`. */
  said(name: string): Promise<void>;
  close(): void;
}

export function startTmux(environment: Readonly<Record<string, string>> = {}): TmuxServer {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-tmux-"));
  const socket = join(folder, "socket");
  const PATH = process.env["PATH"] ?? "";
  const env = { PATH, HOME: folder, TERM: "xterm-256color", LANG: "C.UTF-8", ...environment };
  const tmux = (...command: readonly string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...command], { env, encoding: "utf8", stdio: "pipe" });

  async function said(name: string): Promise<void> {
    await once(spawn("tmux", ["-S", socket, "wait-for", name], { env, stdio: "ignore" }), "exit");
  }

  return {
    tmux,
    session(name) {
      tmux("new-session", "-d", "-s", name, "-x", "80", "-y", "24", "sh");
      const about = tmux("display-message", "-p", "-t", name, "#{socket_path},#{pid},#{session_id} #{pane_id}");
      const [TMUX = "", TMUX_PANE = ""] = about.trim().replace(",$", ",").split(" ");
      return { TMUX, TMUX_PANE, PATH };
    },
    async run(session, command) {
      const done = `done-${crypto.randomUUID()}`;
      tmux("send-keys", "-t", session, "-l", `${command}; tmux wait-for -S ${done}\n`);
      await said(done);
    },
    said,
    close() {
      // A server whose last session has ended has already exited.
      spawnSync("tmux", ["-S", socket, "kill-server"], { env });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

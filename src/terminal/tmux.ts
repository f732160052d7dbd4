// Our own tmux server, with one session for each terminal, which survives the hub. Commands go through its standard
// input, because every user of a machine can read the arguments of a process.
import { execFile } from "node:child_process";
import { PagewireError, messageOf } from "../wire/index.ts";
import { quote } from "./shell/shell-scripts.ts";
import { createHash } from "node:crypto";
import type { Pty } from "./pty/start-pty.ts";

export interface Tmux {
  /** Starts the server, if it does not run yet, and a session in it with its first shell. */
  open(session: NewSession): Promise<void>;
  /** The command that shows a session in a pseudo terminal. */
  attach(id: string): readonly string[];
  /** The names of all sessions; empty if the server does not run. */
  sessions(): Promise<ReadonlySet<string>>;
  /** The program in the foreground of each session. */
  programs(): Promise<ReadonlyMap<string, string>>;
  /** Sets variables for future shells of a session. */
  setVariables(id: string, variables: Readonly<Record<string, string>>): Promise<void>;
  /** Pastes a text into the foreground program. */
  paste(id: string, text: string): Promise<void>;
  /** Redraws the screen. */
  repaint(id: string): Promise<void>;
  /** The devices of the shells in a session. */
  devices(id: string): Promise<readonly string[]>;
  end(id: string): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  readonly columns: number;
  readonly rows: number;
  readonly directory: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface TmuxOptions {
  readonly command: string;
  /** The name of the server's socket. */
  readonly server: string;
  readonly conf: string;
  /** The server's own environment, which all of its sessions share. */
  readonly environment: Readonly<Record<string, string>>;
}

const timeout = 10_000;
/** The server does not run, or has just exited with its last session. */
const isGone = (error: unknown) =>
  /no server running|error connecting|server exited|lost server/.test(messageOf(error));
const maxStarts = 5;

export function createTmux({ command, server, conf, environment }: TmuxOptions): Tmux {
  /** With -u, output is UTF-8 in every locale. */
  const first = ["-u", "-L", server, "-f", conf];

  function run(args: readonly string[], input = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { env: { ...environment }, timeout, maxBuffer: 1024 * 1024 };
      const child = execFile(command, [...first, ...args], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new PagewireError("terminal-unavailable", `tmux refused: ${stderr.trim() || error.message}`));
      });
      // An exited process reads no input.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  }

  const lines = async (...args: string[]): Promise<readonly string[]> => {
    const output = await run(args).catch(() => "");
    return output.split("\n").filter((line) => line !== "");
  };

  /** A server without sessions exits by itself, unless it is configured to wait for the first. */
  async function start(): Promise<void> {
    for (let starts = 1; ; starts++) {
      try {
        return void (await run(["start-server", ";", "set-option", "-s", "exit-empty", "off"]));
      } catch (error) {
        // A server that is shutting down refuses connections. The next try starts a new one.
        if (!isGone(error) || starts === maxStarts) throw error;
      }
    }
  }

  async function open({ id, columns, rows, directory, variables }: NewSession): Promise<void> {
    await start();
    try {
      const given = Object.entries(variables).map(([name, value]) => `-e ${quote(`${name}=${value}`)}`);
      const size = `-x ${columns} -y ${rows}`;
      // In the name of a directory, tmux expands "#" as a format.
      const place = `-c ${quote(directory.replaceAll("#", "##"))}`;
      await run(["source-file", "-"], `new-session -d -s ${id} ${size} ${place} ${given.join(" ")}\n`);
    } finally {
      await run(["set-option", "-s", "exit-empty", "on"]).catch(() => "");
    }
  }

  let opening: Promise<unknown> = Promise.resolve();

  return {
    open(session) {
      // In sequence, because parallel starts would race.
      const opened = opening.then(() => open(session));
      opening = opened.catch(() => {});
      return opened;
    },
    attach: (id) => [command, ...first, "attach-session", "-t", `=${id}`],
    async sessions() {
      const output = await run(["list-sessions", "-F", "#{session_name}"]).catch((error: unknown) => {
        if (isGone(error)) return "";
        throw error;
      });
      return new Set(output.split("\n"));
    },
    async programs() {
      const format = "#{window_active}#{pane_active} #{session_name} #{pane_current_command}";
      const panes = await lines("list-panes", "-a", "-F", format);
      const active = panes.map((line) => /^11 (\S+) (.+)$/.exec(line)).filter((found) => found !== null);
      return new Map(active.map(([, id = "", program = ""]) => [id, program]));
    },
    async setVariables(id, variables) {
      const each = Object.entries(variables).map(
        ([name, value]) => `set-environment -t =${id} ${name} ${quote(value)}`,
      );
      await run(["source-file", "-"], `${each.join("\n")}\n`);
    },
    async paste(id, text) {
      const name = `pagewire-${id}`;
      const [usage = ""] = await lines("list-commands", "paste-buffer");
      // Newer versions strip escape sequences by default.
      const asItIs = /\[-\w*S\w*\]/.test(usage) ? ["-d", "-r", "-S"] : ["-d", "-r"];
      await run(["load-buffer", "-b", name, "-", ";", "paste-buffer", ...asItIs, "-b", name, "-t", `=${id}:`], text);
    },
    async repaint(id) {
      const clients = await lines("list-clients", "-t", `=${id}`, "-F", "#{client_name}");
      for (const client of clients) await run(["refresh-client", "-t", client]).catch(() => "");
    },
    devices: (id) => lines("list-panes", "-s", "-t", `=${id}`, "-F", "#{pane_tty}"),
    async end(id) {
      await run(["kill-session", "-t", `=${id}`]).catch(() => "");
    },
  };
}

/** The name of the tmux server of the hub with this state directory, for `tmux -L`. */
export function tmuxServerName(stateDirectory: string): string {
  return `pagewire-${createHash("sha256").update(stateDirectory).digest("hex").slice(0, 12)}`;
}

interface TmuxConfOptions {
  /** The script that runs shells. */
  readonly run: string;
  readonly shell: string;
  readonly platform: string;
}

/**
 * The configuration of the server of our sessions: first defaults that suit a browser, then the user's own
 * configuration, and last the settings that must not be changed.
 */
export function tmuxConf({ run, shell, platform }: TmuxConfOptions): string {
  // The old library of macOS does not know the better one.
  const terminal = platform === "darwin" ? "screen-256color" : "tmux-256color";
  return [
    `set -g default-terminal ${terminal}`,
    `set -g default-shell ${quote(shell)}`,
    "set -asq terminal-features ',xterm-256color:RGB'",
    "set -g mouse on",
    "set -g history-limit 50000",
    "set -s escape-time 10",
    "set -s focus-events on",
    // The page has a frame of its own around it.
    "set -g status off",
    "source-file -q /etc/tmux.conf",
    "source-file -q ~/.tmux.conf",
    "source-file -q ~/.config/tmux/tmux.conf",
    // A shell outlives the page that shows it, and starts as the hub configures it.
    "set -s exit-unattached off",
    "set -g destroy-unattached off",
    // Otherwise a view whose shell ended would show another terminal.
    "set -g detach-on-destroy on",
    "set -g remain-on-exit off",
    "set -g window-size latest",
    `set -g default-command ${quote(`exec sh ${quote(run)}`)}`,
    // Copied text reaches the page.
    "set -s set-clipboard on",
    "set -gq allow-passthrough on",
    "",
  ].join("\n");
}

/** More than anyone types at once, and little enough for every system's buffers. */
const maxTyped = 1024;

/**
 * A pseudo terminal that pastes long input into tmux. tmux parses keys, and treats the first half of a character as a
 * key if the rest does not follow quickly: it would lose parts of a long paste. It would also run text that looks like
 * its own keys as commands.
 */
export function pasteLong(pty: Pty, paste: (text: string) => Promise<void>): Pty {
  let pasting: Promise<void> | undefined;
  let waitingBytes = 0;

  async function next(before: Promise<void> | undefined, text: string): Promise<void> {
    await before;
    if (text.length <= maxTyped) pty.write(text);
    else await paste(text).catch(() => pty.write(text));
    waitingBytes -= text.length;
  }

  return {
    ...pty,
    get waitingBytes() {
      return pty.waitingBytes + waitingBytes;
    },
    write(text) {
      if (!pasting && text.length <= maxTyped) return pty.write(text);
      waitingBytes += text.length;
      const mine = next(pasting, text).finally(() => {
        if (pasting === mine) pasting = undefined;
      });
      pasting = mine;
    },
  };
}

/** Older versions cannot give a session its own variables before its first shell starts. */
const oldest = 3.2;

/**
 * The tmux to use: false is none, true or undefined the one that PATH has, a text a path. Undefined where there is
 * none.
 */
export async function findTmux(
  wanted: boolean | string | undefined,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (wanted === false) return undefined;
  const command = typeof wanted === "string" ? wanted : "tmux";
  const output = await new Promise<string>((resolve) => {
    execFile(command, ["-V"], { env: environment, timeout: 5000 }, (error, stdout) => resolve(error ? "" : stdout));
  });
  const [, version] = /^tmux (?:next-)?(\d+\.\d+)/.exec(output) ?? [];
  return Number(version) >= oldest ? command : undefined;
}

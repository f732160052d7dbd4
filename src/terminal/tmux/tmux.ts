// Our own tmux server, with one session for each terminal, which survives the hub. Commands go through its standard
// input, because every user of a machine can read the arguments of a process.
import { execFile } from "node:child_process";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { quote } from "../shell/quote.ts";
import { createHash } from "node:crypto";

export interface Tmux {
  /** Starts the server, if it does not run yet, and a session in it with its first shell. */
  open(session: NewSession): Promise<void>;
  /** The command that shows a session in a pseudo terminal. */
  attach(id: string): readonly string[];
  /** The names of all sessions; empty if the server does not run. */
  sessions(): Promise<ReadonlySet<string>>;
  /** Sets variables for future shells of a session. */
  tell(id: string, variables: Readonly<Record<string, string>>): Promise<void>;
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

const answerTime = 10_000;
/** The server does not run, or has just exited with its last session. */
const isGone = (error: unknown) =>
  /no server running|error connecting|server exited|lost server/.test(messageOf(error));
const mostStarts = 5;

export function createTmux({ command, server, conf, environment }: TmuxOptions): Tmux {
  /** With -u, output is UTF-8 in every locale. */
  const first = ["-u", "-L", server, "-f", conf];

  function run(args: readonly string[], input = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { env: { ...environment }, timeout: answerTime, maxBuffer: 1024 * 1024 };
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
    const said = await run(args).catch(() => "");
    return said.split("\n").filter((line) => line !== "");
  };

  /** A server without sessions exits by itself, unless it is configured to wait for the first. */
  async function start(): Promise<void> {
    for (let starts = 1; ; starts++) {
      try {
        return void (await run(["start-server", ";", "set-option", "-s", "exit-empty", "off"]));
      } catch (error) {
        // A server that is shutting down refuses connections. The next try starts a new one.
        if (!isGone(error) || starts === mostStarts) throw error;
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
      const said = await run(["list-sessions", "-F", "#{session_name}"]).catch((error: unknown) => {
        if (isGone(error)) return "";
        throw error;
      });
      return new Set(said.split("\n"));
    },
    async tell(id, variables) {
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

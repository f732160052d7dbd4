// Asks the tmux server that a process runs in. It handles sockets and sessions, not the meaning of their variables.
import { execFile } from "node:child_process";
import { PagewireError } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";

type Environment = Io["environment"];

/** The tmux session that a process belongs to. */
export interface TmuxSession {
  /** The target for tmux's `-t`: the process's pane, else its session. */
  readonly target: string;
  /** Runs one tmux command, with something for it to read; undefined where tmux refuses it or is not there. */
  ask(command: readonly string[], input?: string): Promise<string | undefined>;
}

const answerTimeout = 5000;
const maxAnswerLength = 1024 * 1024;

/** The session that this environment belongs to; undefined outside of tmux. */
export function findTmuxSession(environment: Environment): TmuxSession | undefined {
  const { TMUX, TMUX_PANE } = environment;
  const [, socket, session] = /^(.+),\d+,(\d+)$/.exec(TMUX ?? "") ?? [];
  if (socket === undefined || session === undefined) return undefined;
  return {
    // A process that tmux itself starts, as for `copy-pipe`, has a session but no pane.
    target: TMUX_PANE !== undefined && /^%\d+$/.test(TMUX_PANE) ? TMUX_PANE : `$${session}`,
    ask: (command, input = "") => runTmux(["-S", socket, ...command], input, environment),
  };
}

function runTmux(args: readonly string[], input: string, environment: Environment): Promise<string | undefined> {
  const options = {
    env: environment,
    timeout: answerTimeout,
    killSignal: "SIGKILL",
    maxBuffer: maxAnswerLength,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile("tmux", args, options, (error, stdout) => {
      // Continuing without an answer could act in the tab of another terminal.
      if (error?.killed === true) reject(new PagewireError("deadline-exceeded", silent));
      else resolve(error === null ? stdout : undefined);
    });
    // A tmux that is not there, or refuses, does not read.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

const silent = `tmux did not say within ${answerTimeout / 1000} seconds which terminal this is. Look whether it still runs: tmux info`;

/** Variables by name; null is one that was taken away, which is more than one that is not there. */
export type SessionVariables = Readonly<Record<string, string | null>>;

/** Reads the environment of this session alone, whether or not a client shows it. */
export async function readSession({ ask, target }: TmuxSession): Promise<SessionVariables> {
  return parseVariables((await ask(["show-environment", "-t", target])) ?? "");
}

/** Reads the environment that the server was started with; it belongs to no session in particular. */
export async function readServer({ ask }: TmuxSession): Promise<SessionVariables> {
  return parseVariables((await ask(["show-environment", "-g"])) ?? "");
}

/** Writes variables into the environment of this session; returns whether tmux took them. */
export async function writeSession(
  { ask, target }: TmuxSession,
  variables: Readonly<Record<string, string>>,
): Promise<boolean> {
  const commands = Object.entries(variables).map(
    ([name, value]) => `set-environment -t ${quote(target)} ${name} ${quote(value)}`,
  );
  // Through stdin: every user of the machine can read a command's arguments.
  return (await ask(["source-file", "-"], `${commands.join("\n")}\n`)) !== undefined;
}

function parseVariables(text: string): SessionVariables {
  const variables: Record<string, string | null> = {};
  for (const line of text.split("\n")) {
    const [, removed, name, value] = /^(?:-([A-Z_]+)|([A-Z_]+)=(.*))$/.exec(line) ?? [];
    if (removed !== undefined) variables[removed] = null;
    if (name !== undefined && value !== undefined) variables[name] = value;
  }
  return variables;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

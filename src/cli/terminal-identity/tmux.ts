// Asks the tmux server that a process runs in. It knows sockets and sessions, not what their variables mean.
import { execFile } from "node:child_process";
import { PagewireError } from "../../wire/index.ts";
import type { Io } from "../io.ts";

type Environment = Io["environment"];

/** The tmux session that a process belongs to. */
export interface TmuxSession {
  /** What tmux takes for `-t`: the pane that asks, else its session. */
  readonly target: string;
  /** Runs one tmux command, with something for it to read; undefined where tmux refuses it or is not there. */
  ask(command: readonly string[], input?: string): Promise<string | undefined>;
}

const ANSWER_TIME = 5000;
const LONGEST_ANSWER = 1024 * 1024;

/** The session that this environment belongs to; undefined outside of tmux. */
export function findTmuxSession(environment: Environment): TmuxSession | undefined {
  const { TMUX, TMUX_PANE } = environment;
  const [, socket, session] = /^(.+),\d+,(\d+)$/.exec(TMUX ?? "") ?? [];
  if (socket === undefined || session === undefined) return undefined;
  return {
    // What tmux itself starts, as for `copy-pipe`, knows its session and no pane.
    target: TMUX_PANE !== undefined && /^%\d+$/.test(TMUX_PANE) ? TMUX_PANE : `$${session}`,
    ask: (command, input = "") => runTmux(["-S", socket, ...command], input, environment),
  };
}

function runTmux(args: readonly string[], input: string, environment: Environment): Promise<string | undefined> {
  const options = { env: environment, timeout: ANSWER_TIME, killSignal: "SIGKILL", maxBuffer: LONGEST_ANSWER } as const;
  return new Promise((resolve, reject) => {
    const child = execFile("tmux", args, options, (error, stdout) => {
      // To go on without an answer could be to act in the tab of another terminal.
      if (error?.killed === true) reject(new PagewireError("deadline-exceeded", silent));
      else resolve(error === null ? stdout : undefined);
    });
    // A tmux that is not there, or refuses, does not read.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

const silent = `tmux did not say within ${ANSWER_TIME / 1000} seconds which terminal this is. Look whether it still runs: tmux info`;

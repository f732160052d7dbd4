// A program in a terminal, as a person has it: a screen to read, and keys to press.
import { startTmux } from "../../../src/cli/test-support/tmux-server.test-helper.ts";
import { guardGroup, signalGroup } from "../../e2e/support/process-groups.ts";
import { waitUntil } from "../../e2e/support/wait.ts";

const [columns, rows] = [100, 36];

/** Programs draw a dialog a moment before they take its keys, so that a person presses again: after this many milliseconds. */
const patience = 2000;

export interface Terminal {
  /** The text on the screen. */
  screen(): string;
  /** Types words, and waits until the screen shows them. */
  type(text: string): Promise<void>;
  /** Presses a key by its name in tmux until the screen shows this, or something else is so. */
  press(key: string, until: RegExp | (() => boolean)): Promise<void>;
  /** Resolves once the screen shows this. */
  shows(what: RegExp): Promise<void>;
  /** Closes it as its window is closed, which the program learns by a signal; one that does not end is killed. */
  close(): Promise<void>;
}

/** The time for a program to end after its terminal, in milliseconds. */
const closeTime = 5000;

interface TerminalOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder that is "~" on the screen. */
  readonly home: string;
}

/** A person starts programs from a shell: the end of the terminal reaches all that runs in front of it. */
const inShell = ["--", "sh", "-c", '"$@"; exit', "sh"];

/** Runs a command in a terminal of a server of its own, which ends no later than this process. */
export function openTerminal({ command, cwd, env, home }: TerminalOptions): Terminal {
  const { tmux, close } = startTmux(env);
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", cwd, ...inShell, ...command);
  const leader = Number(tmux("display-message", "-p", "#{pane_pid}"));
  const guard = guardGroup(leader, "");

  const screen = () => atHome(tmux("capture-pane", "-p"), home);
  const late = (what: RegExp | (() => boolean)) => () =>
    `The screen does not change as expected (${String(what)}):\n${screen()}`;
  const shows = async (what: RegExp) => {
    await waitUntil(async () => what.test(screen()), late(what));
  };

  return {
    screen,
    shows,
    async type(text) {
      tmux("send-keys", "-l", text);
      await shows(new RegExp(text));
    },
    async press(key, until) {
      const isDone = typeof until === "function" ? until : () => until.test(screen());
      let pressed = -Infinity;
      await waitUntil(async () => {
        if (isDone()) return true;
        if (performance.now() - pressed < patience) return false;
        tmux("send-keys", key);
        pressed = performance.now();
        return false;
      }, late(until));
    },
    async close() {
      close();
      const began = performance.now();
      const isOver = async () => performance.now() - began > closeTime || !isRunning(-leader);
      await waitUntil(isOver, () => "The program does not end.");
      signalGroup(leader, "SIGKILL");
      guard.kill("SIGKILL");
    },
  };
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** Puts "~" where the screen has the path of the home, without moving what is right of it. */
function atHome(screen: string, home: string): string {
  return screen.replaceAll(new RegExp(`${home}(\\S*)`, "g"), (path, inside: string) =>
    `~${inside}`.padEnd(path.length),
  );
}

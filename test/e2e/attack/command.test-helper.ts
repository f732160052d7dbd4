// The real `pagewire` command, run to its end as a user would.
import { fileURLToPath } from "node:url";
import { spawnOwned } from "../support/processes.ts";
import { within } from "../support/wait.ts";

const builtCommand = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface CommandEnd {
  readonly code: number | null;
  /** Its output on stdout and stderr. */
  readonly text: string;
}

export interface CommandOptions {
  /** The state directory. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Resolves when a command that would keep running has done its work. */
  readonly until?: Promise<unknown>;
}

/** Runs it with no terminal and nothing on stdin; a command that keeps running is ended once `until` resolves. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandEnd> {
  const { home, env = {}, cwd, until } = options;
  const { PATH, TMPDIR } = process.env;
  const owned = await spawnOwned(process.execPath, [builtCommand, ...args], {
    env: { PATH, TMPDIR, HOME: home, PAGEWIRE_HOME: home, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  void until?.then(() => owned.signal("SIGTERM"));
  const { code } = await within(owned.closed, () => `pagewire ${args.join(" ")} did not end:\n${owned.output()}`);
  return { code, text: owned.output() };
}

// Processes that tests start. Each leads its own group, so that its children stop, continue and die with it,
// and none outlives the process that started it, however that one ends.
import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { guardGroup, signalGroup } from "./process-groups.ts";

/** How a process ended. */
interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process and its children. */
export interface OwnedProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
  /** It has exited and all its output has been read: later than `exited`, and only once no child holds its streams. */
  readonly closed: Promise<ProcessExit>;
  /** Sends a signal to the whole group; does nothing if it has ended. */
  signal(name: NodeJS.Signals): void;
  /** Its output on stdout and stderr so far. */
  output(): string;
}

// Otherwise a test worker would outlive a killed runner.
process.once("disconnect", () => process.exit(1));

interface OwnedOptions extends SpawnOptions {
  /** A folder that only this process uses; it is removed if this one ends first. */
  readonly folder?: string;
}

/** Starts a process that ends, with its children, no later than this one. */
export async function spawnOwned(
  command: string,
  args: readonly string[],
  { folder = "", ...options }: OwnedOptions = {},
): Promise<OwnedProcess> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options, detached: true });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => chunks.push(text));
  }
  await once(child, "spawn");
  const leader = child.pid ?? 0;
  const guard = guardGroup(leader, folder);
  let running = true;

  const exited = once(child, "exit").then(([code, signal]) => {
    running = false;
    guard.kill("SIGKILL");
    return { code, signal } as ProcessExit;
  });

  return {
    child,
    exited,
    closed: once(child, "close").then(() => exited),
    signal(name) {
      if (running) signalGroup(leader, name);
    },
    output: () => chunks.join(""),
  };
}

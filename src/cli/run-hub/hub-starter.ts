// Starts a hub in the background, as a user would; it outlives the process that needed it first.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { isHubHeld, takeProcessLock } from "../../state/index.ts";
import type { Waiting } from "../mcp/upstream/wait.ts";
import { join } from "node:path";
import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";

/** The file that a hub in the background writes to. */
interface HubLogFile {
  readonly path: string;
  readonly descriptor: number;
  /** The last error in the log since it was opened. */
  complaint(): string;
  close(): void;
}

/** Holds the path of the file that a hub in the background writes to. */
export const logVariable = "PAGEWIRE_HUB_LOG";

/** The log of the hubs that run in the background. */
export function hubLogPath(directory: string): string {
  return join(directory, "hub.log");
}

const maxLogBytes = 4 * 1024 * 1024;
const tailBytes = 4096;

/** Opens the log, to be written on; one that became long is put aside, and the one put aside before is dropped. */
function openHubLog(directory: string): HubLogFile {
  const path = hubLogPath(directory);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxLogBytes) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, "a+", 0o600);
  const start = fstatSync(descriptor).size;
  return {
    path,
    descriptor,
    complaint() {
      const end = fstatSync(descriptor).size;
      const buffer = Buffer.alloc(Math.max(0, Math.min(tailBytes, end - start)));
      readSync(descriptor, buffer, 0, buffer.length, end - buffer.length);
      const lines = buffer.toString("utf8").trimEnd().split("\n");
      return (lines.findLast((line) => line.startsWith("Error: ")) ?? lines.at(-1) ?? "").replace(/^Error: /, "");
    },
    close: () => closeSync(descriptor),
  };
}

export interface HubStarter {
  /** Resolves when a hub runs, started here or elsewhere; rejects with the reason why none could be started. */
  start(): Promise<void>;
}

export interface HubStarterOptions {
  /** The file of the `pagewire` command. */
  readonly program: string;
  /** The arguments after `pagewire hub`. */
  readonly args: readonly string[];
  /** The state directory, which contains the log and the lock. */
  readonly directory: string;
  /** The folder that paths in the arguments are relative to; by default the state directory. */
  readonly folder?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly waiting: Waiting;
  readonly signal: AbortSignal;
  /** Whether a hub answers. */
  isThere(): Promise<boolean>;
  note(text: string): void;
}

/** A hub that takes longer has failed. */
const startTimeout = 20_000;
const pollInterval = 50;

export function createHubStarter(options: HubStarterOptions): HubStarter {
  const { directory, waiting, signal, isThere } = options;
  let starting: Promise<void> | undefined;

  async function start(): Promise<void> {
    const until = waiting.now() + startTimeout;
    while (!(await isThere())) {
      const release = takeStartLock(directory);
      try {
        // Another process may have started one between the two checks.
        if (release !== undefined && !(await isThere())) return await startHere(options, until);
      } finally {
        release?.();
      }
      if (waiting.now() > until) throw notStarted("another process tries to, and does not get it done", directory);
      await waiting.pause(pollInterval, signal);
    }
  }

  async function startOnce(): Promise<void> {
    try {
      await start();
    } catch (error) {
      // The log or the lock could not be written.
      const isNamed = PagewireError.isInstance(error) && error.code === "hub-unreachable";
      throw isNamed ? error : notStarted(messageOf(error), directory);
    } finally {
      starting = undefined;
    }
  }

  return {
    start: () => (starting ??= startOnce()),
  };
}

async function startHere(options: HubStarterOptions, until: number): Promise<void> {
  const { waiting, signal, isThere, note } = options;
  const log = openHubLog(options.directory);
  const child = spawnHub(options, log);
  let failure: string | undefined;
  const failed = (error: Error) => (failure = messageOf(error));
  const ended = () => (failure ??= log.complaint() || "it ended at once");
  child.once("error", failed).once("exit", ended);
  try {
    while (!(await isThere())) {
      // A hub that another process starts meanwhile is as good.
      if (failure !== undefined && !isHubHeld(options.directory)) throw notStarted(failure, log.path);
      if (waiting.now() > until) {
        child.kill();
        throw notStarted(failure ?? `it was not ready after ${startTimeout / 1000} seconds`, log.path);
      }
      await waiting.pause(pollInterval, signal);
    }
    note(`Started a hub (process ${child.pid}), which goes on running. Its log: ${log.path}`);
  } finally {
    // After this it may exit at any time.
    child.off("exit", ended);
    log.close();
  }
}

function spawnHub(
  { program, args, directory, folder = directory, environment }: HubStarterOptions,
  log: HubLogFile,
): ChildProcess {
  // Its output goes to the log, which must hold no code.
  const child = spawn(process.execPath, [program, "hub", "--no-code", ...args], {
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor],
    // The client's own folder may be removed before the hub ends.
    cwd: folder,
    env: { ...environment, [logVariable]: log.path },
    windowsHide: true,
  });
  child.unref();
  return child;
}

function notStarted(why: string, where: string): PagewireError {
  return new PagewireError(
    "hub-unreachable",
    `No hub runs, and none could be started: ${why} (see ${where}). Start it yourself with: npx pagewire`,
  );
}

/**
 * Acquires the lock for starting a hub, which one process at a time can hold; returns the function that releases it.
 */
export function takeStartLock(directory: string): (() => void) | undefined {
  const lock = takeProcessLock(join(directory, "hub-start.lock"));
  return "release" in lock ? lock.release : undefined;
}

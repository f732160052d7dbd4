// Runs a program in a pseudo terminal: reports its complete output as text, and its exit, once.
import { closeSync, constants, openSync, readSync } from "node:fs";
import { constants as os } from "node:os";
import type { Clock } from "../../link/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { systemCode } from "../shell/system-code.ts";
import { createInputWriter } from "./input-writer.ts";
import { isAlive } from "./processes.ts";
import type { PtyLike, SpawnPty } from "./find-pty.ts";

export interface ProgramOptions {
  readonly spawn: SpawnPty;
  readonly clock: Clock;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly columns: number;
  readonly rows: number;
  readonly onOutput: (text: string) => void;
  /** Follows the last output. */
  readonly onExit: (exit: Exit) => void;
}

/** How a program ended. */
export interface Exit {
  readonly code?: number;
  readonly signal?: string;
}

export interface Pty {
  readonly pid: number;
  readonly device: string | undefined;
  /** The name of the program in the foreground, if it is known. */
  readonly program?: string | undefined;
  readonly waitingBytes: number;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Applies backpressure to the program's output. */
  pause(): void;
  resume(): void;
}

/** How often to check whether a paused program has exited: the packages drop unread output 200 ms after that. */
const pollInterval = 50;

export function startPty(options: ProgramOptions): Pty {
  const { clock, onOutput, onExit } = options;
  const pty = open(options);
  const { pid, ptsName, fd } = pty;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let ended = false;
  const isOpen = () => !ended && isAlive(pid);
  const flow = createFlow(pty, clock);
  const releaseDevice = holdOpen(ptsName);
  // Only a held descriptor surely stays open until the program exits: the number of another may be reused by then.
  const input = fd === undefined || !releaseDevice ? undefined : createInputWriter({ fd, clock, isOpen });

  pty.onData((data) => {
    if (typeof data === "string") return onOutput(data);
    const take = (bytes: Uint8Array) => onOutput(decoder.decode(bytes, { stream: true }));
    take(data);
    if (fd !== undefined) readMore(fd, take, () => flow.isPaused);
  });
  pty.onExit(({ exitCode, signal }) => {
    ended = true;
    input?.close();
    flow.resume();
    releaseDevice?.();
    onOutput(decoder.decode());
    onExit(signal ? { signal: signalName(signal) } : { code: exitCode });
  });

  return {
    pid,
    device: ptsName,
    get program() {
      return isOpen() ? pty.process : undefined;
    },
    get waitingBytes() {
      return input?.waitingBytes ?? 0;
    },
    write(text) {
      if (ended) return;
      if (input) input.write(text);
      else pty.write(text);
    },
    resize(newColumns, newRows) {
      if (isOpen()) pty.resize(newColumns, newRows);
    },
    pause() {
      if (!ended) flow.pause();
    },
    resume: flow.resume,
  };
}

function open({ spawn, file, args, environment, directory, columns, rows }: ProgramOptions): PtyLike {
  const given = { name: "xterm-256color", cols: columns, rows, cwd: directory, encoding: null };
  try {
    return spawn(file, [...args], { ...given, env: { ...environment } });
  } catch (error) {
    throw new PagewireError("terminal-unavailable", `A shell could not be started: ${messageOf(error)}`);
  }
}

/** Pauses a program, but only until its exit: its last output must be read soon after that. */
function createFlow(pty: PtyLike, clock: Clock) {
  let stopPolling: (() => void) | undefined;

  function resume(): void {
    if (!stopPolling) return;
    stopPolling();
    stopPolling = undefined;
    pty.resume();
  }

  function poll(): void {
    if (isAlive(pty.pid)) stopPolling = clock.after(pollInterval, poll);
    else resume();
  }

  return {
    get isPaused() {
      return stopPolling !== undefined;
    },
    pause() {
      if (stopPolling || !isAlive(pty.pid)) return;
      pty.pause();
      stopPolling = clock.after(pollInterval, poll);
    },
    resume,
  };
}

/** The size of a pseudo terminal's buffer. */
const buffer = new Uint8Array(65_536);

/**
 * Reads the remaining output. Node reads at most 4 KB in a turn of the event loop: in a busy hub, a program's last output
 * would take longer than the packages wait for it.
 */
function readMore(fd: number, take: (bytes: Uint8Array) => void, isPaused: () => boolean): void {
  try {
    for (let left = buffer.length; left > 0 && !isPaused();) {
      const count = readSync(fd, buffer, 0, left, null);
      if (count === 0) return;
      left -= count;
      take(buffer.subarray(0, count));
    }
  } catch (error) {
    // No more data, or the other side is closed, which Node detects by itself.
    if (!["EAGAIN", "EIO", "EINTR"].includes(systemCode(error) ?? "")) throw error;
  }
}

/**
 * Holds the slave side of a pseudo terminal open. When its last user closes it, Node reports the end even if output is
 * unread. Returns a function that releases it.
 */
function holdOpen(device: string | undefined): (() => void) | undefined {
  try {
    if (device === undefined) return undefined;
    const held = openSync(device, constants.O_RDWR | constants.O_NOCTTY);
    return () => closeSync(held);
  } catch {
    // A very short program, on a system that removes its device.
    return undefined;
  }
}

function signalName(signal: number): string {
  return Object.entries(os.signals).find(([, value]) => value === signal)?.[0] ?? `signal ${signal}`;
}

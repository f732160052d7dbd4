// One program in a pseudo terminal: its output as text, whole to the last character, and its end, once.
import { closeSync, constants, openSync, readSync } from "node:fs";
import { constants as os } from "node:os";
import type { Clock } from "../../link/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import { systemCode } from "../system-code.ts";
import { createInputWriter } from "./input-writer.ts";
import { isAlive } from "./is-alive.ts";
import type { PtyLike, SpawnPty } from "./pty.ts";

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
  /** Its device, where it is known. */
  readonly device: string | undefined;
  readonly waitingBytes: number;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  /** Lets the program wait before it prints more. */
  pause(): void;
  resume(): void;
}

/** How often to look whether a program that waits has gone: the packages drop unread output 200 ms after its end. */
const lookTime = 50;

export function startPty(options: ProgramOptions): Pty {
  const { clock, onOutput, onExit } = options;
  const pty = open(options);
  const { pid, ptsName, fd } = pty;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let ended = false;
  const isOpen = () => !ended && isAlive(pid);
  const flow = createFlow(pty, clock);
  const letGo = holdOpen(ptsName);
  // Only one that is held stays open as long as its program: the number of another may be that of a file by then.
  const input = fd === undefined || !letGo ? undefined : createInputWriter({ fd, clock, isOpen });

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
    letGo?.();
    onOutput(decoder.decode());
    onExit(signal ? { signal: signalName(signal) } : { code: exitCode });
  });

  return {
    pid,
    device: ptsName,
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

/** Lets a program wait, but not beyond its end: what it printed last is to be read, and soon. */
function createFlow(pty: PtyLike, clock: Clock) {
  let stopLooking: (() => void) | undefined;

  function resume(): void {
    if (!stopLooking) return;
    stopLooking();
    stopLooking = undefined;
    pty.resume();
  }

  function look(): void {
    if (isAlive(pty.pid)) stopLooking = clock.after(lookTime, look);
    else resume();
  }

  return {
    get isPaused() {
      return stopLooking !== undefined;
    },
    pause() {
      if (stopLooking || !isAlive(pty.pid)) return;
      pty.pause();
      stopLooking = clock.after(lookTime, look);
    },
    resume,
  };
}

/** As much as a pseudo terminal holds. */
const buffer = new Uint8Array(65_536);

/**
 * Reads what else is there. Of Node's a turn brings 4 KB at most: in a hub with much to do, the last output of a program
 * would take more turns than the packages wait for it.
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
    // There is no more, or the other side is closed, of which Node hears by itself.
    if (!["EAGAIN", "EIO", "EINTR"].includes(systemCode(error) ?? "")) throw error;
  }
}

/**
 * Holds the other side of a pseudo terminal open. When nobody has it any more, Node takes that for the end, whatever was
 * printed and not read yet; held, it can be read in peace. Returns what lets go.
 */
function holdOpen(device: string | undefined): (() => void) | undefined {
  try {
    if (device === undefined) return undefined;
    const held = openSync(device, constants.O_RDWR | constants.O_NOCTTY);
    return () => closeSync(held);
  } catch {
    // A program that was very short, on a system that takes its device away.
    return undefined;
  }
}

function signalName(signal: number): string {
  return Object.entries(os.signals).find(([, value]) => value === signal)?.[0] ?? `signal ${signal}`;
}

// Writes that were not possible: tried again, one after the other, until they are.
import type { Clock } from "../../link/index.ts";

/** Rejects where it was not possible. */
export type Write = () => Promise<void>;

export interface Later {
  /** Tries it again and again, until it is done. Each function waits once, however often it is added. */
  add(write: Write): void;
  /** Tries at once what waits: something else could be written. */
  now(): void;
  /** Tries everything for the last time; resolves with how much is not done for all that. Can be called twice. */
  close(): Promise<number>;
}

const firstDelay = 1000;
const longestDelay = 15_000;

export function createLater(clock: Clock): Later {
  const waiting = new Set<Write>();
  let delay = firstDelay;
  let stopTimer: (() => void) | undefined;
  let trying: Promise<void> | undefined;
  let isClosed = false;

  /** Up to the first that fails: a store that fails for one mostly fails for all. That one goes to the end. */
  async function tryAll(): Promise<void> {
    for (const write of waiting) {
      waiting.delete(write);
      try {
        await write();
        delay = firstDelay;
      } catch {
        waiting.add(write);
        return;
      }
    }
  }

  function start(): Promise<void> {
    stopTimer?.();
    stopTimer = undefined;
    return (trying ??= tryAll().then(() => {
      trying = undefined;
      plan();
    }));
  }

  function plan(): void {
    if (isClosed || stopTimer || trying || waiting.size === 0) return;
    stopTimer = clock.after(delay, () => void start());
    delay = Math.min(delay * 2, longestDelay);
  }

  return {
    add(write) {
      waiting.add(write);
      plan();
    },
    now() {
      if (!isClosed && waiting.size > 0) void start();
    },
    async close() {
      isClosed = true;
      await trying;
      await start();
      return waiting.size;
    },
  };
}

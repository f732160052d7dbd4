// Retries failed writes one at a time until they succeed.
import type { Clock } from "../../link/index.ts";

export type Write = () => Promise<void>;

export interface Later {
  /** Retries a write until it succeeds. A function that is added twice is queued once. */
  add(write: Write): void;
  /** Retries at once: another write has succeeded. */
  now(): void;
  /** Makes a last attempt; resolves with the number of failed writes. Can be called twice. */
  close(): Promise<number>;
}

const firstDelay = 1000;
const maxDelay = 15_000;

export function createLater(clock: Clock): Later {
  const waiting = new Set<Write>();
  let delay = firstDelay;
  let stopTimer: (() => void) | undefined;
  let trying: Promise<void> | undefined;
  let isClosed = false;

  /** Stops at the first failure, since the others would likely fail too. The failed write moves to the end. */
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
    delay = Math.min(delay * 2, maxDelay);
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

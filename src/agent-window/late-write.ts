import type { Clock } from "../link/index.ts";

/** A write that many changes share: each of its own would cost as much as the call that it is about. */
export interface LateWrite {
  /** Something has changed. */
  soon(): void;
  /** Writes what has not been written: the document goes. */
  now(): void;
}

const delay = 1000;

export function createLateWrite(clock: Clock, write: () => void): LateWrite {
  let stopTimer: (() => void) | undefined;

  function now(): void {
    if (!stopTimer) return;
    stopTimer();
    stopTimer = undefined;
    write();
  }

  return {
    soon() {
      stopTimer ??= clock.after(delay, now);
    },
    now,
  };
}

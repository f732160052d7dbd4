/** Resolves after the given milliseconds; rejects at once when the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** The clock for waiting, which tests replace. */
export interface Waiting {
  now(): number;
  pause: Pause;
}

export const systemWaiting: Waiting = {
  now: () => performance.now(),
  pause: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", abort);
        resolve();
      }, milliseconds);
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    }),
};

const firstBackoff = 50;
const maxBackoff = 1000;

/** The backoff after n attempts in a row. It is short: an attempt costs little, and a user waits for it. */
export function waitAfter(attempts: number): number {
  return Math.min(maxBackoff, firstBackoff * 2 ** Math.min(attempts, 10));
}

/** Attempts in a row to keep something open. */
export interface Attempts {
  /** Waits for the next attempt, at least `min`: longer each time, but from the start again after a stable connection. */
  pause(signal: AbortSignal, min?: number): Promise<void>;
}

/** A connection that was open this long resets the backoff. */
const stableTime = 5000;

export function createAttempts({ now, pause }: Waiting): Attempts {
  let attempts = 0;
  let since = now();
  return {
    async pause(signal, min = 0) {
      if (now() - since >= stableTime) attempts = 0;
      await pause(Math.max(waitAfter(attempts++), min), signal);
      since = now();
    },
  };
}

import type { Waiting } from "../upstream/wait.ts";

/** Time that passes as soon as somebody waits for it. */
export function createTestWaiting(): Waiting & { pass(milliseconds: number): void } {
  let now = 0;
  return {
    now: () => now,
    pass: (milliseconds) => void (now += milliseconds),
    async pause(milliseconds, signal) {
      signal.throwIfAborted();
      now += milliseconds;
      // Others have their turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

import type { Waiting } from "../upstream/wait.ts";

/** A clock whose timers fire immediately. */
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

import type { Clock } from "../link/index.ts";

/** A clock that stands still until it is advanced. */
export interface FakeClock extends Clock {
  /** Advances; runs due timers in order, and lets all their promises settle. */
  advance(milliseconds: number): Promise<void>;
  readonly pending: number;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Makes a fake clock, at zero. */
export function createFakeClock(): FakeClock {
  const timers = new Set<Timer>();
  let now = 0;

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }

  return {
    now: () => now,
    after(milliseconds, run) {
      const timer = { at: now + Math.max(0, milliseconds), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(milliseconds) {
      const until = now + milliseconds;
      await settled();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer);
        now = timer.at;
        timer.run();
        await settled();
      }
      now = until;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Resolves after all microtasks, including those that they start. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(undefined);
  });
}

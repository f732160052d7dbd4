import type { Clock } from "./link.ts";

interface Deadline {
  readonly at: number;
  readonly expire: () => void;
}

export interface Deadlines extends Pick<Clock, "after"> {
  /** Stops the timer if no deadline is pending. */
  rest(): void;
}

/**
 * A clock's `after` for deadlines that are nearly always cancelled: they share one timer, which is only reset for an earlier
 * deadline. A timer per call costs more than most of its other steps.
 */
export function createDeadlines(clock: Clock): Deadlines {
  const waiting = new Set<Deadline>();
  let next = Infinity;
  let stopTimer = () => {};

  function wakeAt(at: number): void {
    stopTimer();
    next = at;
    stopTimer = clock.after(Math.max(0, at - clock.now()), wake);
  }

  function wake(): void {
    next = Infinity;
    const now = clock.now();
    for (const deadline of waiting) {
      if (deadline.at > now) continue;
      waiting.delete(deadline);
      deadline.expire();
    }
    for (const { at } of waiting) if (at < next) wakeAt(at);
  }

  return {
    after(milliseconds, expire) {
      const deadline = { at: clock.now() + milliseconds, expire };
      waiting.add(deadline);
      if (deadline.at < next) wakeAt(deadline.at);
      return () => void waiting.delete(deadline);
    },
    rest() {
      if (waiting.size > 0) return;
      stopTimer();
      next = Infinity;
    },
  };
}

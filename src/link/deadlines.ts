import type { Clock } from "./link.ts";

interface Deadline {
  readonly at: number;
  readonly expire: () => void;
}

/**
 * A clock's `after` for what almost always ends before: many deadlines share one timer, which is only set anew for an
 * earlier one. A timer of its own costs a call more than most of its other steps.
 */
export function createDeadlines(clock: Clock): Clock["after"] {
  const waiting = new Set<Deadline>();
  let next = Infinity;
  let stopTimer = () => {};

  function wakeAt(at: number): void {
    if (at >= next) return;
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
    for (const { at } of waiting) wakeAt(at);
  }

  return (milliseconds, expire) => {
    const deadline = { at: clock.now() + milliseconds, expire };
    waiting.add(deadline);
    wakeAt(deadline.at);
    return () => void waiting.delete(deadline);
  };
}

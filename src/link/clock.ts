import type { Clock } from "./link.ts";

/** Heartbeats in a row that may be missed before a link counts as dead and its peer as silent. */
export const missedHeartbeats = 2.5;

/** The longest delay of a timer; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, Math.min(milliseconds, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

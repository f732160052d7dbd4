import type { Clock } from "./link.ts";

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

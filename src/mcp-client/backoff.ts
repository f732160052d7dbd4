/** The max delay of the first retry, in milliseconds; it doubles with each further one. */
const firstWait = 500;
const longestWait = 30_000;

/**
 * The delay in milliseconds after a number of attempts. It is random, so that many clients that lost the same server do
 * not reconnect all at once.
 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(longestWait, firstWait * 2 ** attempt);
}

/** After a session or stream of this duration, the delay starts at its minimum again. */
export const stableTime = 10_000;

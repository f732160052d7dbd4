/** The longest first wait; each one that follows may be twice as long. */
const firstWait = 500;
const longestWait = 30_000;

/**
 * The milliseconds to wait before an attempt that follows `attempt` others. A random part of the time: many clients that
 * lost the same server do not come back as one.
 */
export function backoff(attempt: number, random: () => number): number {
  return random() * Math.min(longestWait, firstWait * 2 ** attempt);
}

import { PagewireError } from "../../wire/index.ts";

const window = 60_000;

/** Counts by name, and refuses what is more than `most` in a minute. */
export function createRate(most: number, now: () => number): (name: string) => void {
  const counts = new Map<string, number>();
  let since = now();
  return (name) => {
    if (now() - since >= window) {
      counts.clear();
      since = now();
    }
    const count = (counts.get(name) ?? 0) + 1;
    if (count > most)
      throw new PagewireError("requests-too-many", `These are more than ${most} in a minute.`, {
        retryAfter: since + window - now(),
      });
    counts.set(name, count);
  };
}

import type { Caller } from "./caller.ts";
import type { LoadFigures } from "./role.ts";
import { percentile } from "./statistics.ts";

/** All callers at once, each one call after the other, until the time is over; each calls once at least. */
export async function runLoad(callers: readonly Caller[], milliseconds: number): Promise<LoadFigures> {
  const startedAt = performance.now();
  const end = startedAt + milliseconds;
  const times: number[] = [];
  const run = async (caller: Caller) => {
    let last = startedAt;
    do {
      await caller.call();
      const now = performance.now();
      times.push((now - last) * 1000);
      last = now;
    } while (last < end);
  };
  await Promise.all(callers.map(run));
  return {
    calls: times.length,
    seconds: (performance.now() - startedAt) / 1000,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

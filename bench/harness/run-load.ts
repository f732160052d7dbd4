import type { Caller } from "./caller.ts";
import { percentile } from "./statistics.ts";

/** All callers at once, each one call after the other, until the time is over; returns calls and time. */
export async function runLoad(
  callers: readonly Caller[],
  milliseconds: number,
): Promise<{ readonly calls: number; readonly seconds: number }> {
  const startedAt = performance.now();
  const end = startedAt + milliseconds;
  let calls = 0;
  const run = async (caller: Caller) => {
    do {
      await caller.call();
      calls++;
    } while (performance.now() < end);
  };
  await Promise.all(callers.map(run));
  return { calls, seconds: (performance.now() - startedAt) / 1000 };
}

/** Calls one after the other until the time is over; returns the percentiles of how long each took, in µs. */
export async function runSequence(
  caller: Caller,
  milliseconds: number,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let startedAt = performance.now(); startedAt < end;) {
    await caller.call();
    const now = performance.now();
    times.push((now - startedAt) * 1000);
    startedAt = now;
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

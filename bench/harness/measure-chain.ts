import type { OpenCallers } from "./caller.ts";
import type { Figures } from "./hold-contest.ts";
import { runLoad } from "./run-load.ts";

export interface ChainTimes {
  /** Calls before anything is measured, in milliseconds. */
  readonly warmUp: number;
  /** With each number of calls in flight. */
  readonly load: number;
}

/** How long each part of a turn takes. */
export function chainTimes(quick: boolean): ChainTimes {
  return quick ? { warmUp: 20, load: 50 } : { warmUp: 200, load: 500 };
}

export interface Chain<Cpu> {
  readonly connect: OpenCallers;
  /** CPU time so far in µs. */
  cpu(): Promise<Cpu>;
}

/** The name of a metric with this number of calls in flight. */
export function at(inFlight: number, metric: string): string {
  return `${metric}, ${inFlight} in flight`;
}

/** Bars of a metric, by calls in flight. */
export function barsOf(metric: string, bars: Readonly<Record<number, number>> = {}): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(bars).map(([inFlight, bar]) => [at(Number(inFlight), metric), bar]));
}

/** One turn: CPU per call and calls per second with each of these numbers of calls in flight, and latency with one. */
export async function measureChain(
  { connect, cpu }: Chain<Figures>,
  loads: readonly number[],
  times: ChainTimes,
): Promise<Figures> {
  const callers = await connect();
  const figures: Record<string, number> = {};
  try {
    await runLoad(callers, times.warmUp);
    for (const inFlight of loads) {
      const before = await cpu();
      const { calls, seconds, p50, p99 } = await runLoad(callers.slice(0, inFlight), times.load);
      for (const [metric, value] of Object.entries(await cpu()))
        figures[at(inFlight, metric)] = (value - (before[metric] ?? 0)) / calls;
      if (inFlight === 1) Object.assign(figures, { "p50 µs": p50, "p99 µs": p99 });
      else figures[at(inFlight, "calls/s")] = calls / seconds;
    }
    return figures;
  } finally {
    for (const caller of callers) await caller.close();
  }
}

/** The part of a turn that shows the CPU per call of one process. */
export async function measureHub({ connect, cpu }: Chain<number>, times: ChainTimes): Promise<number> {
  const callers = await connect();
  try {
    await runLoad(callers, times.warmUp);
    const before = await cpu();
    const { calls } = await runLoad(callers, times.load);
    return ((await cpu()) - before) / calls;
  } finally {
    for (const caller of callers) await caller.close();
  }
}

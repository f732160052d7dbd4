import type { OpenCallers } from "./caller.ts";
import type { Figures } from "./hold-contest.ts";
import { runLoad } from "./run-load.ts";

export interface ChainTimes {
  /** Calls before anything is measured, in milliseconds. */
  readonly warmUp: number;
  readonly load: number;
  readonly sequence: number;
}

/** How long each part of a turn takes. */
export function chainTimes(quick: boolean): ChainTimes {
  return quick ? { warmUp: 20, load: 50, sequence: 50 } : { warmUp: 300, load: 1200, sequence: 600 };
}

export interface Chain<Cpu> {
  readonly connect: OpenCallers;
  /** CPU time so far in µs. */
  cpu(): Promise<Cpu>;
}

/** One turn: all callers at once for CPU per call and calls per second, then one of them for latency. */
export async function measureChain({ connect, cpu }: Chain<Figures>, times: ChainTimes): Promise<Figures> {
  const callers = await connect();
  const [first] = callers;
  if (!first) throw new Error("A turn needs a caller.");
  try {
    await runLoad(callers, times.warmUp);
    const before = await cpu();
    const { calls, seconds } = await runLoad(callers, times.load);
    const after = await cpu();
    const { p50, p99 } = await runLoad([first], times.sequence);
    const perCall = Object.entries(after).map(([metric, value]) => [metric, (value - (before[metric] ?? 0)) / calls]);
    return {
      ...(Object.fromEntries(perCall) as Figures),
      "p50 µs": p50,
      "p99 µs": p99,
      [`calls/s, ${callers.length} in flight`]: calls / seconds,
    };
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

import { rowsOf } from "./hold-contest.ts";
import type { Figures } from "./hold-contest.ts";
import { at } from "./measure-chain.ts";
import type { Bench, Row } from "./row.ts";
import { isSettled, median, round } from "./statistics.ts";

/** The load on the thread that all calls of a hub share. */
export const mainThread = "hub main-thread CPU µs/call";

export interface Cost {
  readonly row: string;
  readonly size: string;
  /** The name of the difference. */
  readonly metric: string;
  /** By calls in flight, the most that it may be, in µs. */
  readonly bars: Readonly<Record<number, number>>;
  /** A turn of a hub without what is measured, and one with it. */
  readonly without: () => Promise<Figures>;
  readonly having: () => Promise<Figures>;
}

type Turns = Readonly<Record<"floor" | "pagewire", Figures[]>>;

/** Has both take turns until the difference is settled: rows of what it is, and of all that the turns showed. */
export async function measureCost(cost: Cost, { rounds }: Pick<Bench, "rounds">): Promise<readonly Row[]> {
  const { row, size, bars, without, having } = cost;
  const loads = Object.keys(bars)
    .map(Number)
    .toSorted((one, other) => other - one);
  const turns: Turns = { floor: [], pagewire: [] };
  // The first turns compile what they run, and do not count.
  await without();
  await having();
  for (let count = 0; count < rounds; count++) {
    turns.floor.push(await without());
    turns.pagewire.push(await having());
    if (loads.every((load) => isSettled(differences(turns, load), bars[load]))) break;
  }
  const costs = loads.map((load) => costOf(cost, load, differences(turns, load)));
  return [...costs, ...rowsOf(new Map(Object.entries(turns)), { row, size })];
}

function differences(turns: Turns, load: number): readonly number[] {
  const metric = at(load, mainThread);
  return turns.pagewire.map((figures, index) => (figures[metric] ?? NaN) - (turns.floor[index]?.[metric] ?? NaN));
}

function costOf({ row, size, metric, bars }: Cost, load: number, costs: readonly number[]): Row {
  const pagewire = round(median(costs));
  const bar = bars[load] ?? null;
  const met = bar === null ? null : pagewire <= bar;
  const figures = { pagewire, floor: null, peers: {}, ratio: null, rounds: costs.length };
  return { row, size, metric: at(load, metric), ...figures, bar, met };
}

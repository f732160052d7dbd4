// Measures contestants in turns, A B C A B C, so that whatever else the machine does falls on all of them alike.
import type { Row } from "./row.ts";
import { median, round } from "./statistics.ts";

/** What one turn of one contestant showed, by metric. */
export type Figures = Readonly<Record<string, number>>;

export interface Contestant {
  /** "pagewire", "floor", or the name of a peer. */
  readonly name: string;
  /** One turn. */
  measure(): Promise<Figures>;
}

/** The figures of every turn of every contestant. */
export type Standings = ReadonlyMap<string, readonly Figures[]>;

/** Holds so many rounds, and before them one that does not count: in it, new processes compile what they run. */
export async function holdContest(contestants: readonly Contestant[], rounds: number): Promise<Standings> {
  for (const { measure } of contestants) await measure();
  const turns = new Map<string, Figures[]>(contestants.map(({ name }) => [name, []]));
  for (let count = 0; count < rounds; count++) {
    for (const { name, measure } of contestants) turns.get(name)?.push(await measure());
  }
  return turns;
}

export interface RowsOptions {
  readonly row: string;
  readonly size: string;
  /** By metric, the most that Pagewire's figure over the floor's may be. */
  readonly bars?: Readonly<Record<string, number>>;
}

/** One row for each metric of the contest. */
export function rowsOf(standings: Standings, { row, size, bars = {} }: RowsOptions): readonly Row[] {
  const figuresOf = (name: string, metric: string) => (standings.get(name) ?? []).map((turn) => turn[metric] ?? NaN);
  const metrics = Object.keys(standings.get("pagewire")?.[0] ?? {});
  const peers = [...standings.keys()].filter((name) => name !== "pagewire" && name !== "floor");
  return metrics.map((metric) => {
    const ours = figuresOf("pagewire", metric);
    const floors = figuresOf("floor", metric);
    const ratio = round(median(ours.map((value, index) => value / (floors[index] ?? NaN))));
    const bar = bars[metric] ?? null;
    return {
      row,
      size,
      metric,
      pagewire: round(median(ours)),
      floor: round(median(floors)),
      peers: Object.fromEntries(peers.map((name) => [name, round(median(figuresOf(name, metric)))])),
      ratio,
      bar,
      met: bar === null ? null : ratio <= bar,
    };
  });
}

// Measures contestants in turns, A B C A B C, so that other load on the machine affects all of them equally.
import type { Row } from "./row.ts";
import { intervalOf, isSettled, median, round } from "./statistics.ts";

/** The figures of one turn of one contestant, by metric. */
export type Figures = Readonly<Record<string, number>>;

export interface Contestant {
  /** "pagewire", "floor", or the name of a peer, unless a question names them otherwise. */
  readonly name: string;
  /** Whether each turn is a new process's, so that none is there to be warmed up. */
  readonly isFresh?: boolean;
  /** One turn. */
  measure(): Promise<Figures>;
}

/** The figures of every turn of every contestant. */
export type Standings = ReadonlyMap<string, readonly Figures[]>;

/** A contest's question: rows of Pagewire compared with its floor and peers. */
export interface Question {
  readonly row: string;
  readonly size: string;
  /** By metric, the most that Pagewire's figure over the floor's may be. */
  readonly bars?: Readonly<Record<string, number>>;
  /** The standings of "pagewire", "floor" and peers among those of all; by default they are these. */
  readonly of?: (standings: Standings) => Standings;
}

/**
 * Runs rounds until each question is settled, up to a max, and returns the rows of all questions. A round before them
 * does not count: in it, new processes compile their code.
 */
export async function holdContest(
  contestants: readonly Contestant[],
  rounds: number,
  questions: readonly Question[],
): Promise<readonly Row[]> {
  for (const { isFresh, measure } of contestants) if (!isFresh) await measure();
  const turns = new Map<string, Figures[]>(contestants.map(({ name }) => [name, []]));
  for (let count = 0; count < rounds; count++) {
    for (const { name, measure } of contestants) turns.get(name)?.push(await measure());
    if (questions.every((question) => isAnswered(turns, question))) break;
  }
  return questions.flatMap((question) => rowsOf(turns, question));
}

/** One row for each metric. */
export function rowsOf(all: Standings, { row, size, bars = {}, of = everybody }: Question): readonly Row[] {
  const standings = of(all);
  const peers = [...standings.keys()].filter((name) => name !== "pagewire" && name !== "floor");
  const middle = (name: string, metric: string) => round(median(figuresOf(standings, name, metric)));
  return metricsOf(standings).map((metric) => {
    const ratios = ratiosOf(standings, metric);
    const ratio = round(median(ratios));
    const [low, high] = intervalOf(ratios) ?? [];
    const bar = bars[metric] ?? null;
    return {
      row,
      size,
      metric,
      pagewire: middle("pagewire", metric),
      floor: middle("floor", metric),
      peers: Object.fromEntries(peers.map((name) => [name, middle(name, metric)])),
      ratio,
      ...(low !== undefined && high !== undefined && { interval: [round(low), round(high)] as const }),
      rounds: ratios.length,
      bar,
      met: bar === null ? null : ratio <= bar,
    };
  });
}

/** The same question once more, of these metrics alone, with a peer as the floor. */
export function besidePeer(
  { row, size, of = everybody }: Question,
  peer: string,
  bars: Readonly<Record<string, number>>,
): Question {
  const nameOf = (metric: string) => `${metric}, floor is ${peer}`;
  const renamed = (turns: readonly Figures[] = []) =>
    turns.map((figures) =>
      Object.fromEntries(Object.keys(bars).map((metric) => [nameOf(metric), figures[metric] ?? NaN])),
    );
  return {
    row,
    size,
    bars: Object.fromEntries(Object.entries(bars).map(([metric, bar]) => [nameOf(metric), bar])),
    of(all) {
      const standings = of(all);
      return new Map([
        ["pagewire", renamed(standings.get("pagewire"))],
        ["floor", renamed(standings.get(peer))],
      ]);
    },
  };
}

function everybody(standings: Standings): Standings {
  return standings;
}

/** Of a question with bars, all metrics that have one must be settled; of another, its first metric. */
function isAnswered(all: Standings, { bars = {}, of = everybody }: Question): boolean {
  const standings = of(all);
  const barred = Object.keys(bars);
  const metrics = barred.length > 0 ? barred : metricsOf(standings).slice(0, 1);
  return metrics.every((metric) => isSettled(ratiosOf(standings, metric), bars[metric]));
}

function metricsOf(standings: Standings): readonly string[] {
  return Object.keys(standings.get("pagewire")?.[0] ?? {});
}

function figuresOf(standings: Standings, name: string, metric: string): readonly number[] {
  return (standings.get(name) ?? []).map((turn) => turn[metric] ?? NaN);
}

function ratiosOf(standings: Standings, metric: string): readonly number[] {
  const floors = figuresOf(standings, "floor", metric);
  return figuresOf(standings, "pagewire", metric).map((value, index) => value / (floors[index] ?? NaN));
}

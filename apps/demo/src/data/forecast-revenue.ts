import { addDays, weekdayOf } from "./calendar.ts";
import type { SalesRow } from "./group-sales.ts";
import { createRandom } from "./generate-sales.ts";

/** The forecast of one day: in cents, and the range that contains 80 % of the runs. */
export interface ForecastDay {
  readonly date: string;
  readonly cents: number;
  readonly low: number;
  readonly high: number;
}

export interface Forecast {
  readonly days: readonly ForecastDay[];
  readonly total: Omit<ForecastDay, "date">;
}

export interface ForecastOptions {
  /** How many days to look ahead. */
  readonly days: number;
  readonly rounds: number;
  /** Called after each round of the simulation, which waits for it; an error ends the forecast. */
  afterRound(done: number): Promise<void>;
}

const runsPerRound = 25;

/** Simulates the days after a history of revenue by day (oldest first) many times over. */
export async function forecastRevenue(history: readonly SalesRow[], options: ForecastOptions): Promise<Forecast> {
  const last = history.at(-1);
  if (last === undefined) throw new Error("There is no day to forecast from: widen the filters.");
  const dates = Array.from({ length: options.days }, (_, index) => addDays(last.key, index + 1));
  const model = fitRevenue(history);
  const expected = dates.map((date, index) => model.expect(date, history.length + index));
  const random = createRandom(history.length + options.days);
  const runs: (readonly number[])[] = [];
  for (let done = 1; done <= options.rounds; done++) {
    for (let run = 0; run < runsPerRound; run++) runs.push(simulate(expected, model, random));
    await options.afterRound(done);
  }
  return {
    days: dates.map((date, index) => ({ date, ...summarise(runs.map((run) => run[index] ?? 0)) })),
    total: summarise(runs.map((run) => run.reduce((sum, cents) => sum + cents, 0))),
  };
}

function simulate(expected: readonly number[], { misses }: RevenueModel, random: () => number): readonly number[] {
  return expected.map((cents) => Math.max(0, cents + (misses[Math.floor(random() * misses.length)] ?? 0)));
}

function summarise(values: readonly number[]): Omit<ForecastDay, "date"> {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return { cents: at(0.5), low: at(0.1), high: at(0.9) };
}

/** A fitted model. */
interface RevenueModel {
  /** The expected cents of a day; `index` 0 is the first day of the history. */
  expect(day: string, index: number): number;
  /** Differences between the history's usual days and the model, in cents. */
  readonly misses: readonly number[];
}

/** Fits the model to the revenue by day, oldest first. Days far off the rest (an outage, a campaign) do not count. */
function fitRevenue(history: readonly SalesRow[]): RevenueModel {
  const rough = fit(history.map((row, index) => ({ row, index })));
  const rest = history.map((row, index) => ({ row, index, miss: row.cents - rough(row.key, index) }));
  const spread = Math.sqrt(mean(rest.map(({ miss }) => miss ** 2)));
  const usual = rest.filter(({ miss }) => Math.abs(miss) <= 2 * spread);
  const expect = fit(usual);
  return { expect, misses: usual.map(({ row, index }) => row.cents - expect(row.key, index)) };
}

interface Point {
  readonly row: SalesRow;
  readonly index: number;
}

function fit(points: readonly Point[]): (day: string, index: number) => number {
  const average = mean(points.map(({ row }) => row.cents));
  const factors = [0, 1, 2, 3, 4, 5, 6].map((weekday) => {
    const same = points.filter(({ row }) => weekdayOf(row.key) === weekday);
    return same.length === 0 || average === 0 ? 1 : mean(same.map(({ row }) => row.cents)) / average;
  });
  const factorOf = (day: string): number => factors[weekdayOf(day)] || 1;
  const line = fitLine(points.map(({ row, index }) => [index, row.cents / factorOf(row.key)]));
  return (day, index) => Math.max(0, line(index) * factorOf(day));
}

function fitLine(points: readonly (readonly [number, number])[]): (x: number) => number {
  const middleX = mean(points.map(([x]) => x));
  const middleY = mean(points.map(([, y]) => y));
  const width = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const rise = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  const slope = width === 0 ? 0 : rise / width;
  return (x) => middleY + slope * (x - middleX);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

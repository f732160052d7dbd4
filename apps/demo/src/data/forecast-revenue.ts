import { addDays } from "./calendar.ts";
import { fitRevenue } from "./fit-revenue.ts";
import type { RevenueModel } from "./fit-revenue.ts";
import type { SalesRow } from "./group-sales.ts";
import { createRandom } from "./random.ts";

/** What one day to come may bring: in cents, and the range that holds eight runs of ten. */
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
  /** Called after each round of the simulation; the next one waits for it, and what it throws ends the forecast. */
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

// A small model of daily revenue: a straight trend times a factor per weekday.
import { weekdayOf } from "./calendar.ts";
import type { SalesRow } from "./group-sales.ts";

/** What a fitted model says. */
export interface RevenueModel {
  /** The expected cents of a day; `index` 0 is the first day of the history. */
  expect(day: string, index: number): number;
  /** By how much the usual days of the history missed what the model expects, in cents. */
  readonly misses: readonly number[];
}

/** Fits the model to the revenue by day, oldest first. Days far off the rest (an outage, a campaign) do not count. */
export function fitRevenue(history: readonly SalesRow[]): RevenueModel {
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

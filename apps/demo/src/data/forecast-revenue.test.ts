import { describe, expect, test } from "vitest";
import { listDays, weekdayOf } from "./calendar.ts";
import { forecastRevenue } from "./forecast-revenue.ts";
import type { SalesRow } from "./group-sales.ts";

const afterRound = async (): Promise<void> => {};
const history = (centsOf: (day: string, index: number) => number): readonly SalesRow[] =>
  listDays("2026-01-01", "2026-03-10").map((key, index) => ({ key, cents: centsOf(key, index), orders: 1 }));

describe("the forecast", () => {
  test("it continues the trend from the day after the last", async () => {
    const { days } = await forecastRevenue(
      history((_day, index) => 100_000 + 1000 * index),
      { days: 3, rounds: 2, afterRound },
    );
    expect(days.map((day) => day.date)).toEqual(["2026-03-11", "2026-03-12", "2026-03-13"]);
    for (const [index, day] of days.entries()) expect(day.cents / (169_000 + 1000 * index)).toBeCloseTo(1, 1);
  });

  test("it keeps the rhythm of the week", async () => {
    const { days } = await forecastRevenue(
      history((day) => (weekdayOf(day) === 6 ? 50_000 : 100_000)),
      { days: 7, rounds: 2, afterRound },
    );
    for (const day of days) expect(day.cents / (weekdayOf(day.date) === 6 ? 50_000 : 100_000)).toBeCloseTo(1, 1);
  });

  test("one day of outage does not pull it down", async () => {
    const { total } = await forecastRevenue(
      history((day) => (day === "2026-03-03" ? 0 : 100_000)),
      { days: 10, rounds: 2, afterRound },
    );
    expect(total.cents / 1_000_000).toBeCloseTo(1, 1);
  });

  test("the likely range holds the middle", async () => {
    const { days, total } = await forecastRevenue(
      history((_day, index) => 100_000 + (index % 5) * 9000),
      { days: 5, rounds: 8, afterRound },
    );
    for (const { low, cents, high } of [...days, total]) {
      expect(low).toBeLessThanOrEqual(cents);
      expect(high).toBeGreaterThanOrEqual(cents);
    }
  });

  test("it says when each round is done, and ends where that throws", async () => {
    const rounds: number[] = [];
    const cancelled = forecastRevenue(
      history(() => 100),
      {
        days: 5,
        rounds: 10,
        afterRound: async (done) => {
          rounds.push(done);
          if (done === 3) throw new Error("cancelled");
        },
      },
    );
    await expect(cancelled).rejects.toThrow("cancelled");
    expect(rounds).toEqual([1, 2, 3]);
  });
});

import { describe, expect, test } from "vitest";
import { lastDays } from "./calendar.ts";
import { channels, periods, products, regions } from "./catalogue.ts";
import { compareFigures, figuresOf } from "./figures.ts";
import { noFilters } from "./filters.ts";
import { findOrders } from "./find-orders.ts";
import { generateSales } from "./generate-sales.ts";
import { groupings, groupSales } from "./group-sales.ts";
import { sampleOrder, sampleSales } from "./sample-sales.test-helper.ts";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("figures", () => {
  const sales = sampleSales(
    [
      sampleOrder({ id: "H1", date: "2026-03-02", cents: 1000 }),
      sampleOrder({ id: "H2", date: "2026-03-09", cents: 2500, customer: "Ada Abe" }),
      sampleOrder({ id: "H3", date: "2026-03-10", cents: 1500, customer: "Ada Abe" }),
      sampleOrder({ id: "H4", date: "2026-03-10", cents: 4000, customer: "Zoe Sato", region: "Asia Pacific" }),
    ],
    [
      { date: "2026-03-09", region: "Europe", channel: "Web shop", visits: 40 },
      { date: "2026-03-10", region: "Asia Pacific", channel: "Web shop", visits: 20 },
    ],
  );
  const week = { range: lastDays("2026-03-10", 7), filters: noFilters };

  test("revenue, orders, average, conversion and users come from the orders and visits of the period", () => {
    expect(figuresOf(sales, week)).toEqual({
      revenue: 8000,
      orders: 3,
      averageOrder: 8000 / 3,
      conversion: 3 / 60,
      activeUsers: 2,
    });
  });

  test("a filter narrows orders and visits alike", () => {
    const narrowed = { ...week, filters: { ...noFilters, region: "Asia Pacific" as const } };
    expect(figuresOf(sales, narrowed)).toMatchObject({ revenue: 4000, orders: 1, conversion: 1 / 20 });
  });

  test("each figure is compared with the same number of days right before", () => {
    const { revenue, conversion } = compareFigures(sales, week);
    expect(revenue).toMatchObject({ now: 8000, before: 1000, change: 7 });
    expect(conversion).toMatchObject({ before: 0, change: undefined });
    expect(revenue.byDay).toEqual([0, 0, 0, 0, 0, 2500, 5500]);
  });

  test("a period without orders has zeros, not errors", () => {
    const empty = figuresOf(sampleSales([]), week);
    expect(Object.values(empty)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("totals", () => {
  const sales = generateSales({ lastDay: "2026-03-10" });
  const filterSets = [
    noFilters,
    ...regions.map((region) => ({ ...noFilters, region })),
    ...products.map((product) => ({ ...noFilters, product })),
    ...channels.map((channel) => ({ ...noFilters, channel })),
  ];

  test.each(periods)("with any filters, every total of %i days is the same", (days) => {
    for (const filters of filterSets) {
      const scope = { range: lastDays(sales.lastDay, days), filters };
      const { revenue, orders } = figuresOf(sales, scope);
      for (const grouping of groupings) {
        const rows = groupSales(sales, scope, grouping);
        expect(sum(rows.map((row) => row.cents))).toBe(revenue);
        expect(sum(rows.map((row) => row.orders))).toBe(orders);
      }
      const listed = findOrders(sales, scope, { text: "", sort: "date", direction: "ascending" });
      expect(sum(listed.map((order) => order.cents))).toBe(revenue);
      expect(listed).toHaveLength(orders);
      expect(sum(compareFigures(sales, scope).revenue.byDay)).toBe(revenue);
    }
  });
});

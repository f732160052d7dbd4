import { describe, expect, test } from "vitest";
import { noFilters } from "./filters.ts";
import { groupSales } from "./group-sales.ts";
import { sampleOrder, sampleSales } from "./sample-sales.test-helper.ts";

const sales = sampleSales([
  sampleOrder({ date: "2026-03-06", cents: 100, product: "Gift Box" }),
  sampleOrder({ date: "2026-03-08", cents: 200 }),
  sampleOrder({ date: "2026-03-09", cents: 400 }),
]);
const scope = { range: { from: "2026-03-06", to: "2026-03-10" }, filters: noFilters };

describe("grouped sales", () => {
  test("each day has a row, one without orders too, oldest first", () => {
    expect(groupSales(sales, scope, "day").map((row) => [row.key, row.cents])).toEqual([
      ["2026-03-06", 100],
      ["2026-03-07", 0],
      ["2026-03-08", 200],
      ["2026-03-09", 400],
      ["2026-03-10", 0],
    ]);
  });

  test("weeks begin on Monday and are named by it", () => {
    expect(groupSales(sales, scope, "week")).toEqual([
      { key: "2026-03-02", cents: 300, orders: 2 },
      { key: "2026-03-09", cents: 400, orders: 1 },
    ]);
  });

  test("products, regions and channels come with the largest first, and without sales too", () => {
    const rows = groupSales(sales, scope, "product");
    expect(rows.slice(0, 2).map((row) => [row.key, row.cents])).toEqual([
      ["House Blend", 600],
      ["Gift Box", 100],
    ]);
    expect(rows).toHaveLength(6);
  });

  test("the filtered value is the only row of its kind", () => {
    const filters = { ...noFilters, product: "Gift Box" as const };
    expect(groupSales(sales, { ...scope, filters }, "product")).toEqual([{ key: "Gift Box", cents: 100, orders: 1 }]);
  });
});

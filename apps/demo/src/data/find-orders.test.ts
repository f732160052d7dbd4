import { describe, expect, test } from "vitest";
import { noFilters } from "./filters.ts";
import { findOrders, ordersToCsv } from "./find-orders.ts";
import type { OrderQuery } from "./find-orders.ts";
import { sampleOrder, sampleSales } from "./sample-sales.test-helper.ts";

const sales = sampleSales([
  sampleOrder({ id: "H1", customer: "Zoe Sato", cents: 300 }),
  sampleOrder({ id: "H2", customer: "Ada Abe", cents: 900, region: "Middle East" }),
  sampleOrder({ id: "H3", customer: "Ada Abe", cents: 300, product: "Gift Box" }),
]);
const scope = { range: { from: "2026-03-01", to: "2026-03-10" }, filters: noFilters };
const find = (query: Partial<OrderQuery>): readonly string[] =>
  findOrders(sales, scope, { text: "", sort: "id", direction: "ascending", ...query }).map((order) => order.id);

describe("finding orders", () => {
  test("every word must be somewhere in the order, in any case", () => {
    expect(find({ text: "ada  gift" })).toEqual(["H3"]);
    expect(find({ text: "EAST" })).toEqual(["H2"]);
    expect(find({ text: "nobody" })).toEqual([]);
  });

  test("orders are sorted by any column, both ways, and by number where that is equal", () => {
    expect(find({ sort: "total", direction: "descending" })).toEqual(["H2", "H3", "H1"]);
    expect(find({ sort: "total" })).toEqual(["H1", "H3", "H2"]);
    expect(find({ sort: "customer" })).toEqual(["H2", "H3", "H1"]);
  });

  test("the CSV has a header and quotes what needs it", () => {
    const csv = ordersToCsv([sampleOrder({ customer: 'Ada "A", Abe' })]);
    expect(csv).toBe(
      "order,date,customer,product,region,channel,quantity,total_usd\r\n" +
        'H1,2026-03-10,"Ada ""A"", Abe",House Blend,Europe,Web shop,1,26.00\r\n',
    );
  });
});

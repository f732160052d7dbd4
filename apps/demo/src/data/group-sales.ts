import { listDays, mondayOf } from "./calendar.ts";
import { channels, products, regions } from "./catalogue.ts";
import type { Order, Sales } from "./catalogue.ts";
import { ordersIn } from "./filters.ts";
import type { Scope } from "./filters.ts";

export const dimensions = ["product", "region", "channel"] as const;
export type Dimension = (typeof dimensions)[number];

export const groupings = ["day", "week", ...dimensions] as const;
export type Grouping = (typeof groupings)[number];

/** The sales of one day, week (named by its Monday), product, region or channel. */
export interface SalesRow {
  readonly key: string;
  readonly cents: number;
  readonly orders: number;
}

/** Adds up the orders of a scope. Days without an order have a row too; so has everything the shop sells. */
export function groupSales(sales: Sales, scope: Scope, grouping: Grouping): readonly SalesRow[] {
  const sums = new Map(keysOf(scope, grouping).map((key) => [key, { key, cents: 0, orders: 0 }]));
  for (const order of ordersIn(sales, scope)) {
    const row = sums.get(keyOf(order, grouping));
    if (row === undefined) continue;
    row.cents += order.cents;
    row.orders += 1;
  }
  const rows = [...sums.values()];
  return isDimension(grouping) ? rows.toSorted((one, other) => other.cents - one.cents) : rows;
}

function keysOf({ range, filters }: Scope, grouping: Grouping): readonly string[] {
  switch (grouping) {
    case "day":
      return listDays(range.from, range.to);
    case "week":
      return [...new Set(listDays(range.from, range.to).map(mondayOf))];
    case "product":
      return filters.product === null ? products : [filters.product];
    case "region":
      return filters.region === null ? regions : [filters.region];
    case "channel":
      return filters.channel === null ? channels : [filters.channel];
  }
}

function keyOf(order: Order, grouping: Grouping): string {
  if (grouping === "day") return order.date;
  return grouping === "week" ? mondayOf(order.date) : order[grouping];
}

function isDimension(grouping: Grouping): grouping is Dimension {
  return grouping !== "day" && grouping !== "week";
}

import type { DayRange } from "./calendar.ts";
import type { Channel, Order, Product, Region, Sales, VisitCount } from "./catalogue.ts";

/** The view's filters; null is everything. */
export interface Filters {
  readonly region: Region | null;
  readonly product: Product | null;
  readonly channel: Channel | null;
}

/** A part of the sales: these days, these filters. */
export interface Scope {
  readonly range: DayRange;
  readonly filters: Filters;
}

export const noFilters: Filters = { region: null, product: null, channel: null };

/** The orders of a scope, oldest first. */
export function ordersIn(sales: Sales, { range, filters }: Scope): readonly Order[] {
  return sales.orders.filter(
    (order) =>
      isWithin(order.date, range) &&
      (filters.region === null || order.region === filters.region) &&
      (filters.product === null || order.product === filters.product) &&
      (filters.channel === null || order.channel === filters.channel),
  );
}

/** The visits of a scope. A visit has no product, so that filter does not narrow it. */
export function visitsIn(sales: Sales, { range, filters }: Scope): readonly VisitCount[] {
  return sales.visits.filter(
    (count) =>
      isWithin(count.date, range) &&
      (filters.region === null || count.region === filters.region) &&
      (filters.channel === null || count.channel === filters.channel),
  );
}

function isWithin(day: string, range: DayRange): boolean {
  return day >= range.from && day <= range.to;
}

import type { Order, Sales, VisitCount } from "./catalogue.ts";

const order: Order = {
  id: "H1",
  date: "2026-03-10",
  customer: "Ada Abe",
  product: "House Blend",
  region: "Europe",
  channel: "Web shop",
  quantity: 1,
  cents: 2600,
};

/** An order that differs from a usual one only in what is given. */
export function sampleOrder(fields: Partial<Order>): Order {
  return { ...order, ...fields };
}

/** Sales made of these orders, up to 10 March 2026. */
export function sampleSales(orders: readonly Order[], visits: readonly VisitCount[] = []): Sales {
  return { firstDay: "2025-03-16", lastDay: "2026-03-10", orders, visits };
}

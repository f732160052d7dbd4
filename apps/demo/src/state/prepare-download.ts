import { findOrders } from "../data/find-orders.ts";
import { ordersToCsv } from "../data/orders-to-csv.ts";
import type { Dashboard, Download } from "./dashboard.ts";

/** The orders that the table lists, all its pages, as a file to save. */
export function prepareDownload(dashboard: Dashboard): Download {
  const { range } = dashboard.scope();
  const orders = findOrders(dashboard.sales, dashboard.scope(), dashboard.get().query);
  return { name: `orders-${range.from}-to-${range.to}.csv`, text: ordersToCsv(orders), rows: orders.length };
}

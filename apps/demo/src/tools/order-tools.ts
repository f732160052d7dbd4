import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { directions, findOrders, orderColumns, ordersToCsv } from "../data/find-orders.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { dollars } from "./describe-view.ts";
import { prepareDownload } from "../state/dashboard.ts";

/** Tools about single orders. */
export function offerOrderTools(page: Page, dashboard: Dashboard): void {
  page.registerTool(searchOrders(dashboard));
  page.registerTool(exportCsv(dashboard));
}

function searchOrders(dashboard: Dashboard) {
  return defineTool({
    name: "search_orders",
    title: "Search orders",
    description:
      "Finds orders of the page's period and filters that have every word of the text, and lists them in its table too.",
    inputSchema: {
      type: "object",
      properties: {
        text: { type: "string", maxLength: 120 },
        sort: { enum: orderColumns, default: "date" },
        direction: { enum: directions, default: "descending" },
        limit: { type: "integer", minimum: 1, maximum: 50, default: 12 },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute({ text = "", sort = "date", direction = "descending", limit = 12 }) {
      dashboard.setQuery({ text, sort, direction });
      const found = findOrders(dashboard.sales, dashboard.scope(), dashboard.get().query);
      return {
        matching: found.length,
        revenue: dollars(found.reduce((sum, order) => sum + order.cents, 0)),
        orders: found.slice(0, limit).map(({ cents, ...order }) => ({ ...order, total: dollars(cents) })),
      };
    },
  });
}

function exportCsv(dashboard: Dashboard) {
  return defineTool({
    name: "export_csv",
    title: "Export orders",
    description: "Offers the user the table's orders as a CSV file, and returns its first rows.",
    inputSchema: {
      type: "object",
      properties: { maxRows: { type: "integer", minimum: 1, maximum: 2000, default: 20 } },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute({ maxRows = 20 }) {
      const download = prepareDownload(dashboard);
      dashboard.offerDownload(download);
      const orders = findOrders(dashboard.sales, dashboard.scope(), dashboard.get().query).slice(0, maxRows);
      const summary = `${download.name} is offered in the page, with ${download.rows} orders. Rows here: ${orders.length}.`;
      const resource = { uri: `dashboard://${download.name}`, mimeType: "text/csv", text: ordersToCsv(orders) };
      return {
        content: [
          { type: "text", text: summary },
          { type: "resource", resource },
        ],
      };
    },
  });
}

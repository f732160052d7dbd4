import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { lastDays, listDays } from "../data/calendar.ts";
import { figuresOf } from "../data/figures.ts";
import { groupings, groupSales } from "../data/group-sales.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { describeFigures, dollars, setOnly, figuresSchema, filtersSchema, rangeProperties } from "./describe-view.ts";

/** Tools that read the sales and change nothing. */
export function offerReadTools(page: Page, dashboard: Dashboard): void {
  page.registerTool(getDashboardOverview(dashboard));
  page.registerTool(getSalesData(dashboard));
}

function getDashboardOverview(dashboard: Dashboard) {
  return defineTool({
    name: "get_dashboard_overview",
    title: "Key figures",
    description: "Key figures of what the page shows, and their changes in percent against as many days before.",
    inputSchema: { type: "object", properties: {} },
    outputSchema: figuresSchema,
    annotations: { readOnlyHint: true },
    execute: () => describeFigures(dashboard),
  });
}

function getSalesData(dashboard: Dashboard) {
  const { firstDay, lastDay } = dashboard.sales;
  return defineTool({
    name: "get_sales_data",
    title: "Sales in rows",
    description:
      "Revenue and orders of the last N days up to yesterday, in rows. Uses the page's filters, not its period.",
    inputSchema: {
      type: "object",
      properties: {
        days: {
          type: "integer",
          minimum: 1,
          maximum: listDays(firstDay, lastDay).length,
        },
        groupBy: { enum: groupings, default: "day" },
      },
      required: ["days"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        period: { type: "string" },
        ...rangeProperties,
        filters: filtersSchema,
        currency: { type: "string" },
        data: {
          type: "array",
          items: {
            type: "object",
            properties: {
              key: { type: "string" },
              revenue: { type: "number" },
              orders: { type: "integer" },
            },
            required: ["key", "revenue", "orders"],
          },
        },
        total: {
          type: "object",
          properties: { revenue: { type: "number" }, orders: { type: "integer" } },
          required: ["revenue", "orders"],
        },
      },
      required: ["period", "from", "to", "filters", "currency", "data", "total"],
    },
    annotations: { readOnlyHint: true },
    execute({ days, groupBy = "day" }) {
      const scope = { range: lastDays(lastDay, days), filters: dashboard.get().filters };
      const { revenue, orders } = figuresOf(dashboard.sales, scope);
      const rows = groupSales(dashboard.sales, scope, groupBy);
      return {
        period: `Last ${days} days`,
        ...scope.range,
        filters: setOnly(scope.filters),
        currency: "USD",
        data: rows.map((row) => ({ key: row.key, revenue: dollars(row.cents), orders: row.orders })),
        total: { revenue: dollars(revenue), orders },
      };
    },
  });
}

// The tools of the demo, as it declares them.
import type { JsonObject } from "../../../wire/index.ts";
import type { RehearsalTool } from "./model/request.ts";

function tool(name: string, description: string, schema: object): RehearsalTool {
  const parameters = { type: "object", properties: {}, additionalProperties: false, ...schema };
  return { name, description, parameters: parameters as JsonObject };
}

const nullable = (words: readonly string[]): object => ({ enum: [...words, null] });

export const demoTools: readonly RehearsalTool[] = [
  tool(
    "get_dashboard_overview",
    "Key figures of what the page shows now (its period and filters), each with its change in percent against the same number of days before.",
    {},
  ),
  tool(
    "get_sales_data",
    "Revenue and orders of the last N days, one row per day, week, product, region or channel. Uses the filters set on the page, not its period. Amounts are in dollars.",
    {
      properties: {
        days: {
          type: "integer",
          minimum: 1,
          maximum: 360,
          description: "Number of days, counted back from yesterday.",
        },
        groupBy: {
          enum: ["day", "week", "product", "region", "channel"],
          default: "day",
          description: "What a row stands for; weeks begin on Monday.",
        },
      },
      required: ["days"],
    },
  ),
  tool("set_period", "Shows the last N days on the whole page. Returns the key figures of that period.", {
    properties: { days: { enum: [7, 30, 90, 180] } },
    required: ["days"],
  }),
  tool(
    "filter_sales",
    "Narrows the whole page to a region, product or channel. A filter that is left out stays as it is; null clears it. Returns the key figures that are shown then.",
    {
      properties: {
        region: nullable(["Europe", "North America", "Asia Pacific", "Latin America", "Middle East"]),
        product: nullable(["House Blend", "Single Origin", "Hand Grinder", "Gift Box"]),
        channel: nullable(["Web shop", "Mobile app", "Marketplace"]),
      },
      minProperties: 1,
    },
  ),
  tool(
    "search_orders",
    "Finds orders of the period and filters that the page shows, and lists them in its table too. Every word of the text must occur in the order's id, date, customer, product, region or channel. Without text, all orders.",
    {
      properties: {
        text: { type: "string", maxLength: 120 },
        sort: {
          enum: ["id", "date", "customer", "product", "region", "channel", "quantity", "total"],
          default: "date",
        },
        direction: { enum: ["ascending", "descending"], default: "descending" },
        limit: { type: "integer", minimum: 1, maximum: 50, default: 12, description: "Orders to return." },
      },
    },
  ),
  tool(
    "highlight",
    "Rings one part of the page and scrolls to it, until the user dismisses it or something else is highlighted. Use it to show what you talk about.",
    {
      properties: {
        target: {
          enum: ["revenue", "orders", "conversion", "revenue_chart", "breakdown", "orders_table", "order", "notes"],
          description: "A key figure, a panel, or one order.",
        },
        orderId: { type: "string", pattern: "^H[0-9]+$", description: "Which order; only with the target order." },
        message: { type: "string", minLength: 1, maxLength: 120, description: "A few words shown beside it." },
      },
      required: ["target"],
    },
  ),
  tool("add_note", "Writes a note for the user. With a date it also marks that day on the chart.", {
    properties: {
      text: { type: "string", minLength: 1, maxLength: 280 },
      date: { type: "string", format: "date", description: "YYYY-MM-DD, from 2025-01-01 to 2026-03-10." },
    },
    required: ["text"],
  }),
  tool(
    "delete_notes",
    "Deletes all notes, the user's own too. The user is asked in the page first; it cannot be undone.",
    {},
  ),
  tool(
    "run_forecast",
    "Simulates the revenue of the days to come from the last 90 days, under the page's filters, and draws it on the chart. Takes about five seconds, reports progress, and can be cancelled.",
    {
      properties: {
        days: { type: "integer", minimum: 7, maximum: 60, default: 14, description: "Days to look ahead." },
      },
    },
  ),
];

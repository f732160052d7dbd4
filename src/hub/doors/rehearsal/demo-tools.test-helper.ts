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
    "Key figures of what the page shows, and their changes in percent against as many days before.",
    {},
  ),
  tool(
    "get_sales_data",
    "Revenue and orders of the last N days up to yesterday, in rows. Uses the page's filters, not its period.",
    {
      properties: {
        days: {
          type: "integer",
          minimum: 1,
          maximum: 360,
        },
        groupBy: {
          enum: ["day", "week", "product", "region", "channel"],
          default: "day",
        },
      },
      required: ["days"],
    },
  ),
  tool("set_period", "Shows the last N days on the whole page. Returns its key figures.", {
    properties: { days: { enum: [7, 30, 90, 180] } },
    required: ["days"],
  }),
  tool("filter_sales", "Narrows the whole page; null clears a filter. Returns the key figures.", {
    properties: {
      region: nullable(["Europe", "North America", "Asia Pacific", "Latin America", "Middle East"]),
      product: nullable(["House Blend", "Single Origin", "Hand Grinder", "Gift Box"]),
      channel: nullable(["Web shop", "Mobile app", "Marketplace"]),
    },
    minProperties: 1,
  }),
  tool(
    "search_orders",
    "Finds orders of the page's period and filters that have every word of the text, and lists them in its table too.",
    {
      properties: {
        text: { type: "string", maxLength: 120 },
        sort: {
          enum: ["id", "date", "customer", "product", "region", "channel", "quantity", "total"],
          default: "date",
        },
        direction: { enum: ["ascending", "descending"], default: "descending" },
        limit: { type: "integer", minimum: 1, maximum: 50, default: 12 },
      },
    },
  ),
  tool("highlight", "Rings a part of the page and scrolls to it, to show what you talk about.", {
    properties: {
      target: {
        enum: ["revenue", "orders", "conversion", "revenue_chart", "breakdown", "orders_table", "order", "notes"],
      },
      orderId: { type: "string" },
      message: { type: "string", maxLength: 120 },
    },
    required: ["target"],
  }),
  tool("add_note", "Writes a note for the user; with a date it marks that day on the chart too.", {
    properties: {
      text: { type: "string", minLength: 1, maxLength: 280 },
      date: { type: "string", format: "date" },
    },
    required: ["text"],
  }),
  tool("delete_notes", "Deletes all notes, the user's own too. The user is asked first.", {}),
  tool(
    "run_forecast",
    "Simulates the revenue of the next days under the page's filters, and draws it on the chart. Takes five seconds.",
    {
      properties: {
        days: { type: "integer", minimum: 7, maximum: 60, default: 14 },
      },
    },
  ),
];

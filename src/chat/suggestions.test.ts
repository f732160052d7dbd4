import { expect, test } from "vitest";
import { choicesOf } from "./model/choices.ts";
import { suggestionsOf } from "./view/empty.ts";

const tool = (name: string, properties: object = {}, more: object = {}) => ({
  name,
  description: "",
  parameters: { type: "object", properties, required: Object.keys(properties) } as never,
  ...more,
});
const readOnly = { annotations: { readOnlyHint: true } };

test("three suggestions come from the app's tools: first those that only read, in the words of their names", () => {
  const tools = [
    tool("delete_all", {}, { title: "Delete everything" }),
    tool("set_period", { days: {} }, { title: "Set the period" }),
    tool("search_orders", { text: {} }, readOnly),
    tool("get_dashboard_overview", {}, readOnly),
    tool("getSalesData", { days: {} }, readOnly),
  ];
  expect(suggestionsOf(tools)).toEqual([
    "Show me the sales data of the last 30 days",
    "Show me the dashboard overview",
    "Show me the orders",
  ]);
  expect(suggestionsOf(tools.slice(0, 2))).toEqual(["Set the period: the last 30 days", "Delete everything"]);
  expect(suggestionsOf([])).toEqual([]);
});

test("where each call is asked about, an answer holds for one call only", () => {
  const labels = (request: Parameters<typeof choicesOf>[0]) => choicesOf(request).map(({ label }) => label);
  expect(labels({ once: true })).toEqual(["Allow once", "Don't allow"]);
  expect(labels({})).toEqual([
    "Allow once",
    "Don't allow",
    "Allow for this session",
    "Always allow this tool",
    "Never allow this tool",
  ]);
});

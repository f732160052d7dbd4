import { expect, test } from "vitest";
import { noFilters } from "../../data/filters.ts";
import {
  questionAboutBreakdown,
  questionAboutChart,
  questionAboutFigure,
  questionAboutOrder,
  requestForSummary,
} from "./questions.ts";

const shown = { days: 30, filters: noFilters } as const;
const narrowed = { days: 7, filters: { ...noFilters, region: "Europe", product: "Gift Box" } } as const;

test("a question names what the page shows: the figure, the period and the filters", () => {
  expect(questionAboutFigure({ name: "Revenue", value: "$112,340", change: 0.0312 }, shown)).toBe(
    "What explains the revenue of the last 30 days? Now at $112,340, 3.1% more than before.",
  );
  expect(questionAboutFigure({ name: "Orders", value: "12", change: -0.5 }, narrowed)).toBe(
    "What explains the orders of the last 7 days (Europe, Gift Box)? Now at 12, 50.0% less than before.",
  );
  expect(questionAboutFigure({ name: "Orders", value: "12", change: -0.0001 }, shown)).toContain("12, as before.");
  expect(questionAboutFigure({ name: "Orders", value: "12", change: undefined }, shown)).toContain("Now at 12.");
  expect(questionAboutChart(narrowed)).toContain("the last 7 days (Europe, Gift Box) by day");
  expect(questionAboutBreakdown("channel", shown)).toContain("the last 30 days by channel");
  expect(questionAboutOrder({ id: "H20418", customer: "Ada Lovelace" })).toContain('order "H20418" of Ada Lovelace');
});

test("the summary that is asked for is of the period and filters shown", () => {
  expect(requestForSummary(narrowed)).toContain("the key figures of the last 7 days (Europe, Gift Box)");
});

import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { periods } from "../data/catalogue.ts";
import { highlightTargets } from "../state/dashboard.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { describeFigures, refusal, figuresSchema, filterProperties } from "./describe-view.ts";
import { groupSales } from "../data/group-sales.ts";
import { findOrders } from "../data/find-orders.ts";

const highestGoal = 1_000_000;

/** The tool that asks the user for a goal. */
export function offerGoalTool(page: Page, dashboard: Dashboard): void {
  page.registerTool(askSalesGoal(dashboard));
}

function askSalesGoal(dashboard: Dashboard) {
  return defineTool({
    name: "ask_sales_goal",
    title: "Ask for a sales goal",
    description: "Asks the user for a goal of revenue a day, draws it on the chart, and says how often it was reached.",
    inputSchema: {
      type: "object",
      properties: {
        suggestion: {
          type: "number",
          minimum: 1,
          maximum: highestGoal,
          description: "In dollars a day.",
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
    async execute({ suggestion }, { agent, ask }) {
      const { action, content } = await ask({
        message: `${agent.name} asks: what revenue do you want to reach each day?`,
        requestedSchema: {
          type: "object",
          properties: {
            dailyRevenue: {
              type: "number",
              title: "Revenue a day, in dollars",
              minimum: 1,
              maximum: highestGoal,
              ...(suggestion !== undefined && { default: suggestion }),
            },
          },
          required: ["dailyRevenue"],
        },
      });
      if (action !== "accept") return { action, dailyGoal: null };
      const goal = parseGoal(content?.dailyRevenue);
      if (goal === undefined) return refusal(`The answer is not a number from 1 to ${highestGoal}. No goal was set.`);
      dashboard.setGoal(goal);
      const days = groupSales(dashboard.sales, dashboard.scope(), "day");
      const reached = days.filter((day) => day.cents >= goal).length;
      return { action, dailyGoal: goal / 100, daysReached: reached, daysShown: days.length };
    },
  });
}

function parseGoal(value: unknown): number | undefined {
  const isGoal = typeof value === "number" && value >= 1 && value <= highestGoal;
  return isGoal ? Math.round(value * 100) : undefined;
}

/** Tools that change which sales the page shows. */
export function offerViewTools(page: Page, dashboard: Dashboard): void {
  page.registerTool(setPeriod(dashboard));
  page.registerTool(filterSales(dashboard));
}

function setPeriod(dashboard: Dashboard) {
  return defineTool({
    name: "set_period",
    title: "Set the period",
    description: "Shows the last N days on the whole page. Returns its key figures.",
    inputSchema: {
      type: "object",
      properties: { days: { enum: periods } },
      required: ["days"],
      additionalProperties: false,
    },
    outputSchema: figuresSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute({ days }) {
      dashboard.setPeriod(days);
      return describeFigures(dashboard);
    },
  });
}

function filterSales(dashboard: Dashboard) {
  return defineTool({
    name: "filter_sales",
    title: "Filter the sales",
    description: "Narrows the whole page; null clears a filter. Returns the key figures.",
    inputSchema: { type: "object", properties: filterProperties, minProperties: 1, additionalProperties: false },
    outputSchema: figuresSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute(filters) {
      dashboard.setFilters(filters);
      return describeFigures(dashboard);
    },
  });
}

/** The tool that points at something on the page. */
export function offerHighlightTool(page: Page, dashboard: Dashboard): void {
  page.registerTool(highlight(dashboard));
}

function highlight(dashboard: Dashboard) {
  return defineTool({
    name: "highlight",
    title: "Point at something",
    description: "Rings a part of the page and scrolls to it, to show what you talk about.",
    inputSchema: {
      type: "object",
      properties: {
        target: { enum: highlightTargets },
        orderId: { type: "string" },
        message: { type: "string", maxLength: 120 },
      },
      required: ["target"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    execute({ target, orderId, message }, { agent }) {
      const problem = target === "order" ? problemWith(dashboard, orderId) : undefined;
      if (problem !== undefined) return refusal(problem);
      dashboard.highlight({
        target,
        by: agent.name,
        ...(target === "order" && orderId !== undefined && { orderId }),
        ...(message && { message }),
      });
      return `Highlighted ${target === "order" ? `order ${orderId}` : target}.`;
    },
  });
}

function problemWith(dashboard: Dashboard, orderId: string | undefined): string | undefined {
  if (orderId === undefined) return 'The target "order" needs an orderId, such as one from search_orders.';
  const listed = findOrders(dashboard.sales, dashboard.scope(), dashboard.get().query);
  if (listed.some(({ id }) => id === orderId)) return undefined;
  return `The page's table does not list order ${orderId} now. Call search_orders with its id first.`;
}

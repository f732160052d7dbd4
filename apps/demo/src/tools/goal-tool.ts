import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { groupSales } from "../data/group-sales.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { refusal } from "./refusal.ts";

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

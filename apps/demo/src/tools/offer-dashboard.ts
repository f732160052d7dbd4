import type { Page } from "pagewire/page";
import type { Dashboard } from "../state/dashboard.ts";
import { describeView } from "./describe-view.ts";
import { offerForecastTool } from "./forecast-tool.ts";
import { offerGoalTool, offerViewTools, offerHighlightTool } from "./view-tools.ts";
import { offerNoteTools } from "./note-tools.ts";
import { offerOrderTools } from "./order-tools.ts";
import { offerReadTools } from "./read-tools.ts";

/** Offers agents everything that the dashboard can do. */
export function offerDashboard(page: Page, dashboard: Dashboard): void {
  offerReadTools(page, dashboard);
  offerViewTools(page, dashboard);
  offerOrderTools(page, dashboard);
  offerHighlightTool(page, dashboard);
  offerNoteTools(page, dashboard);
  offerForecastTool(page, dashboard);
  offerGoalTool(page, dashboard);

  page.registerResource({
    uri: "dashboard://view",
    name: "view",
    title: "What the dashboard shows",
    description: "The period, filters, key figures, notes, forecast and goal on the page, as JSON.",
    mimeType: "application/json",
    read: () => JSON.stringify(describeView(dashboard), undefined, 2),
  });

  page.registerPrompt({
    name: "weekly_report",
    title: "Weekly report",
    description: "A short report of the last seven days, with what stands out pointed at in the page.",
    arguments: [{ name: "audience", description: "Who reads it; the sales team when left out." }],
    get: ({ audience = "the sales team" }) => weeklyReport(audience),
  });
}

function weeklyReport(audience: string): string {
  return [
    `Write a report of the last week's sales for ${audience}, in at most 150 words.`,
    "Call set_period with 7 days for the key figures, then get_sales_data with 28 days by week, and with 7 days by product and by region.",
    "Say what changed, by how much, and what may explain it; give every number as the tools gave it.",
    "Then call highlight for the one thing to look at first, and add_note for each day that stands out.",
  ].join("\n");
}

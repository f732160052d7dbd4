import type { Dashboard } from "../state/dashboard.ts";
import type { Ask } from "./assistant/ask-button.ts";
import { mountBreakdown } from "./breakdown.ts";
import { offerChartQuestion, mountRevenueChart } from "./chart/revenue-chart.ts";
import { mountControls, mountDownload } from "./controls.ts";
import { mountHighlight } from "./highlight.ts";
import { mountNotes } from "./notes.ts";
import { mountOrdersTable } from "./orders-table.ts";
import { mountTiles } from "./tiles.ts";

/** Draws the dashboard into the page, and keeps it drawn. Without `ask` there is no assistant to ask about its parts. */
export function mountDashboard(dashboard: Dashboard, ask?: Ask): void {
  mountControls(dashboard);
  mountTiles(dashboard, ask);
  mountBreakdown(dashboard, ask);
  mountOrdersTable(dashboard, ask);
  mountDownload(dashboard);
  const notes = mountNotes(dashboard);
  mountRevenueChart(dashboard, (day) => notes.write(day));
  if (ask) offerChartQuestion(dashboard, ask);
  // Last: it rings what the others have drawn.
  mountHighlight(dashboard);
}

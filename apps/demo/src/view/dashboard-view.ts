import type { Dashboard } from "../state/dashboard.ts";
import { mountBreakdown } from "./breakdown.ts";
import { mountRevenueChart } from "./chart/revenue-chart.ts";
import { mountControls } from "./controls.ts";
import { mountDownload } from "./download.ts";
import { mountHighlight } from "./highlight.ts";
import { mountNotes } from "./notes.ts";
import { mountOrdersTable } from "./orders-table.ts";
import { mountTiles } from "./tiles.ts";

/** Draws the dashboard into the page, and keeps it drawn. */
export function mountDashboard(dashboard: Dashboard): void {
  mountControls(dashboard);
  mountTiles(dashboard);
  mountBreakdown(dashboard);
  mountOrdersTable(dashboard);
  mountDownload(dashboard);
  const notes = mountNotes(dashboard);
  mountRevenueChart(dashboard, (day) => notes.write(day));
  // Last: it rings what the others have drawn.
  mountHighlight(dashboard);
}

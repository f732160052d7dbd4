import type { Dashboard } from "../state/dashboard.ts";
import type { Ask } from "./assistant/ask-button.tsx";
import { mountBreakdown } from "./breakdown.tsx";
import { mountRevenueChart } from "./chart/revenue-chart.tsx";
import { mountControls, mountDownload } from "./controls.tsx";
import { mountHighlight } from "./highlight.tsx";
import { mountNotes } from "./notes.tsx";
import { mountOrdersTable } from "./orders-table.tsx";
import { mountTiles } from "./tiles.tsx";

/** Draws the dashboard into the page, and keeps it drawn. Without `ask` there is no assistant to ask about its parts. */
export function mountDashboard(dashboard: Dashboard, ask?: Ask): void {
  mountControls(dashboard);
  mountTiles(dashboard, ask);
  mountBreakdown(dashboard, ask);
  mountOrdersTable(dashboard, ask);
  mountDownload(dashboard);
  const notes = mountNotes(dashboard);
  mountRevenueChart(dashboard, (day) => notes.write(day), ask);
  // Last: it rings what the others have drawn.
  mountHighlight(dashboard);
}

import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { periods } from "../data/catalogue.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { describeFigures } from "./describe-view.ts";
import { figuresSchema, filterProperties } from "./schemas.ts";

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

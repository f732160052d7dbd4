import type { Page } from "pagewire/page";
import { defineTool } from "pagewire/toolbox";
import { findOrders } from "../data/find-orders.ts";
import { highlightTargets } from "../state/dashboard.ts";
import type { Dashboard } from "../state/dashboard.ts";
import { refusal } from "./refusal.ts";

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

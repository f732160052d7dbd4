// The page's suggested questions for the assistant, about the current view.
import type { Order } from "../../data/catalogue.ts";
import type { Dimension } from "../../data/group-sales.ts";
import type { View } from "../../state/dashboard.ts";
import { formatShare } from "../format.ts";

type Shown = Pick<View, "days" | "filters">;

/** A key figure as its tile shows it. */
export interface ShownFigure {
  readonly name: string;
  readonly value: string;
  /** A share of 1; undefined where there is nothing to compare with. */
  readonly change: number | undefined;
}

export function questionAboutFigure({ name, value, change }: ShownFigure, shown: Shown): string {
  return `What explains the ${name.toLowerCase()} of ${shownPeriod(shown)}? Now at ${value}${comparison(change)}.`;
}

export function questionAboutChart(shown: Shown): string {
  return `Look at the revenue of ${shownPeriod(shown)} by day. Which days stand out, and why?`;
}

export function questionAboutBreakdown(by: Dimension, shown: Shown): string {
  return `Compare the revenue of ${shownPeriod(shown)} by ${by}. What stands out?`;
}

export function questionAboutOrder({ id, customer }: Pick<Order, "id" | "customer">): string {
  return `Find order "${id}" of ${customer}. Is there anything unusual about it?`;
}

export function requestForSummary(shown: Shown): string {
  return `Sum up this dashboard: the key figures of ${shownPeriod(shown)}, what changed most, and what to look at first.`;
}

/** The stretch and the filters shown: `the last 30 days (Europe, Gift Box)`. */
function shownPeriod({ days, filters }: Shown): string {
  const chosen = Object.values(filters).filter((value) => value !== null);
  return `the last ${days} days${chosen.length === 0 ? "" : ` (${chosen.join(", ")})`}`;
}

function comparison(change: number | undefined): string {
  if (change === undefined) return "";
  const text = formatShare(Math.abs(change));
  if (text === formatShare(0)) return ", as before";
  return `, ${text} ${change > 0 ? "more" : "less"} than before`;
}

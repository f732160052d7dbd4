import { compareFigures } from "../data/figures.ts";
import type { ComparedFigure } from "../data/figures.ts";
import type { Filters } from "../data/filters.ts";
import type { Dashboard } from "../state/dashboard.ts";
import type { CallToolResult } from "pagewire/wire";
import { channels, products, regions } from "../data/catalogue.ts";

const nullableNumber = { type: ["number", "null"] } as const;

export const filterProperties = {
  region: { enum: [...regions, null] },
  product: { enum: [...products, null] },
  channel: { enum: [...channels, null] },
} as const;

/** The filters that are set. */
export const filtersSchema = { type: "object", properties: filterProperties } as const;

export const rangeProperties = {
  from: { type: "string", description: "First day, YYYY-MM-DD." },
  to: { type: "string", description: "Last day, YYYY-MM-DD." },
} as const;

/** The key figures, as describeFigures gives them. */
export const figuresSchema = {
  type: "object",
  properties: {
    period: {
      type: "object",
      properties: { days: { type: "integer" }, ...rangeProperties },
      required: ["days", "from", "to"],
    },
    filters: filtersSchema,
    currency: { type: "string" },
    totalRevenue: { type: "number" },
    orders: { type: "integer" },
    averageOrderValue: { type: "number" },
    conversionRate: { type: "number", description: "Visits that became an order, in percent." },
    activeUsers: { type: "integer", description: "Customers with at least one order." },
    changeInPercent: {
      type: "object",
      description: "Against the days before; null where there was nothing.",
      properties: {
        totalRevenue: nullableNumber,
        orders: nullableNumber,
        averageOrderValue: nullableNumber,
        conversionRate: nullableNumber,
        activeUsers: nullableNumber,
      },
      required: ["totalRevenue", "orders", "averageOrderValue", "conversionRate", "activeUsers"],
    },
  },
  required: [
    "period",
    "filters",
    "currency",
    "totalRevenue",
    "orders",
    "averageOrderValue",
    "conversionRate",
    "activeUsers",
    "changeInPercent",
  ],
} as const;

/** Cents as dollars, for agents. */
export function dollars(cents: number): number {
  return Math.round(cents) / 100;
}

/** The filters that are set; the others mean nothing to an agent. */
export function setOnly(filters: Filters): Partial<Filters> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null));
}

/** The key figures of what the page shows, as agents read them: the same numbers as on the tiles. */
export function describeFigures(dashboard: Dashboard) {
  const { days, filters } = dashboard.get();
  const { range } = dashboard.scope();
  const figures = compareFigures(dashboard.sales, dashboard.scope());
  return {
    period: { days, ...range },
    filters: setOnly(filters),
    currency: "USD",
    totalRevenue: dollars(figures.revenue.now),
    orders: figures.orders.now,
    averageOrderValue: dollars(figures.averageOrder.now),
    conversionRate: percent(figures.conversion.now, 2),
    activeUsers: figures.activeUsers.now,
    changeInPercent: {
      totalRevenue: changeOf(figures.revenue),
      orders: changeOf(figures.orders),
      averageOrderValue: changeOf(figures.averageOrder),
      conversionRate: changeOf(figures.conversion),
      activeUsers: changeOf(figures.activeUsers),
    },
  };
}

/** Everything that the page shows, for the resource of the view. */
export function describeView(dashboard: Dashboard) {
  const { breakdown, query, page, notes, forecast, goal } = dashboard.get();
  return {
    ...describeFigures(dashboard),
    breakdownBy: breakdown,
    ordersTable: { ...query, page: page + 1 },
    notes: notes.map(({ text, day, author }) => ({ text, author, date: day ?? null })),
    forecast: forecast === undefined ? null : { days: forecast.days.length, revenue: dollars(forecast.total.cents) },
    dailyGoal: goal === undefined ? null : dollars(goal),
  };
}

function changeOf({ change }: ComparedFigure): number | null {
  return change === undefined ? null : percent(change, 1);
}

function percent(share: number, digits: number): number {
  return Number((share * 100).toFixed(digits));
}

/** The answer of a tool that could run and will not: an error for the agent, not a fault of the page. */
export function refusal(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

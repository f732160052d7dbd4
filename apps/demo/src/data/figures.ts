import type { Sales } from "./catalogue.ts";
import { listDays, rangeBefore } from "./calendar.ts";
import { ordersIn, visitsIn } from "./filters.ts";
import type { Scope } from "./filters.ts";

/** The five figures on the tiles. */
export type FigureName = "revenue" | "orders" | "averageOrder" | "conversion" | "activeUsers";

/** Money in cents, conversion as a share of 1. */
export type Figures = Readonly<Record<FigureName, number>>;

/** One figure of a scope, compared with the preceding period. */
export interface ComparedFigure {
  readonly now: number;
  readonly before: number;
  /** As a share of the figure before; undefined where that is zero. */
  readonly change: number | undefined;
  /** The figure of each day, oldest first. */
  readonly byDay: readonly number[];
}

/** The figures of a scope. */
export function figuresOf(sales: Sales, scope: Scope): Figures {
  const orders = ordersIn(sales, scope);
  const revenue = orders.reduce((sum, order) => sum + order.cents, 0);
  const visits = visitsIn(sales, scope).reduce((sum, count) => sum + count.visits, 0);
  return {
    revenue,
    orders: orders.length,
    averageOrder: orders.length === 0 ? 0 : revenue / orders.length,
    conversion: visits === 0 ? 0 : orders.length / visits,
    activeUsers: new Set(orders.map((order) => order.customer)).size,
  };
}

/** The figures of a scope, of the stretch before it, and of each of its days. */
export function compareFigures(sales: Sales, scope: Scope): Readonly<Record<FigureName, ComparedFigure>> {
  const now = figuresOf(sales, scope);
  const before = figuresOf(sales, { ...scope, range: rangeBefore(scope.range) });
  const byDay = figuresByDay(sales, scope);
  const compared = (name: FigureName): ComparedFigure => ({
    now: now[name],
    before: before[name],
    change: changeOf(now[name], before[name]),
    byDay: byDay.map((figures) => figures[name]),
  });
  return {
    revenue: compared("revenue"),
    orders: compared("orders"),
    averageOrder: compared("averageOrder"),
    conversion: compared("conversion"),
    activeUsers: compared("activeUsers"),
  };
}

/** How much a figure changed, as a share of the one before; undefined where that is zero. */
export function changeOf(now: number, before: number): number | undefined {
  return before === 0 ? undefined : now / before - 1;
}

function figuresByDay(sales: Sales, { range, filters }: Scope): readonly Figures[] {
  // Narrowed once: going through a year of orders again for each of 180 days would be felt.
  const narrowed: Sales = {
    ...sales,
    orders: ordersIn(sales, { range, filters }),
    visits: visitsIn(sales, { range, filters }),
  };
  return listDays(range.from, range.to).map((day) => figuresOf(narrowed, { range: { from: day, to: day }, filters }));
}

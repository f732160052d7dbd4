import { addDays, rangeBefore } from "../../data/calendar.ts";
import type { ForecastDay } from "../../data/forecast-revenue.ts";
import { groupSales } from "../../data/group-sales.ts";
import type { SalesRow } from "../../data/group-sales.ts";
import type { Dashboard, Note } from "../../state/dashboard.ts";

/** Everything that the chart draws. */
export interface ChartData {
  /** The days shown, then those that are forecast. */
  readonly days: readonly string[];
  readonly sold: readonly SalesRow[];
  /** The same number of days right before, day for day. */
  readonly before: readonly SalesRow[];
  /** The mean of each day and the six before it: where single days would only show the rhythm of the week. */
  readonly average: readonly number[] | undefined;
  readonly forecast: readonly ForecastDay[];
  readonly goal: number | undefined;
  readonly notes: ReadonlyMap<string, readonly Note[]>;
}

/** Collects what the chart draws for the present view. */
export function chartData(dashboard: Dashboard): ChartData {
  const { days, forecast, goal, notes } = dashboard.get();
  const scope = dashboard.scope();
  const sold = groupSales(dashboard.sales, scope, "day");
  const before = groupSales(dashboard.sales, { ...scope, range: rangeBefore(scope.range) }, "day");
  const ahead = forecast?.days ?? [];
  return {
    days: [...sold.map((row) => row.key), ...ahead.map((day) => day.date)],
    sold,
    before,
    average: days < 90 ? undefined : weekAverage(dashboard, sold.length),
    forecast: ahead,
    goal,
    notes: notesByDay(notes),
  };
}

function weekAverage(dashboard: Dashboard, count: number): readonly number[] {
  const { range, filters } = dashboard.scope();
  const wider = { range: { from: addDays(range.from, -6), to: range.to }, filters };
  const rows = groupSales(dashboard.sales, wider, "day");
  return Array.from({ length: count }, (_, index) => {
    const week = rows.slice(index, index + 7);
    return week.reduce((sum, row) => sum + row.cents, 0) / week.length;
  });
}

function notesByDay(notes: readonly Note[]): ReadonlyMap<string, readonly Note[]> {
  const byDay = new Map<string, Note[]>();
  for (const note of notes) {
    if (note.day === undefined) continue;
    byDay.set(note.day, [...(byDay.get(note.day) ?? []), note]);
  }
  return byDay;
}

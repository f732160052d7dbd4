import { formatCount, formatFullDay, formatMoney, formatWeekday } from "../format.ts";
import type { ChartData } from "./chart-data.ts";

/** What is known of one day on the chart. */
export interface DayDescription {
  readonly title: string;
  readonly figures: readonly (readonly [string, string])[];
  readonly notes: readonly string[];
}

/** Puts a day of the chart into words; undefined when there is no such day. */
export function describeDay(data: ChartData, index: number): DayDescription | undefined {
  const day = data.days[index];
  if (day === undefined) return undefined;
  return {
    title: `${formatWeekday(day)} ${formatFullDay(day)}`,
    figures: figuresOf(data, index),
    notes: (data.notes.get(day) ?? []).map((note) => `${note.author}: ${note.text}`),
  };
}

/** The same as one line of text. */
export function sayDay({ title, figures, notes }: DayDescription): string {
  const figureTexts = figures.map(([name, value]) => `${name} ${value}`);
  return `${title}: ${[...figureTexts, ...notes].join(", ")}`;
}

function figuresOf(data: ChartData, index: number): readonly (readonly [string, string])[] {
  const sold = data.sold[index];
  if (sold === undefined) {
    const ahead = data.forecast[index - data.sold.length];
    if (ahead === undefined) return [];
    return [
      ["Forecast", formatMoney(ahead.cents)],
      ["Likely range", `${formatMoney(ahead.low)} to ${formatMoney(ahead.high)}`],
    ];
  }
  const average = data.average?.[index];
  const before = data.before[index];
  return [
    ["Revenue", formatMoney(sold.cents)],
    ["Orders", formatCount(sold.orders)],
    ...(average === undefined ? [] : [["7-day average", formatMoney(average)] as const]),
    ...(before === undefined ? [] : [["Period before", formatMoney(before.cents)] as const]),
  ];
}

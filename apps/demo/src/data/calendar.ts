// Days are ISO strings in UTC throughout: they sort as text and mean the same in every time zone.

const dayMilliseconds = 86_400_000;

/** The day `count` days after another (before it, when negative). */
export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMilliseconds).toISOString().slice(0, 10);
}

/** Every day from the first to the last, both included. */
export function listDays(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMilliseconds) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(first, index));
}

/** 0 for Sunday to 6 for Saturday. */
export function weekdayOf(day: string): number {
  return new Date(day).getUTCDay();
}

/** The Monday of the week that a day is in. */
export function mondayOf(day: string): string {
  return addDays(day, -((weekdayOf(day) + 6) % 7));
}

/** Whether text is a day that exists: `2026-02-30` is not. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A stretch of days, both ends included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** The last `days` days up to and including `lastDay`. */
export function lastDays(lastDay: string, days: number): DayRange {
  return { from: addDays(lastDay, 1 - days), to: lastDay };
}

/** The stretch of the same length right before another. */
export function rangeBefore(range: DayRange): DayRange {
  const to = addDays(range.from, -1);
  return { from: addDays(to, 1 - listDays(range.from, range.to).length), to };
}

// Days, stretches of days and times of day in a sentence, as ISO text.
import type { Found, Span } from "./span.ts";

export interface Stretch extends Span {
  readonly from: string;
  readonly to: string;
  readonly unit: "day" | "week" | "month" | "quarter" | "year";
  /** How many of its unit it is. */
  readonly count: number;
}

export interface DayFacts {
  readonly days: readonly Found<string>[];
  readonly stretches: readonly Stretch[];
  readonly times: readonly Found<string>[];
}

const dayTime = 86_400_000;
export const unitDays = { day: 1, week: 7, month: 30, quarter: 90, year: 365 } as const;

function addDays(day: string, count: number): string {
  const time = Date.parse(day) + count * dayTime;
  return Math.abs(time) < 250_000_000_000_000 ? new Date(time).toISOString().slice(0, 10) : day;
}

export function findDays(text: string, today: string): DayFacts {
  const days = [...isoDays(text), ...writtenDays(text, today), ...spokenDays(text, today)].toSorted(
    (one, other) => one.start - other.start,
  );
  return { days, stretches: [...betweenDays(text, days), ...spokenStretches(text, today)], times: findTimes(text) };
}

function isoDays(text: string): readonly Found<string>[] {
  return [...text.matchAll(/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g)].flatMap(({ 0: value, index }) =>
    isDay(value) ? [{ value, start: index, end: index + value.length }] : [],
  );
}

function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** `3 March 2026`, `March 3rd`. */
function writtenDays(text: string, today: string): readonly Found<string>[] {
  const month = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
  const day = "(\\d{1,2})(?:st|nd|rd|th)?";
  const pattern = new RegExp(`\\b(?:${day}\\s+(?:of\\s+)?${month}|${month}\\s+${day})(?:,?\\s+(\\d{4}))?\\b`, "gi");
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: one, 2: two, 3: three, 4: four, 5: year, index }) => {
    const number = months.indexOf((two ?? three ?? "").toLowerCase()) + 1;
    const value = `${year ?? today.slice(0, 4)}-${pad(number)}-${pad(Number(one ?? four))}`;
    return isDay(value) ? [{ value, start: index, end: index + whole.length }] : [];
  });
}

const weekdays = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

function spokenDays(text: string, today: string): readonly Found<string>[] {
  const pattern = new RegExp(
    `\\b(today|yesterday|tomorrow|(?:(last|next|this|on)\\s+)?(${weekdays.join("|")}))\\b`,
    "gi",
  );
  return [...text.matchAll(pattern)].map(({ 0: whole, 1: word = "", 2: which = "", 3: weekday, index }) => {
    const span = { start: index, end: index + whole.length };
    const near = { today: 0, yesterday: -1, tomorrow: 1 }[word.toLowerCase()];
    if (near !== undefined) return { ...span, value: addDays(today, near) };
    const ahead = (weekdays.indexOf((weekday ?? "").toLowerCase()) - new Date(today).getUTCDay() + 7) % 7;
    return { ...span, value: addDays(today, which.toLowerCase() === "last" ? ahead - 7 : ahead || 7) };
  });
}

const small = "a one two three four five six seven eight nine ten eleven twelve".split(" ");

/** `last 30 days`, `next two weeks`, `this month`. */
function spokenStretches(text: string, today: string): readonly Stretch[] {
  const pattern = new RegExp(
    `\\b(last|past|previous|next|coming|this)\\s+(?:(\\d{1,4}|${small.join("|")})\\s+)?(day|week|month|quarter|year)s?\\b`,
    "gi",
  );
  return [...text.matchAll(pattern)].map(({ 0: whole, 1: word = "", 2: amount, 3: named = "", index }) => {
    const unit = named.toLowerCase() as Stretch["unit"];
    const written = small.indexOf((amount ?? "one").toLowerCase());
    const count = written < 0 ? Number(amount) : Math.max(1, written);
    const days = count * unitDays[unit];
    const isAhead = /next|coming/i.test(word);
    const from = isAhead ? addDays(today, 1) : addDays(today, -days);
    const to = isAhead ? addDays(today, days) : addDays(today, -1);
    return { from, to, unit, count, start: index, end: index + whole.length };
  });
}

/** `from 2026-01-01 to 2026-01-31`. */
function betweenDays(text: string, days: readonly Found<string>[]): readonly Stretch[] {
  return days.flatMap((day, at) => {
    const next = days[at + 1];
    if (!next || !/^\s*(to|until|till|through|and|–|-)\s*$/i.test(text.slice(day.end, next.start))) return [];
    const count = Math.round((Date.parse(next.value) - Date.parse(day.value)) / dayTime) + 1;
    return [{ from: day.value, to: next.value, unit: "day", count, start: day.start, end: next.end } as const];
  });
}

function findTimes(text: string): readonly Found<string>[] {
  return [...text.matchAll(/\b(\d{1,2})(?::(\d{2}))?\s?(am|pm)?\b/gi)].flatMap(
    ({ 0: whole, 1: hour = "", 2: minute, 3: half, index }) => {
      if (minute === undefined && half === undefined) return [];
      const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/pm/i.test(half) ? 12 : 0);
      if (hours > 23 || Number(minute ?? 0) > 59) return [];
      return [{ value: `${pad(hours)}:${minute ?? "00"}`, start: index, end: index + whole.length }];
    },
  );
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

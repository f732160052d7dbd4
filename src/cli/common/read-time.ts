import { usageError } from "./command.ts";

/** Units of time, in milliseconds. */
export const unitTime: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time ago, or a point in time, that an option was given, in milliseconds since 1970. */
export function timeOption(name: string, text: string, now: Date): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const at = count === undefined ? pointOf(text) : now.getTime() - Number(count) * (unitTime[unit] ?? 0);
  if (!Number.isNaN(at)) return at;
  throw usageError(
    `--${name} must be a time ago, such as 1h or 7d, or a time such as 2026-01-31T12:00Z, not "${text}".`,
  );
}

function pointOf(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}

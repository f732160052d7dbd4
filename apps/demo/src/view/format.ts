const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const dollarsAndCents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const compactDollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  maximumFractionDigits: 1,
});
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const share = new Intl.NumberFormat("en-US", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const fineShare = new Intl.NumberFormat("en-US", { style: "percent", minimumFractionDigits: 2 });
const shortDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone: "UTC" });

/** `$4,210`, from cents. */
export function formatMoney(cents: number): string {
  return dollars.format(cents / 100);
}

/** `$85.75`, from cents. */
export function formatExactMoney(cents: number): string {
  return dollarsAndCents.format(cents / 100);
}

/** `$4.2K`, from cents. */
export function formatShortMoney(cents: number): string {
  return compactDollars.format(cents / 100);
}

/** `1,830` */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** `31.4%`, from a share of 1. */
export function formatShare(value: number): string {
  return share.format(value);
}

/** `3.04%`, from a share of 1. */
export function formatFineShare(value: number): string {
  return fineShare.format(value);
}

/** `3 Nov` */
export function formatDay(day: string): string {
  return shortDay.format(new Date(day));
}

/** `3 Nov 2026` */
export function formatFullDay(day: string): string {
  return longDay.format(new Date(day));
}

/** `Tue` */
export function formatWeekday(day: string): string {
  return weekday.format(new Date(day));
}

/** `14:32:05`, in the user's time zone. */
export function formatTime(time: number): string {
  return timeOfDay.format(time);
}

/** `840 ms`, `2.4 s` or `3 min 5 s` */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const DAY = 86_400_000;

/** A date as a short text: a time of today, a weekday, else a date. */
export function whenText(time: number, now: number): string {
  const date = new Date(time);
  if (date.toDateString() === new Date(now).toDateString()) {
    return date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
  if (now - time < 6 * DAY) return date.toLocaleDateString([], { weekday: "long" });
  return date.toLocaleDateString([], {
    day: "numeric",
    month: "short",
    year: now - time > 300 * DAY ? "numeric" : undefined,
  });
}

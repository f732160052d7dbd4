const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** When a terminal was made: today the time, before that the day. */
export function whenText(createdAt: number, now = new Date()): string {
  const date = new Date(createdAt);
  return date.toDateString() === now.toDateString() ? `since ${time.format(date)}` : `since ${day.format(date)}`;
}

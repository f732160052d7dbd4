import { showInvisible } from "pagewire/wire";
import type { Tone } from "../../../common/src/ui/index.ts";

const longest = 120;

/** A text of others, in a bounded length and without hidden characters. */
export function shown(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longest));
  const beginning = characters.length > longest || text.length > 2 * longest;
  return showInvisible(beginning ? `${characters.slice(0, longest).join("")}…` : text);
}

/** A field of a record that should be a text. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat([], { month: "short", day: "numeric" });
const dayTime = 24 * 60 * 60 * 1000;

/** The time of day, with its date where that was a while ago. */
export function clockText(at: number, now = Date.now()): string {
  return now - at > dayTime / 2 ? `${day.format(at)} ${clock.format(at)}` : clock.format(at);
}

/** With thousandths of a second, to tell apart what happens quickly. */
export function exactClockText(at: number): string {
  return `${clockText(at)}.${String(new Date(at).getMilliseconds()).padStart(3, "0")}`;
}

export function toneOf(outcome: string | undefined): Tone {
  if (outcome === undefined) return "info";
  if (outcome === "ok") return "ok";
  return outcome === "cancelled" || outcome === "expired" ? "wait" : "bad";
}

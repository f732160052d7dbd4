// How many tokens of the model the user has left, in words.
import type { Notice, Standing } from "./status-texts.ts";

/** The limit of which the least is left, as `GET /api/quota` has it. */
export interface Quota {
  readonly period: "day" | "month";
  readonly tokens: number;
  readonly left: number;
  /** An ISO text. */
  readonly newAt: string;
  readonly by: "hub" | "organisation";
  readonly of?: "organisation" | { readonly group: string };
}

/** Undefined where nothing limits the user. */
export function leastOf(answer: unknown): Quota | undefined {
  const { quotas } = Object(answer) as { readonly quotas?: readonly Quota[] };
  return Array.isArray(quotas) ? (quotas[0] as Quota | undefined) : undefined;
}

/** The hub's own limit is large for one person, and shown only when it matters. */
export function quotaStanding(quota: Quota | undefined): Standing | undefined {
  if (!quota || (quota.by === "hub" && !isNearEnd(quota))) return undefined;
  const when = quota.period === "day" ? "today" : "this month";
  const tone = quota.left === 0 ? "bad" : isNearEnd(quota) ? "wait" : "ok";
  return { text: `${count(quota.left)} tokens left ${when}`, tone };
}

export function quotaNotice(quota: Quota | undefined): Notice | undefined {
  if (!quota || !isNearEnd(quota)) return undefined;
  const { period, tokens, left, of } = quota;
  const whose = of === undefined ? "you" : of === "organisation" ? "your organisation" : `the group “${of.group}”`;
  const all = `${count(tokens)} tokens that ${whose} may use ${period === "day" ? "today" : "this month"}`;
  const next = `There are new ones from ${timeText(quota.newAt)} on.`;
  if (left === 0) return { tone: "danger", text: `The ${all} are used up. ${next}` };
  return { tone: "info", text: `Of the ${all}, ${count(left)} are left. ${next}` };
}

/** A fifth or less is left. */
function isNearEnd({ left, tokens }: Quota): boolean {
  return left * 5 <= tokens;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}

/** In the user's own time zone. */
function timeText(iso: string): string {
  const form = { month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Date(iso).toLocaleString("en", form);
}

// A limit of the tokens of a model that an account may use in a time, and the rest of it.
import type { AiQuota } from "../../ai/index.ts";
import { PagewireError } from "../../wire/index.ts";

export const tokenPeriods = ["day", "month"] as const;
/** Of UTC. */
export type TokenPeriod = (typeof tokenPeriods)[number];

export interface TokenLimit {
  /** Whose use counts. */
  readonly account: string;
  readonly period: TokenPeriod;
  readonly tokens: number;
  /** The one that set it. */
  readonly by: "hub" | "organisation";
  /** Whom it is for, all together: a principal alone by default. */
  readonly of?: "organisation" | { readonly group: string };
}

export interface TokensLeft extends Omit<TokenLimit, "account"> {
  readonly used: number;
  readonly left: number;
  /** When there are new ones, as an ISO text. */
  readonly newAt: string;
}

/** The first day of the period of a day such as 2026-01-31. */
export function firstDay(period: TokenPeriod, day: string): string {
  return period === "day" ? day : `${day.slice(0, -2)}01`;
}

/** The end of the period, in milliseconds since 1970. */
export function endOf(period: TokenPeriod, now: number): number {
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return period === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}

/** The part that a user sees beside an answer. The hub's own limit is large for one person, and shown when a fifth is left. */
export function quotaToShow(limits: readonly TokensLeft[]): AiQuota | undefined {
  const limit = limits.find(({ by, left, tokens }) => by === "organisation" || left * 5 <= tokens);
  if (!limit) return undefined;
  const { period, tokens, left, newAt } = limit;
  return { period, tokens, left, newAt };
}

export function quotaExceeded({ period, tokens, by, of }: TokenLimit, now: number): PagewireError {
  const resetsAt = endOf(period, now);
  const whose = of === undefined ? "" : of === "organisation" ? " of your organisation" : ` of the group "${of.group}"`;
  const which = `${period === "day" ? "Today's" : "This month's"} ${tokens} tokens${whose}`;
  const [day, time = ""] = new Date(resetsAt).toISOString().split("T");
  const who = by === "hub" ? "The hub's owner" : "An administrator of your organisation";
  const words = `${which} are used up. There are new ones from ${day}, ${time.slice(0, 5)} UTC on. ${who} can allow more.`;
  return new PagewireError("quota-exceeded", words, { retryAfter: resetsAt - now });
}

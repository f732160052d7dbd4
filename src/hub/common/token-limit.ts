// A limit of the tokens of a model that an account may use in a time, and the rest of it.
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

export function quotaExceeded({ period, tokens, of }: TokenLimit, now: number): PagewireError {
  const resetsAt = endOf(period, now);
  const whose = of === undefined ? "" : of === "organisation" ? " of your organisation" : ` of the group "${of.group}"`;
  const which = `${period === "day" ? "Today's" : "This month's"} ${tokens} tokens${whose}`;
  const words = `${which} are used up. There are new ones from ${new Date(resetsAt).toISOString()} on.`;
  return new PagewireError("quota-exceeded", words, { retryAfter: resetsAt - now });
}

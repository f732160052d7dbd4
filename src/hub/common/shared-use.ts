import type { BudgetName } from "../../wire/index.ts";

/** Budgets of which a principal uses an amount at a time, at each hub. */
export const amountNames = [
  "callsPerPrincipal",
  "callBytesPerPrincipal",
  "answersPerPrincipal",
  "socketsPerPrincipal",
  "tabsPerPrincipal",
] as const satisfies readonly BudgetName[];

export type AmountName = (typeof amountNames)[number];

/** Amounts that a principal uses. */
export type Amounts = { readonly [Name in AmountName]?: number };

/** Use that hubs count together as it happens: calls that a rate limits, of all or of a rule, and tokens of a model. */
export type CountedName = `calls ${number} ${number}` | `rule ${string}` | "tokens";

/** The use of principals at all hubs of a cluster, approximately; a hub alone has none. The rules are in cluster/SPEC.md. */
export interface SharedUse {
  /** The amount of a budget that is used at the other hubs. The budget is `max` for this caller. */
  elsewhere(principal: string, name: AmountName, max: number): number;
  /** Call this when amounts here changed. They are read later, and their owner changes them in place. */
  changed(principal: string, amounts: Amounts): void;
  /** Counts something that happened here at the other hubs, too. */
  count(principal: string, what: CountedName, count: number): void;
  /** Listens to what happened at other hubs. */
  onCounted(listener: (principal: string, what: string, count: number) => void): void;
}

// The one table of what a principal, or the hub's process, may make grow. Each budget is the limit of the same name, which
// has its default; here stands whose it is, and how whoever is at it is refused.
import type { ErrorCode } from "./errors.ts";
import type { Limits } from "./limits.ts";

interface Budget {
  readonly whose: "principal" | "process";
  /** The code of the refusal, whose message names the limit; missing where the oldest makes room instead. */
  readonly code?: ErrorCode;
  /** Whether a token of jwt mode may carry a smaller one. */
  readonly isInTokens?: true;
}

const own = { whose: "principal" } as const;
const inTokens = { whose: "principal", isInTokens: true } as const;
const inAll = { whose: "process" } as const;

/** Every budget, by the name of its limit; docs/reference/limits.md has this table. */
export const budgets = {
  tabsPerPrincipal: { ...inTokens, code: "tabs-too-many" },
  socketsPerPrincipal: { ...inTokens, code: "sockets-too-many" },
  offersPerPrincipal: { ...inTokens, code: "offers-too-many" },
  offeredBytesPerPrincipal: { ...inTokens, code: "offers-too-large" },
  callsPerPrincipal: { ...inTokens, code: "calls-too-many" },
  callBytesPerPrincipal: { ...inTokens, code: "calls-too-many" },
  callRatePerPrincipal: { ...inTokens, code: "calls-too-many" },
  callBurstPerPrincipal: { ...inTokens, code: "calls-too-many" },
  queuedBytesPerPrincipal: { ...inTokens, code: "too-slow" },
  arrivingBytesPerPrincipal: { ...own, code: "too-slow" },
  mcpSessionsPerPrincipal: own,
  mcpStreamsPerPrincipal: { ...inTokens, code: "requests-too-many" },
  replayBytesPerPrincipal: own,
  windowsPerPrincipal: { ...own, code: "windows-too-many" },
  terminalsPerPrincipal: { ...own, code: "terminals-too-many" },
  answersPerPrincipal: { ...own, code: "calls-too-many" },
  partsBytesInAll: own,
  keyBytes: own,
  conversationsPerPrincipal: own,
  conversationBytesPerPrincipal: own,
  usedKeysPerPrincipal: own,
  consentsPerPrincipal: own,
  codesPerPrincipal: own,
  appSessionsPerPrincipal: own,
  queuedBytesInAll: { ...inAll, code: "too-slow" },
  arrivingBytesInAll: { ...inAll, code: "too-slow" },
  offeredBytesInAll: { ...inAll, code: "offers-too-large" },
  socketsInAll: { ...inAll, code: "sockets-too-many" },
  strangerSocketsInAll: { ...inAll, code: "sockets-too-many" },
  mcpSessions: inAll,
} as const satisfies Partial<Record<keyof Limits, Budget>>;

export type BudgetName = keyof typeof budgets;

/** Hears of each thing that was refused, or cut off, for a budget. */
export type OnOver = (name: BudgetName) => void;

/** Those that a token may carry. */
export type TokenBudgetName = {
  [Name in BudgetName]: (typeof budgets)[Name] extends { readonly isInTokens: true } ? Name : never;
}[BudgetName];

/** What a credential allows, where that is less than its hub does. */
export type TokenBudgets = { readonly [Name in TokenBudgetName]?: number };

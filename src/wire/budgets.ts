// The table of all budgets of a principal or of the hub's process. Each budget is the limit of the same name, which has the
// default; this table has its owner and the error at the limit.
import type { ErrorCode } from "./errors.ts";
import type { Limits } from "./limits.ts";

interface Budget {
  readonly whose: "principal" | "process";
  /** The code of the refusal, whose message names the limit; missing if the oldest entry is evicted instead. */
  readonly code?: ErrorCode;
  /** The budget that counts a refusal, if it is another one: both are reached together. */
  readonly countedAs?: string;
  /** Whether a token in jwt mode may contain a smaller one. */
  readonly isInTokens?: true;
  /** How it counts over several hubs, if not at each alone: as they tell each other, or in the database that they share. */
  readonly over?: "hubs" | "database";
}

const own = { whose: "principal" } as const;
const inTokens = { whose: "principal", isInTokens: true } as const;
const overHubs = { ...inTokens, over: "hubs" } as const;
const inDatabase = { ...own, over: "database" } as const;
const inAll = { whose: "process" } as const;

/** Every budget, by the name of its limit; docs/reference/limits.md has this table. */
export const budgets = {
  tabsPerPrincipal: { ...overHubs, code: "tabs-too-many" },
  socketsPerPrincipal: { ...overHubs, code: "sockets-too-many" },
  offersPerPrincipal: { ...inTokens, code: "offers-too-many" },
  offeredBytesPerPrincipal: { ...inTokens, code: "offers-too-large" },
  callsPerPrincipal: { ...overHubs, code: "calls-too-many" },
  callBytesPerPrincipal: { ...overHubs, code: "calls-too-many" },
  callRatePerPrincipal: { ...overHubs, code: "calls-too-many" },
  callBurstPerPrincipal: { ...overHubs, code: "calls-too-many", countedAs: "callRatePerPrincipal" },
  queuedBytesPerPrincipal: { ...inTokens, code: "too-slow" },
  arrivingBytesPerPrincipal: { ...inTokens, code: "too-slow" },
  mcpSessionsPerPrincipal: inTokens,
  mcpStreamsPerPrincipal: { ...inTokens, code: "requests-too-many" },
  replayBytesPerPrincipal: inTokens,
  windowsPerPrincipal: { ...inTokens, code: "windows-too-many" },
  terminalsPerPrincipal: { ...inTokens, over: "database", code: "terminals-too-many" },
  answersPerPrincipal: { ...overHubs, code: "calls-too-many" },
  partsBytesInAll: own,
  keyBytes: own,
  conversationsPerPrincipal: inDatabase,
  conversationBytesPerPrincipal: inDatabase,
  usedKeysPerPrincipal: inDatabase,
  consentsPerPrincipal: inDatabase,
  codesPerPrincipal: own,
  appSessionsPerPrincipal: inDatabase,
  browsersPerPrincipal: inDatabase,
  queuedBytesInAll: { ...inAll, code: "too-slow" },
  arrivingBytesInAll: { ...inAll, code: "too-slow" },
  keyBytesInAll: { ...inAll, code: "calls-too-many" },
  offeredBytesInAll: { ...inAll, code: "offers-too-large" },
  socketsInAll: { ...inAll, code: "sockets-too-many" },
  strangerSocketsInAll: { ...inAll, code: "sockets-too-many" },
  mcpSessions: inAll,
} as const satisfies Partial<Record<keyof Limits, Budget>>;

export type BudgetName = keyof typeof budgets;

/** Called for each refusal, cut or eviction because of a budget. */
export type OnOver = (name: BudgetName) => void;

/** The budgets that a token may contain. */
export type TokenBudgetName = {
  [Name in BudgetName]: (typeof budgets)[Name] extends { readonly isInTokens: true } ? Name : never;
}[BudgetName];

/** The lower limits of a credential. */
export type TokenBudgets = { readonly [Name in TokenBudgetName]?: number };

// The history of a run, as its driver saw it: calls with their attempts and answers, the real runs in pages, and faults.
// Times are milliseconds since 1970, of one clock: driver, hub and pages are on one machine.

export const doors = ["http", "mcp-2025-11-25", "mcp-2026-07-28"] as const;

/** The endpoint that an attempt uses. */
export type Door = (typeof doors)[number];

/** One answer of the hub to an attempt, independent of its door. */
export interface Answer {
  readonly at: number;
  readonly outcome: string;
  readonly ran: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly isReplay: boolean;
  /** The page's result: the call it is for, and the run it is from. */
  readonly result?: { readonly tag?: unknown; readonly run?: unknown } | undefined;
}

/**
 * How an attempt ended: with an answer; because its connection broke; because its caller hung up; or not within its
 * time, and then the driver gave up.
 */
export type AttemptEnd = "answered" | "broken" | "hung-up" | "hangs";

/** One request of a call. */
export interface Attempt {
  readonly door: Door;
  readonly sentAt: number;
  /** The time limit for the hub, in milliseconds. */
  readonly time: number;
  /** When its caller asked the hub to cancel it. */
  readonly cancelledAt?: number | undefined;
  readonly end?: AttemptEnd;
  readonly endedAt?: number;
  /** Whether the first part of an answer had arrived before its end. */
  readonly hasBegun?: boolean;
  readonly answer?: Answer;
  /** Why its connection broke. */
  readonly problem?: string;
}

/** One call of a tool, with all its attempts. */
export interface Call {
  /** Part of the arguments, and so of each run and result. */
  readonly tag: string;
  readonly caller: string;
  readonly key?: string | undefined;
  readonly tool: string;
  readonly isReadOnly: boolean;
  /** The duration of the tool's work. */
  readonly work: number;
  readonly tab?: string | undefined;
  readonly attempts: readonly Attempt[];
}

/** A page started a tool, and reported this to the driver's own server. */
export interface Run {
  readonly tag: string;
  readonly run: string;
  readonly tab: string;
  readonly at: number;
}

/** The target of a fault: the hub, a tab, or the network of the pages or the callers. */
export type FaultPlace = "hub" | "tab" | "pages" | "callers";

export interface Fault {
  readonly place: FaultPlace;
  readonly what: string;
  readonly from: number;
  /** When it ended; undefined if it never did. */
  readonly to?: number | undefined;
}

export interface History {
  readonly calls: readonly Call[];
  readonly runs: readonly Run[];
  readonly faults: readonly Fault[];
  /** Problems at the end, after all faults. */
  readonly leftBroken: readonly string[];
}

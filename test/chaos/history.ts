// What happened in a run, as its driver saw it: calls with their attempts and answers, what pages really ran, and faults.
// Times are milliseconds since 1970, of one clock: driver, hub and pages are on one machine.

export const doors = ["http", "mcp-2025-11-25", "mcp-2026-07-28"] as const;

/** The way in that an attempt takes. */
export type Door = (typeof doors)[number];

/** One answer of the hub's to an attempt, in whichever words its door has. */
export interface Answer {
  readonly at: number;
  readonly outcome: string;
  readonly ran: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly isReplay: boolean;
  /** What the page's result says: which call it is for, and which run it is of. */
  readonly result?: { readonly tag?: unknown; readonly run?: unknown } | undefined;
}

/**
 * How an attempt ended: with an answer; because its connection broke; because its caller hung up; or not at all within its
 * time, and then the driver gave it up.
 */
export type AttemptEnd = "answered" | "broken" | "hung-up" | "hangs";

/** One sending of a call. */
export interface Attempt {
  readonly door: Door;
  readonly sentAt: number;
  /** How long the hub may take, in milliseconds. */
  readonly time: number;
  /** When its caller told the hub to cancel it. */
  readonly cancelledAt?: number | undefined;
  readonly end?: AttemptEnd;
  readonly endedAt?: number;
  /** Whether anything of an answer had come before its end. */
  readonly hasBegun?: boolean;
  readonly answer?: Answer;
  /** Why its connection broke. */
  readonly problem?: string;
}

/** One call of a tool, however often it was sent. */
export interface Call {
  /** Stands in the arguments, and so in each run and result. */
  readonly tag: string;
  readonly caller: string;
  readonly key?: string | undefined;
  readonly tool: string;
  readonly isReadOnly: boolean;
  /** How long the tool works. */
  readonly work: number;
  readonly tab?: string | undefined;
  readonly attempts: readonly Attempt[];
}

/** A page began to run a tool, and told the driver's own server. */
export interface Run {
  readonly tag: string;
  readonly run: string;
  readonly tab: string;
  readonly at: number;
}

/** What is broken on purpose: the hub, a tab, or the network of the pages or the callers. */
export type FaultPlace = "hub" | "tab" | "pages" | "callers";

export interface Fault {
  readonly place: FaultPlace;
  readonly what: string;
  readonly from: number;
  /** When it was over; undefined where it never was. */
  readonly to?: number | undefined;
}

export interface History {
  readonly calls: readonly Call[];
  readonly runs: readonly Run[];
  readonly faults: readonly Fault[];
  /** What was not as it should be at the end, when all faults were over. */
  readonly leftBroken: readonly string[];
}

// The events of a world: every request, run and outcome. The checker reads nothing else.
import type { CallEvent, Limits, Outcome } from "../wire/index.ts";
import type { CallHandle, CallRequest } from "./types.ts";

/** The behaviour of one operation's handler. */
export interface Behaviour {
  /** How long it runs. */
  readonly time: number;
  readonly end: "ok" | "error" | "never";
  /** Whether it ignores its aborted signal. */
  readonly isDeaf: boolean;
  /** The number of progress and log messages that it sends. */
  readonly words: number;
  readonly asks: boolean;
}

/** One use of a tool. Its id is in its arguments and in all output of its runs: a secret. */
export interface Operation {
  readonly id: string;
  readonly principal: string;
  readonly request: CallRequest;
  readonly behaviour: Behaviour;
  /** Read-only calls have no duplicates. */
  readonly isReadOnly: boolean;
  readonly attempts: Attempt[];
}

/** One call for an operation; after a cut there may be another. */
export interface Attempt {
  readonly operation: Operation;
  readonly agent: number;
  readonly hub: number;
  readonly begunAt: number;
  /** The switchboard's id of the call; empty if it went nowhere. */
  readonly callId: string;
  handle: CallHandle | undefined;
  readonly heard: Heard[];
  /** When its caller's connection broke, and when the hub noticed. */
  leftAt: number | undefined;
  cutAt: number | undefined;
  cancelledAt: number | undefined;
  /** Its hub was killed: nothing more arrives. */
  isLost: boolean;
}

/** An event that a caller received. */
export interface Heard {
  readonly what: "acked" | "progress" | "log" | "ask" | "ended";
  readonly at: number;
  readonly text: string;
  readonly outcome?: Outcome;
}

/** A handler that began to run in a tab. */
export interface Run {
  /** The id of the run; its result contains it. */
  readonly mark: string;
  readonly operation: string;
  readonly callId: string;
  readonly tabId: string;
  readonly principal: string;
  /** The number of crashes of the tab by then; each clears its memory. */
  readonly crashes: number;
  readonly hub: number;
  readonly at: number;
  /** Its deadline, as the frame had it. */
  readonly deadline: number;
  readonly answers: string[];
}

export interface History {
  readonly limits: Limits;
  readonly operations: Operation[];
  readonly runs: Run[];
  /** The tabs that calls were sent to. */
  readonly given: { readonly callId: string; readonly tabId: string }[];
  /** The events that watchers received. */
  readonly events: {
    readonly hub: number;
    readonly principal: string;
    readonly event: CallEvent;
    readonly at: number;
  }[];
  /** The tabs that agents saw. */
  readonly listings: { readonly principal: string; readonly tabIds: readonly string[] }[];
  /** The states of tabs and their listings at the end. */
  readonly presence: { readonly tabId: string; readonly state: string; readonly listed: string | undefined }[];
  /** Hubs that were killed, or stopped during a write: their calls have no end. */
  readonly killed: Set<number>;
  /** Whether keys outlive a hub. */
  readonly hasLedger: boolean;
  /** Resources that were not released at the end. */
  readonly leaks: string[];
}

export function outcomesOf({ heard }: Attempt): readonly Outcome[] {
  return heard.flatMap(({ outcome }) => outcome ?? []);
}

/** The principal of a tab or an agent, which its id contains. */
export function principalOf(id: string): string {
  return id.split(".")[0] ?? "";
}

// What happened in a world: who asked for what, what ran where, and what was told to whom. The checker reads nothing else.
import type { CallEvent, Limits, Outcome } from "../wire/index.ts";
import type { CallHandle, CallRequest } from "./types.ts";

/** What the handler of one operation does when it runs. */
export interface Behaviour {
  /** How long it works. */
  readonly time: number;
  readonly end: "ok" | "error" | "never";
  /** Whether it goes on after its signal was aborted. */
  readonly isDeaf: boolean;
  /** How often it tells its progress, and logs, on the way. */
  readonly words: number;
  readonly asks: boolean;
}

/** One use of a tool that somebody wants. Its id is in its arguments and in every word that its runs say: a secret. */
export interface Operation {
  readonly id: string;
  readonly principal: string;
  readonly request: CallRequest;
  readonly behaviour: Behaviour;
  /** Read-only: it has no twins. */
  readonly isReadOnly: boolean;
  readonly attempts: Attempt[];
}

/** One call for an operation; after a cut there may be another. */
export interface Attempt {
  readonly operation: Operation;
  readonly agent: number;
  readonly hub: number;
  readonly begunAt: number;
  /** The switchboard's id of the call; empty where it went nowhere. */
  readonly callId: string;
  handle: CallHandle | undefined;
  readonly heard: Heard[];
  /** When its caller's connection broke, and when the hub noticed. */
  leftAt: number | undefined;
  cutAt: number | undefined;
  cancelledAt: number | undefined;
  /** Its hub was killed: nothing can be heard any more. */
  isLost: boolean;
}

/** A word that a caller heard. */
export interface Heard {
  readonly what: "acked" | "progress" | "log" | "ask" | "ended";
  readonly at: number;
  readonly text: string;
  readonly outcome?: Outcome;
}

/** A handler that began to run in a tab. */
export interface Run {
  /** Which run it is; said in its result. */
  readonly mark: string;
  /** The operation that its arguments name. */
  readonly operation: string;
  readonly callId: string;
  readonly tabId: string;
  readonly principal: string;
  /** How often the tab had crashed by then; each crash loses what it remembered. */
  readonly crashes: number;
  readonly hub: number;
  readonly at: number;
  /** When its time was up, as the frame said. */
  readonly deadline: number;
  /** The answers that came to its questions. */
  readonly answers: string[];
}

export interface History {
  readonly limits: Limits;
  readonly operations: Operation[];
  readonly runs: Run[];
  /** Which tabs the calls were given to. */
  readonly given: { readonly callId: string; readonly tabId: string }[];
  /** What watchers heard. */
  readonly events: {
    readonly hub: number;
    readonly principal: string;
    readonly event: CallEvent;
    readonly at: number;
  }[];
  /** The tabs that agents were shown. */
  readonly listings: { readonly principal: string; readonly tabIds: readonly string[] }[];
  /** How tabs were and how they were listed, when the dust had settled. */
  readonly presence: { readonly tabId: string; readonly state: string; readonly listed: string | undefined }[];
  /** Hubs that were killed, or stopped while they wrote down: what they had begun they never ended. */
  readonly killed: Set<number>;
  /** Whether what is said of keys outlives a hub. */
  readonly hasLedger: boolean;
  /** What was left behind when all was over. */
  readonly leaks: string[];
}

export function outcomesOf({ heard }: Attempt): readonly Outcome[] {
  return heard.flatMap(({ outcome }) => outcome ?? []);
}

/** Which principal a tab or an agent belongs to, as its id says. */
export function principalOf(id: string): string {
  return id.split(".")[0] ?? "";
}

// What the hub's thread and that of its store send each other.
import type { BudgetName, ErrorCode } from "../../../wire/index.ts";
import type { DatabaseAddress } from "../port/database-address.ts";
import type { StoreReason } from "../port/store.ts";
import type { OperationName } from "./operations.ts";
import type { StoreLimits } from "./session.ts";

/** What a thread is started with. */
export interface ThreadData {
  readonly address: DatabaseAddress;
  readonly limits: StoreLimits;
  /** Whose chain of audit records it writes; by default one that the database, or this machine, has a name for. */
  readonly hub: string | undefined;
  /** The folder of a store in files, to be read in where it is there. */
  readonly importFrom: string | undefined;
  /** The file was replaced after it was damaged: what lies beside it belongs to the old one. */
  readonly isReplaced: boolean;
}

/** What is asked for, and until when somebody waits for it, by the clock that all threads share. */
export type Request = readonly [id: number, name: OperationName, given: readonly unknown[], until: number];

/** What was asked for in one turn of the event loop, or that all is answered, and no more follows. */
export type ToThread = readonly Request[] | "close";

export type Answer =
  | readonly [id: number, isDone: true, value: unknown]
  | readonly [id: number, isDone: false, code: ErrorCode, message: string];

/** What is wrong with a database, and when another try makes sense. */
export interface Trouble {
  readonly code: "not-saved" | "store-damaged" | "options-invalid";
  /** For the hub's owner. */
  readonly message: string;
  readonly reason?: StoreReason;
  /**
   * The thread itself tries again; or it ends, and another one is to be started: soon, or when the file was replaced.
   * Never where only the hub's owner can help.
   */
  readonly retry: "itself" | "soon" | "replaced" | "never";
}

export type FromThread =
  | { readonly answers: readonly Answer[] }
  | { readonly open: { readonly isNew: boolean } }
  | { readonly trouble: Trouble }
  | { readonly over: BudgetName }
  | { readonly problem: string };

/** The answer to what nobody waits for any more: to do it now would be worse than not to do it. */
export function lateAnswer([id, , , until]: Request): Answer | undefined {
  return sharedTime() > until ? [id, false, "not-saved", "The database did not get to it in time."] : undefined;
}

/** Milliseconds by a clock that is the same in all threads. */
export function sharedTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

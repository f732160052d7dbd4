// The messages between the hub's main thread and the store's thread.
import type { BudgetName, ErrorCode } from "../../../wire/index.ts";
import type { DatabaseAddress } from "../port/database-address.ts";
import type { StoreReason } from "../port/store.ts";
import type { OperationName } from "./operations.ts";
import type { StoreLimits } from "./session.ts";

/** The thread's workerData. */
export interface ThreadData {
  readonly address: DatabaseAddress;
  readonly limits: StoreLimits;
  /** The hub's name in the audit; by default stored in the database, or derived from this machine. */
  readonly hub: string | undefined;
  /** The folder with an older hub's files, to import if it exists. */
  readonly importFrom: string | undefined;
  /** Whether the file was replaced after it was damaged: files beside it belong to the old one. */
  readonly isReplaced: boolean;
}

/** An operation with its deadline, by the clock that all threads share. */
export type Request = readonly [id: number, name: OperationName, given: readonly unknown[], until: number];

/** The requests of one turn of the event loop, or the end. */
export type ToThread = readonly Request[] | "close";

export type Answer =
  | readonly [id: number, isDone: true, value: unknown]
  | readonly [id: number, isDone: false, code: ErrorCode, message: string];

/** A database's failure, and how to retry. */
export interface Trouble {
  readonly code: "not-saved" | "store-damaged" | "options-invalid";
  /** For the hub's owner. */
  readonly message: string;
  readonly reason?: StoreReason;
  /**
   * The thread retries itself; or it ends and is restarted, soon or when the file was replaced; or never, if only the hub's
   * owner can help.
   */
  readonly retry: "itself" | "soon" | "replaced" | "never";
}

export type FromThread =
  | { readonly answers: readonly Answer[] }
  | { readonly open: { readonly isNew: boolean } }
  | { readonly trouble: Trouble }
  | { readonly over: BudgetName }
  | { readonly problem: string };

/** The answer to a request past its deadline: doing it late would be worse than not doing it. */
export function lateAnswer([id, , , until]: Request): Answer | undefined {
  return sharedTime() > until ? [id, false, "not-saved", "The database did not get to it in time."] : undefined;
}

/** Milliseconds by a clock that is the same in all threads. */
export function sharedTime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1_000_000;
}

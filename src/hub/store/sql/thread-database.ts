import type { OnOver } from "../../../wire/index.ts";
import type { Transact } from "./import-files.ts";
import type { Answer, Request, Trouble } from "./messages.ts";

/** A database as its thread works with it. */
export interface ThreadDatabase {
  /** Whether there was nothing in it. */
  readonly isNew: boolean;
  readonly transact: Transact;
  /** Answers each of them, in time or not. */
  serve(requests: readonly Request[]): void;
  /** Whether it can be written again, after it could not. */
  probe(): Promise<boolean>;
  /** When what was asked for is answered. */
  close(): Promise<void>;
}

/** What a database says to its thread. */
export interface DatabaseEvents {
  readonly answer: (answer: Answer) => void;
  readonly onTrouble: (trouble: Trouble) => void;
  readonly onOver: OnOver;
}

import type { OnOver } from "../../../wire/index.ts";
import type { Transact } from "./import-files.ts";
import type { Answer, Request, Trouble } from "./messages.ts";

export interface ThreadDatabase {
  readonly isNew: boolean;
  readonly transact: Transact;
  /** Answers every request, even past its deadline. */
  serve(requests: readonly Request[]): void;
  /** Whether it is writable again. */
  probe(): Promise<boolean>;
  /** Resolves when all requests are answered. */
  close(): Promise<void>;
}

export interface DatabaseEvents {
  readonly answer: (answer: Answer) => void;
  readonly onTrouble: (trouble: Trouble) => void;
  readonly onOver: OnOver;
}

import type { Outcome } from "../wire/index.ts";

/** The first use of an idempotency key: for which call, in which tab and epoch of its memory. */
export interface KeyUse {
  readonly call: string;
  /** Text that is equal for equal calls only. Stores keep its digest. */
  readonly fingerprint: string;
  readonly tab: string;
  readonly epoch: string | undefined;
}

/** What an idempotency key was used for. */
export interface UsedKey extends Omit<KeyUse, "fingerprint"> {
  readonly isSameCall: boolean;
  /** How many milliseconds ago the key was given to the tab that it is for now. */
  readonly age: number;
  /** "expired" where the outcome is not kept any more; undefined where none was written: the hub may have ended before. */
  readonly outcome: Outcome | "expired" | undefined;
}

/** What became of the calls that had an idempotency key. */
export interface KeyLedger {
  /** Whether it began with this run: what earlier ones did with their keys is not in it. */
  readonly isNew: boolean;
  /**
   * Writes down what a key is used for, before its call is given to a tab, unless it was used for another call before, or
   * its call has ended: that is given back. The same call may name another tab.
   */
  use(principal: string, key: string, use: KeyUse): Promise<UsedKey | undefined>;
  find(principal: string, key: string, fingerprint: string): Promise<UsedKey | undefined>;
  /** Writes down the outcome, before the caller is given it. */
  end(principal: string, key: string, outcome: Outcome): Promise<void>;
  /** The call did not run: the key is as good as new. */
  free(principal: string, key: string): Promise<void>;
}

/** For which tab, and which epoch of its memory, the key of a call is written down. */
export interface Written {
  /** The call that the ledger names. */
  readonly call: string;
  readonly tab: string;
  readonly epoch: string | undefined;
  /** Only for a call that an earlier process began: whether its page may still be given it, or only be asked for it. */
  readonly phase?: "in-doubt" | "running";
}

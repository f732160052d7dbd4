import type { Outcome } from "../wire/index.ts";

/** The use of an idempotency key by a call, which is sent to a tab in an epoch of that tab's memory. */
export interface KeyUse {
  readonly call: string;
  /** Equal only for equal calls. Stores keep its digest. */
  readonly fingerprint: string;
  readonly tab: string;
  readonly epoch: string | undefined;
}

/** The recorded use of an idempotency key. */
export interface UsedKey extends Omit<KeyUse, "fingerprint"> {
  /** Whether the fingerprints are equal. */
  readonly isSameCall: boolean;
  /** Milliseconds since the key was given to its current tab. */
  readonly age: number;
  /** "expired" if the outcome is no longer stored; undefined if none was written, since the hub may have ended first. */
  readonly outcome: Outcome | "expired" | undefined;
}

/** The durable record of calls with an idempotency key. */
export interface KeyLedger {
  /** Whether it was created in this run: it lacks the keys of earlier runs. */
  readonly isNew: boolean;
  /**
   * Records the use of a key before its call is sent to a tab. The call with the recorded id may be given to another tab
   * until it ends; for any other, even an equal one, nothing is written and the recorded use is returned.
   */
  use(principal: string, key: string, use: KeyUse): Promise<UsedKey | undefined>;
  find(principal: string, key: string, fingerprint: string): Promise<UsedKey | undefined>;
  /** Writes the outcome before the caller receives it. */
  end(principal: string, key: string, outcome: Outcome): Promise<void>;
  /** The call did not run, or another round of it follows: the key may be used again. */
  free(principal: string, key: string): Promise<void>;
}

/** The tab, and the epoch of its memory, that the ledger has for a call's key. */
export interface Written {
  /** The id of the call in the ledger. */
  readonly call: string;
  readonly tab: string;
  readonly epoch: string | undefined;
  /** Only for a call of an earlier process: whether its page may still be sent the call, or only be asked about it. */
  readonly phase?: "in-doubt" | "running";
}

// Remembers keyed calls, so that the same key is given the same outcome and never a second run.
// It owns what is kept and for how long; it knows neither tabs nor agents.
import type { Clock } from "../link/index.ts";
import { sizeOf } from "../wire/index.ts";
import type { Limits, Outcome } from "../wire/index.ts";

/** A remembered call: still running, or ended with an outcome. */
export interface Remembered<Running> {
  /** The same key with another fingerprint is a conflict. */
  readonly fingerprint: string;
  readonly running: Running | undefined;
  readonly outcome: Outcome | undefined;
}

export interface Ledger<Running> {
  /** The call under this key; "expired" once its outcome is no longer kept. */
  find(key: string): Remembered<Running> | "expired" | undefined;
  /** Remembers a running call. */
  keep(key: string, fingerprint: string, running: Running): void;
  /** Notes how the call under this key ended; the outcome is kept for `keyTime`. */
  end(key: string, outcome: Outcome): void;
  /** Forgets a call that never ran, so that its key may run. */
  drop(key: string): void;
  close(): void;
}

interface Entry<Running> {
  readonly fingerprint: string;
  running: Running | undefined;
  outcome: Outcome | undefined;
  bytes: number;
  stopTimer: () => void;
}

export function createLedger<Running>(clock: Clock, limits: Limits): Ledger<Running> {
  const entries = new Map<string, Entry<Running>>();
  const expired = new Set<string>();
  let bytes = 0;

  const drop = (key: string) => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
    entry.stopTimer();
  };
  const expire = (key: string) => {
    drop(key);
    expired.add(key);
    for (const oldest of expired) {
      if (expired.size <= limits.expiredKeys) break;
      expired.delete(oldest);
    }
  };
  const grow = (entry: Entry<Running>, size: number) => {
    entry.bytes += size;
    bytes += size;
    for (const [key, other] of entries) {
      if (bytes <= limits.keyBytes) break;
      if (other.outcome) expire(key);
    }
  };

  return {
    find: (key) => entries.get(key) ?? (expired.has(key) ? "expired" : undefined),
    keep(key, fingerprint, running) {
      drop(key);
      const entry: Entry<Running> = { fingerprint, running, outcome: undefined, bytes: 0, stopTimer: () => {} };
      entries.set(key, entry);
      grow(entry, key.length + fingerprint.length);
    },
    end(key, outcome) {
      const entry = entries.get(key);
      if (!entry) return;
      entry.running = undefined;
      entry.outcome = outcome;
      entry.stopTimer = clock.after(limits.keyTime, () => expire(key));
      grow(entry, outcome.payload === undefined ? 0 : sizeOf(outcome.payload));
    },
    drop,
    close() {
      for (const key of [...entries.keys()]) drop(key);
    },
  };
}

// Bounds the memory of all principals' keyed calls together. The largest user is evicted first.
import type { OnOver, Outcome } from "../wire/index.ts";
import { rejection } from "./call-life.ts";

/** The keyed calls of one principal. */
export interface Keeper {
  readonly bytes: number;
  /** Evicts the oldest outcome; false if there is none. */
  letGo(): boolean;
}

export interface KeptBytes {
  /** Call this when a principal's bytes changed; evicts outcomes over the limit. */
  changed(keeper: Keeper): void;
  /** The refusal of another call if nothing can be evicted, else undefined. */
  refusal(): Outcome | undefined;
  /** Call this when a principal is gone. */
  left(keeper: Keeper): void;
}

export function createKeptBytes(max: number, onOver: OnOver = () => {}): KeptBytes {
  /** The bytes of each principal when last checked. */
  const known = new Map<Keeper, number>();
  let total = 0;

  function look(keeper: Keeper): void {
    const { bytes } = keeper;
    total += bytes - (known.get(keeper) ?? 0);
    if (bytes > 0) known.set(keeper, bytes);
    else known.delete(keeper);
  }

  function makeRoom(): void {
    // Outcomes also expire, without a notification.
    for (const keeper of [...known.keys()]) look(keeper);
    const byWeight = () => [...known].toSorted(([, one], [, other]) => other - one);
    while (total > max) {
      const largest = byWeight().find(([keeper]) => keeper.letGo());
      if (!largest) return;
      onOver("keyBytesInAll");
      look(largest[0]);
    }
  }

  return {
    changed(keeper) {
      look(keeper);
      if (total > max) makeRoom();
    },
    refusal() {
      if (total > max) makeRoom();
      if (total <= max) return undefined;
      onOver("keyBytesInAll");
      const message = `Calls with a key keep ${max} bytes already (limit keyBytesInAll). Try again in a second.`;
      return rejection("calls-too-many", message, 1000);
    },
    left(keeper) {
      total -= known.get(keeper) ?? 0;
      known.delete(keeper);
    },
  };
}

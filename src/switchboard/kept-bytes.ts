// How much the keyed calls of all principals keep in memory together. The principal with the most makes room.
import type { OnOver, Outcome } from "../wire/index.ts";
import { rejection } from "./call-life.ts";

/** What one principal's calls keep. */
export interface Keeper {
  readonly bytes: number;
  /** Lets go of the outcome that came first; false where there is none. */
  letGo(): boolean;
}

export interface KeptBytes {
  /** To be called when a principal's calls keep more, or less; makes room. */
  changed(keeper: Keeper): void;
  /** Why there is no room for another call, where nothing can make any. */
  refusal(): Outcome | undefined;
  /** To be called when a principal is gone. */
  left(keeper: Keeper): void;
}

export function createKeptBytes(most: number, onOver: OnOver = () => {}): KeptBytes {
  /** What each kept when it was last looked at. */
  const known = new Map<Keeper, number>();
  let total = 0;

  function look(keeper: Keeper): void {
    const { bytes } = keeper;
    total += bytes - (known.get(keeper) ?? 0);
    if (bytes > 0) known.set(keeper, bytes);
    else known.delete(keeper);
  }

  function makeRoom(): void {
    // Outcomes end by their time, too, and nobody says so.
    for (const keeper of [...known.keys()]) look(keeper);
    const byWeight = () => [...known].toSorted(([, one], [, other]) => other - one);
    while (total > most) {
      const largest = byWeight().find(([keeper]) => keeper.letGo());
      if (!largest) return;
      onOver("keyBytesInAll");
      look(largest[0]);
    }
  }

  return {
    changed(keeper) {
      look(keeper);
      if (total > most) makeRoom();
    },
    refusal() {
      if (total > most) makeRoom();
      if (total <= most) return undefined;
      onOver("keyBytesInAll");
      const message = `Calls with a key keep ${most} bytes already (limit keyBytesInAll). Try again in a second.`;
      return rejection("calls-too-many", message, 1000);
    },
    left(keeper) {
      total -= known.get(keeper) ?? 0;
      known.delete(keeper);
    },
  };
}

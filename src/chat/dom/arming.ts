// When a decision counts. An element that appears, moves or is uncovered under a pointer gets clicks that were meant
// for something else: decisions count only after everything has been still for a while.
import type { TalkClock } from "./clock.ts";

/** Longer than a double click, and than it takes to see what changed. */
const armingTime = 700;

export interface Arming {
  readonly isArmed: boolean;
  /** Something has moved: decisions count only after a while. */
  disturb(): void;
  /** Calls `react` now, and whenever it changes. */
  watch(react: (isArmed: boolean) => void): () => void;
  close(): void;
}

export function createArming(clock: TalkClock): Arming {
  const watchers = new Set<(isArmed: boolean) => void>();
  let isArmed = false;
  let cancel = () => {};

  function become(value: boolean): void {
    if (isArmed === value) return;
    isArmed = value;
    for (const react of watchers) react(isArmed);
  }

  function disturb(): void {
    cancel();
    become(false);
    cancel = clock.after(armingTime, () => become(true));
  }

  disturb();
  return {
    get isArmed() {
      return isArmed;
    },
    disturb,
    watch(react) {
      watchers.add(react);
      react(isArmed);
      return () => void watchers.delete(react);
    },
    close: () => cancel(),
  };
}

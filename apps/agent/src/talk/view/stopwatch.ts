import type { TalkClock } from "../clock.ts";

export interface Stopwatch {
  /** Since it was started, until it was stopped; undefined where it never ran. */
  readonly seconds: number | undefined;
  run(isRunning: boolean): void;
}

/** Ticks each second while it runs. */
export function createStopwatch(clock: TalkClock, onTick: () => void): Stopwatch {
  let begun: number | undefined;
  let ended: number | undefined;
  let cancel = () => {};

  function tick(): void {
    cancel = clock.after(1000, tick);
    onTick();
  }

  return {
    get seconds() {
      return begun === undefined ? undefined : ((ended ?? clock.now()) - begun) / 1000;
    },
    run(isRunning) {
      if (isRunning && begun === undefined) {
        begun = clock.now();
        cancel = clock.after(1000, tick);
      } else if (!isRunning && begun !== undefined && ended === undefined) {
        ended = clock.now();
        cancel();
      }
    },
  };
}

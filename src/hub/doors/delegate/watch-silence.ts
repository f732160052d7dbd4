import type { Clock } from "../../../link/index.ts";

/** Fires once after a period of silence. */
export interface SilenceWatch {
  heard(): void;
  stop(): void;
}

export function watchSilence(clock: Clock, time: number, onSilent: () => void): SilenceWatch {
  let last = clock.now();
  let stop = clock.after(time, look);

  // Activity can come thousands of times: the timer checks when it fires, and is not reset each time.
  function look(): void {
    const left = last + time - clock.now();
    if (left > 0) stop = clock.after(left, look);
    else onSilent();
  }

  return {
    heard() {
      last = clock.now();
    },
    stop: () => stop(),
  };
}

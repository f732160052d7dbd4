import type { Clock } from "../../../link/index.ts";

/** Tells once when nothing was heard for a time. */
export interface SilenceWatch {
  heard(): void;
  stop(): void;
}

export function watchSilence(clock: Clock, time: number, onSilent: () => void): SilenceWatch {
  let last = clock.now();
  let stop = clock.after(time, look);

  // What is heard may come by the thousand: the timer looks when it is due, and not each time.
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

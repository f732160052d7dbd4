import type { Clock } from "../link/index.ts";

/** Longer than a minute, the interval at which browsers run the timers of hidden pages. */
const keepAliveTime = 90_000;

/** Each call returns a promise to wait for, which settles at the next call or after a timeout. */
export function createKeepAlive(clock: Clock): () => Promise<void> {
  let end = () => {};
  return () =>
    new Promise((resolve) => {
      end();
      const stop = clock.after(keepAliveTime, resolve);
      end = () => {
        stop();
        resolve();
      };
    });
}

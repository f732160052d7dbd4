import type { Clock } from "../link/index.ts";

/** Browsers let the timers of a hidden page run once a minute: a page that lives is heard of within this time. */
const stayTime = 90_000;

/** A reason to live on: each resolves when the next one is asked for, or after a while. */
export function createStay(clock: Clock): () => Promise<void> {
  let end = () => {};
  return () =>
    new Promise((resolve) => {
      end();
      const stop = clock.after(stayTime, resolve);
      end = () => {
        stop();
        resolve();
      };
    });
}

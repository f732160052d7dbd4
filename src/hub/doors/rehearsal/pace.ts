/** Milliseconds between the pieces of a stream, unless others are asked for. */
export const defaultDelay = 4;

/** Waits so long, or until the signal says that nobody waits any more; no time at all for zero. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}

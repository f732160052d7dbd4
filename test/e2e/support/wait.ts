import { setTimeout as delay } from "node:timers/promises";

/** The default timeout. Shorter than a test's own, so that the error names the missing event. */
export const hangs = 60_000;

/** The promise's outcome, or an error with this message after a timeout. */
export async function within<Value>(
  promise: Promise<Value>,
  message: () => string,
  milliseconds = hangs,
): Promise<Value> {
  const settled = new AbortController();
  const late = delay(milliseconds, undefined, { signal: settled.signal }).then(() => {
    throw new Error(message());
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
  }
}

/** Polls until `look` returns something truthy; after the timeout, the error's text is `message`. */
export function waitUntil<Value>(look: () => Promise<Value>, message: () => string, timeout = hangs): Promise<Value> {
  let over = false;
  const began = performance.now();
  async function repeat(): Promise<Value> {
    for (;;) {
      const value = await look();
      if (value || over) return value;
      await delay(pauseAfter(performance.now() - began));
    }
  }
  return within(repeat(), message, timeout).finally(() => {
    over = true;
  });
}

/** Looks cost a processor, in the page too: the longer a wait, the less a look too late adds to it. */
function pauseAfter(waited: number): number {
  return Math.min(Math.max(20, waited / 8), 500);
}

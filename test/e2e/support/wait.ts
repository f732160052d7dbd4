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
  async function repeat(): Promise<Value> {
    for (;;) {
      const value = await look();
      if (value || over) return value;
      await delay(20);
    }
  }
  return within(repeat(), message, timeout).finally(() => {
    over = true;
  });
}

import { setTimeout as delay } from "node:timers/promises";

/** What takes this long hangs. Less than a test's own time, so that the error says what was waited for. */
export const hangs = 60_000;

/** The promise's outcome, or an error with this message when it takes too long. */
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

/** Looks again and again until the look gives something truthy; `message` says what was waited for when it never does. */
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

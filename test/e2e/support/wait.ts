import { setTimeout as delay } from "node:timers/promises";

/** The promise's outcome, or an error with this message when it takes too long. */
export async function within<Value>(
  milliseconds: number,
  promise: Promise<Value>,
  message: () => string,
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
export function waitUntil<Value>(look: () => Promise<Value>, timeout: number, message: () => string): Promise<Value> {
  let over = false;
  async function repeat(): Promise<Value> {
    for (;;) {
      const value = await look();
      if (value || over) return value;
      await delay(20);
    }
  }
  return within(timeout, repeat(), message).finally(() => {
    over = true;
  });
}

import { unlessAborted } from "../../toolbox/index.ts";

/** Hands on what an iterator yields, and gives its return value. It is told to clean up when that is no longer wanted. */
export async function drain(
  iterable: AsyncIterable<unknown>,
  take: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  const iterator = iterable[Symbol.asyncIterator]();

  async function pump(): Promise<unknown> {
    while (!signal.aborted) {
      const { done, value } = (await iterator.next()) as IteratorResult<unknown, unknown>;
      if (done) return value;
      if (!signal.aborted) take(value);
    }
    return undefined;
  }

  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    // A generator that waits hears of it when its wait is over: nobody waits for that here.
    void (async () => iterator.return?.())().catch((error: unknown) => reportError(error));
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    return await unlessAborted(pump(), signal);
  } catch (error) {
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

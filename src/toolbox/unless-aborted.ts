/** Settles as the promise, or rejects with the signal's reason as soon as that aborts. */
export function unlessAborted<Value>(value: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    const done = () => signal.removeEventListener("abort", abort);
    value.finally(done).then(resolve, reject);
    if (signal.aborted) abort();
  });
}

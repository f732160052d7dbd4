import { unlessAborted } from "../toolbox/index.ts";
import { PagewireError } from "../wire/index.ts";

/** A signal that aborts when a server has had this long. */
export function startDeadline(
  milliseconds: number,
  server: string,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const late = new AbortController();
  const message = `The MCP server at ${server} cannot be used: it did not answer in time (${milliseconds} ms).`;
  const timer = setTimeout(() => late.abort(new PagewireError("server-unreachable", message)), milliseconds);
  return { signal: late.signal, stop: () => clearTimeout(timer) };
}

/** Runs something that has only this long for all its attempts. */
export async function inTime<Value>(
  milliseconds: number,
  server: string,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { signal, stop } = startDeadline(milliseconds, server);
  try {
    return await unlessAborted(run(signal), signal);
  } finally {
    stop();
  }
}

/** The value of a promise that resolves within this time; undefined if it does not. */
export function settledWithin<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    void promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

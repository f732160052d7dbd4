import { PagewireError } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";

/** Ctrl-C, pressed once and pressed again. */
export interface Interrupts {
  readonly signal: AbortSignal;
  /** Resolves at the second. */
  readonly again: Promise<void>;
  /** As if it had been pressed. */
  press(): void;
  /** Leaves it to the process again. */
  stop(): void;
}

export function createInterrupts(io: Pick<Io, "onInterrupt">): Interrupts {
  const aborter = new AbortController();
  let leave = () => {};
  const again = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const press = () => {
    if (aborter.signal.aborted) leave();
    else aborter.abort(new PagewireError("cancelled", "Cancelled from the command line."));
  };
  return { signal: aborter.signal, again, press, stop: io.onInterrupt(press) };
}

/** The promise's value, unless the signal is aborted first: then a rejection with its reason. */
export function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

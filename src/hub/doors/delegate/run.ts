import type { ServerResponse } from "node:http";
import type { CallHandle, CallListener } from "../../../switchboard/index.ts";
import type { Outcome } from "../../../wire/index.ts";
import { onEnd } from "../../http/exchange.ts";
import type { DelegateCall } from "./read-call.ts";
import type { DelegateEnd } from "./read-end.ts";

/** A call to a tab, and the request that waits for its outcome. */
export interface DelegateRun {
  readonly call: DelegateCall;
  readonly response: ServerResponse;
  /** The deadline in milliseconds; for a stream, the max silence. */
  readonly time: number;
  begin(listener: CallListener, left: number): CallHandle;
  /** The outcome in the program's terms. */
  endOf(outcome: Outcome): DelegateEnd;
  /** The call's id in answers. */
  idOf(handle: CallHandle): string;
}

/**
 * Releases a call whose request ended without an answer: a caller with a key may come back for the result, a call
 * without one is cancelled.
 */
export function letGoAtEnd({ call, response }: DelegateRun, handle: CallHandle, ended: () => void): void {
  onEnd(response, (isSent) => {
    if (!isSent && call.key === undefined) handle.cancel("The program in the terminal went away.");
    else if (!isSent) handle.cut();
    else handle.received();
    ended();
  });
}

import type { ServerResponse } from "node:http";
import type { CallHandle, CallListener } from "../../../switchboard/index.ts";
import type { Outcome } from "../../../wire/index.ts";
import { onEnd } from "../../http/exchange.ts";
import type { DelegateCall } from "./read-call.ts";
import type { DelegateEnd } from "./read-end.ts";

/** A call for its tab, and the request that waits for its end. */
export interface DelegateRun {
  readonly call: DelegateCall;
  readonly response: ServerResponse;
  /** Milliseconds that it may take, or for a stream be silent. */
  readonly time: number;
  begin(listener: CallListener, left: number): CallHandle;
  /** How it ended, as its program is told. */
  endOf(outcome: Outcome): DelegateEnd;
  /** What an answer names this call by. */
  idOf(handle: CallHandle): string;
}

/**
 * Lets go of a call when its request has ended without its answer: whoever gave it a key may come back for it, and from
 * all others the hub takes it that they do not want it any more.
 */
export function letGoAtEnd({ call, response }: DelegateRun, handle: CallHandle, ended: () => void): void {
  onEnd(response, (isSent) => {
    if (!isSent && call.key === undefined) handle.cancel("The program in the terminal went away.");
    else if (!isSent) handle.cut();
    else handle.received();
    ended();
  });
}

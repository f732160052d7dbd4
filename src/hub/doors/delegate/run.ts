import type { ServerResponse } from "node:http";
import type { CallHandle, CallListener } from "../../../switchboard/index.ts";
import type { Outcome } from "../../../wire/index.ts";
import { onEnd, whetherRead } from "../../http/exchange.ts";
import type { DelegateCall } from "./read-call.ts";
import { spliceEnd } from "./read-end.ts";
import type { DelegateEnd } from "./read-end.ts";
import { respondFailure, respondParts } from "./failure.ts";

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
  const leave = (isRead: boolean) => {
    if (!isRead && call.key === undefined) handle.cancel("The program in the terminal went away.");
    else if (!isRead) handle.cut();
    else handle.received();
    ended();
  };
  onEnd(response, (isSent) => whetherRead(response, isSent, leave));
}

/** Runs a call, and answers with its whole result. */
export function runWhole(run: DelegateRun, jsonDepth: number): Promise<void> {
  const { response } = run;
  return new Promise((resolve) => {
    const handle = run.begin(
      {
        ended(outcome) {
          const parts = spliceEnd(outcome, run.idOf(handle), jsonDepth);
          if (parts) {
            respondParts(response, parts);
            return resolve();
          }
          const end = run.endOf(outcome);
          if ("failure" in end) respondFailure(response, end.failure);
          else
            respondParts(response, [JSON.stringify({ cmd: "browser_response", id: run.idOf(handle), ...end.fields })]);
          resolve();
        },
      },
      run.time,
    );
    letGoAtEnd(run, handle, resolve);
  });
}

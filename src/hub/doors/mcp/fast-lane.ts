// Answers a call that turns out to be nothing but a call: one result, spliced into one response. As soon as anything
// else happens to it, it is given over to the SDK as it stands.
import type { ServerResponse } from "node:http";
import type { Outcome, Payload } from "../../../wire/index.ts";
import { onEnd } from "../../http/on-end.ts";
import { limitReading, sendParts } from "../../http/send-parts.ts";
import { wait } from "./running-call.ts";
import type { RunningCall } from "./running-call.ts";

export interface FastAnswer {
  /** The response around a result, or undefined where the result must be read first. */
  readonly splice: (payload: Payload) => readonly Payload[] | undefined;
  /** How long the call may be silent; undefined when its client does not ask to be told of progress. */
  readonly patience: number | undefined;
  /** Whether what the call logs is of interest. */
  readonly wantsLogs: boolean;
  /** How long the client may leave its answer unread. */
  readonly readingTime: number;
}

/** Resolves with whether the call was answered; if not, it runs on, with what happened still to be read. */
export async function answerFast(call: RunningCall, response: ServerResponse, answer: FastAnswer): Promise<boolean> {
  const isAnswered = await awaitEnd(call, response, answer);
  if (isAnswered) limitReading(response, answer.readingTime);
  return isAnswered;
}

function awaitEnd(
  call: RunningCall,
  response: ServerResponse,
  { splice, patience, wantsLogs }: FastAnswer,
): Promise<boolean> {
  return new Promise((resolve) => {
    let stopListening = () => {};
    let isSent = false;
    const end = (isAnswered: boolean) => {
      clearTimeout(timer);
      if (!isAnswered) stopListening();
      call.reader = isAnswered ? undefined : wait;
      resolve(isAnswered);
    };
    const gone = (isRead: boolean) => {
      if (isSent && isRead) call.received();
      else call.cut();
      end(true);
    };
    const read = () => {
      const [event] = call.events;
      if (event === undefined) return;
      if ((event.kind === "progress" && patience === undefined) || (event.kind === "log" && !wantsLogs)) {
        call.events.length = 0;
        return;
      }
      const parts = event.kind === "ended" ? partsOf(event.outcome, splice) : undefined;
      if (!parts) return end(false);
      sendParts(response, { status: 200, parts });
      isSent = true;
      end(true);
    };
    const timer = patience === undefined ? undefined : setTimeout(end, patience, false);
    call.reader = read;
    stopListening = onEnd(response, gone);
    read();
  });
}

/** The response to a plain end; undefined for any other. */
function partsOf(
  { outcome, payload, inputRequired, replay }: Outcome,
  splice: FastAnswer["splice"],
): readonly Payload[] | undefined {
  const isPlain = (outcome === "ok" || outcome === "tool-error") && !inputRequired && !replay;
  return isPlain && payload !== undefined ? splice(payload) : undefined;
}

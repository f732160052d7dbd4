// The calls of one client, each from its request to its one outcome, over as many connections as needed. A call without a
// key ends with the connection that it was sent on. A call with a key is sent again with the same key: the hub, or the page
// itself, then knows whether it ran before.
import type { Clock } from "../link/index.ts";
import { isJsonObject, messageOf, parseTrace } from "../wire/index.ts";
import type { FrameFromAgent, FrameToAgent, Limits, OnError, Payload, TraceContext } from "../wire/index.ts";
import { activeTrace } from "./active-trace.ts";
import { answered, ended, failed, meaningOfRefusal, notDelivered, unknown } from "./call-end.ts";
import { checkCall } from "./check-call.ts";
import type { HubCall, HubClientOptions, HubOutcome } from "./hub-client.ts";
import { tellOne } from "./listeners.ts";
import { parsePayload } from "./parse-listing.ts";
import { createQuestions } from "./questions.ts";
import type { Questions } from "./questions.ts";

export interface Calls {
  call(request: HubCall): Promise<HubOutcome>;
  receive(frame: FrameToAgent, payload: Payload): void;
  /** A new connection is up. */
  connected(): void;
  /** The connection is lost. */
  lost(): void;
  /** The tabs or their offers changed. */
  changed(): void;
  /** There will be no connection any more. */
  end(why: string): void;
}

export interface CallsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly onAsk: HubClientOptions["onAsk"];
  readonly onError: OnError;
  send(frame: FrameFromAgent, payload?: string): boolean;
}

interface Pending {
  readonly id: string;
  readonly request: HubCall;
  readonly payload: string;
  readonly deadline: number;
  readonly questions: Questions;
  readonly trace: TraceContext | undefined;
  /** The number of connections that it was sent on. */
  timesSent: number;
  /** Whether it was sent on the current connection. */
  isOut: boolean;
  isCancelled: boolean;
  /** The tab that took it, which a repeated request names: a restarted hub might choose another. */
  tab: string | undefined;
  /** Cancels the current wait, of which there is always one. */
  stopTimer(): void;
  finish(outcome: HubOutcome): void;
}

/** The time after a call's deadline, or its cancellation, in which the hub may still report the outcome. */
const LAST_WORD_TIME = 3000;

export function createCalls(options: CallsOptions): Calls {
  const { clock, limits, newId, onError } = options;
  const pending = new Map<string, Pending>();
  let over: string | undefined;

  function call(request: HubCall): Promise<HubOutcome> {
    const checked = checkCall(request, limits);
    if ("outcome" in checked) return Promise.resolve(checked.outcome);
    if (request.signal?.aborted) return Promise.resolve(cancelled(request.signal, "no"));
    if (over !== undefined) return Promise.resolve(notDelivered(over));
    return new Promise((resolve) => begin(request, checked, resolve));
  }

  function begin(
    request: HubCall,
    { payload, left }: { readonly payload: string; readonly left: number },
    resolve: (outcome: HubOutcome) => void,
  ): void {
    const { signal } = request;
    const id = newId();
    const each: Pending = {
      id,
      request,
      payload,
      deadline: clock.now() + left,
      questions: createQuestions(request.name, options.onAsk),
      trace: parseTrace(request.trace) ?? activeTrace(),
      timesSent: 0,
      isOut: false,
      isCancelled: false,
      tab: undefined,
      stopTimer: clock.after(left, () => expire(each)),
      finish(outcome) {
        pending.delete(id);
        each.stopTimer();
        signal?.removeEventListener("abort", cancelThis);
        each.questions.close();
        resolve(each.tab === undefined ? outcome : { ...outcome, tabId: each.tab });
      },
    };
    const cancelThis = () => cancel(each);
    pending.set(id, each);
    signal?.addEventListener("abort", cancelThis);
    send(each);
    if (!each.isOut && request.key === undefined) each.finish(notDelivered("There is no connection to the hub now."));
  }

  function send(each: Pending): void {
    const { id, request, deadline, payload, trace } = each;
    const { method = "tools/call", name, key, tab = each.tab } = request;
    const left = Math.max(0, deadline - clock.now());
    each.isOut = options.send({ type: "call", id, method, name, tab, key, left, trace }, payload);
    if (each.isOut) each.timesSent++;
  }

  function cancel(each: Pending): void {
    if (!each.isOut) return each.finish(cancelled(each.request.signal, each.timesSent > 0 ? "maybe" : "no"));
    each.isCancelled = true;
    options.send({ type: "cancel", id: each.id, reason: reasonOf(each.request.signal) });
    waitForLastWord(each, () => each.finish(cancelled(each.request.signal, "maybe")));
  }

  function waitForLastWord(each: Pending, giveUp: () => void): void {
    each.stopTimer();
    each.stopTimer = clock.after(LAST_WORD_TIME, giveUp);
  }

  function expire(each: Pending): void {
    const late = () => {
      const ran = each.timesSent > 0 ? "maybe" : "no";
      each.finish(
        ended("deadline-exceeded", ran, { code: "deadline-exceeded", message: "The call was not done in time." }),
      );
    };
    // The hub knows the state of the call better, and reports it at the same time.
    if (each.isOut) waitForLastWord(each, late);
    else late();
  }

  function receive(frame: FrameToAgent, payload: Payload): void {
    const each = "id" in frame ? pending.get(frame.id) : undefined;
    if (each === undefined || !each.isOut) return;
    const { request } = each;
    switch (frame.type) {
      case "ack":
        each.tab = frame.tab;
        return tellOne(onError, () => request.onAck?.(frame.tab));
      case "progress": {
        const { progress, total, message } = frame;
        return tellOne(onError, () => request.onProgress?.({ progress, total, message }));
      }
      case "log": {
        const data = parsePayload(payload, limits.jsonDepth) ?? null;
        return tellOne(onError, () => request.onLog?.({ level: frame.level, data, logger: frame.logger }));
      }
      case "ask":
        return void ask(each, frame, payload);
      case "result":
        return each.finish(answered(frame, parsePayload(payload, limits.jsonDepth)));
      case "failure":
        return refused(each, frame);
      default:
        return;
    }
  }

  async function ask(each: Pending, frame: Extract<FrameToAgent, { type: "ask" }>, payload: Payload): Promise<void> {
    const given = parsePayload(payload, limits.jsonDepth);
    const answer = await each.questions.answer(frame.ask, frame.method, isJsonObject(given) ? given : undefined);
    if (pending.get(each.id) !== each || !each.isOut) return;
    const header = { type: "answer", id: each.id, ask: frame.ask } as const;
    if ("payload" in answer) options.send(header, answer.payload);
    else options.send({ ...header, ...answer });
  }

  function refused(each: Pending, frame: Extract<FrameToAgent, { type: "failure" }>): void {
    if (each.timesSent < 2 || each.isCancelled) return each.finish(failed(frame));
    switch (meaningOfRefusal(frame)) {
      case "final":
        return each.finish(failed(frame));
      case "unknown":
        return each.finish(unknown(`The connection was lost, and then: ${frame.message}`));
      case "elsewhere":
        each.isOut = false;
    }
  }

  function sendWaiting(): void {
    for (const each of [...pending.values()]) if (!each.isOut) send(each);
  }

  return {
    call,
    receive,
    connected: sendWaiting,
    lost() {
      for (const each of [...pending.values()]) {
        if (each.isCancelled) each.finish(cancelled(each.request.signal, "maybe"));
        else if (each.request.key === undefined) each.finish(unknown("The connection to the hub was lost."));
        else each.isOut = false;
      }
    },
    changed: sendWaiting,
    end(why) {
      over = why;
      for (const each of [...pending.values()]) each.finish(each.timesSent > 0 ? unknown(why) : notDelivered(why));
    },
  };
}

function cancelled(signal: AbortSignal | undefined, ran: "no" | "maybe"): HubOutcome {
  return ended("cancelled", ran, { code: "cancelled", message: reasonOf(signal) });
}

const LONGEST_REASON = 4096;

function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return (reason === undefined ? "The caller cancelled the call." : messageOf(reason)).slice(0, LONGEST_REASON);
}

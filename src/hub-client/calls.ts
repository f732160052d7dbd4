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
import { callListener } from "./listeners.ts";
import { parsePayload } from "./parse-listing.ts";
import { createQuestions } from "./questions.ts";
import type { Questions } from "./questions.ts";

export interface CallsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly onAsk: HubClientOptions["onAsk"];
  readonly onError: OnError;
  /** Returns the line that the frame was sent on; undefined without a connection. */
  send(frame: FrameFromAgent, payload?: string): Line | undefined;
}

/** A connection. */
export interface Line {
  send(frame: FrameFromAgent, payload?: string): boolean;
}

interface PendingCall {
  readonly id: string;
  readonly request: HubCall;
  readonly payload: string;
  readonly deadline: number;
  readonly questions: Questions;
  readonly trace: TraceContext | undefined;
  timesSent: number;
  /** The connection that it was sent on, while that lasts. */
  line: Line | undefined;
  isCancelled: boolean;
  /** The tab that took it, which a repeated request names: a restarted hub might choose another. */
  tab: string | undefined;
  /** Cancels the current wait, of which there is always one. */
  stopTimer(): void;
  finish(outcome: HubOutcome): void;
}

/** The time after a call's deadline, or its cancellation, in which the hub may still report the outcome. */
const OUTCOME_TIME = 3000;

export class Calls {
  readonly #options: CallsOptions;
  readonly #pending = new Map<string, PendingCall>();
  /** Why there will be no connection any more, once that is so. */
  #end: string | undefined;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  call(request: HubCall): Promise<HubOutcome> {
    const checked = checkCall(request, this.#options.limits);
    if ("outcome" in checked) return Promise.resolve(checked.outcome);
    if (request.signal?.aborted) return Promise.resolve(cancelled(request.signal, "no"));
    if (this.#end !== undefined) return Promise.resolve(notDelivered(this.#end));
    return new Promise((resolve) => this.#begin(request, checked, resolve));
  }

  receive(frame: FrameToAgent, payload: Payload, line: Line): void {
    const call = "id" in frame ? this.#pending.get(frame.id) : undefined;
    if (call === undefined || call.line !== line) return;
    const { request } = call;
    const { limits, onError } = this.#options;
    switch (frame.type) {
      case "ack":
        call.tab = frame.tab;
        return callListener(onError, () => request.onAck?.(frame.tab));
      case "progress": {
        const { progress, total, message } = frame;
        return callListener(onError, () => request.onProgress?.({ progress, total, message }));
      }
      case "log": {
        const data = parsePayload(payload, limits.jsonDepth) ?? null;
        return callListener(onError, () => request.onLog?.({ level: frame.level, data, logger: frame.logger }));
      }
      case "ask":
        return void this.#ask(call, frame, payload);
      case "answered":
        return call.questions.answered(frame.ask);
      case "result":
        return call.finish(answered(frame, parsePayload(payload, limits.jsonDepth)));
      case "failure":
        return refused(call, frame);
      default:
        return;
    }
  }

  /** Sends the calls that wait: a new connection is up, or the tabs or their offers changed. */
  sendWaiting(): void {
    for (const call of [...this.#pending.values()]) if (!call.line) this.#send(call);
  }

  /** Whether calls are out on this connection. */
  isUsed(line: Line): boolean {
    return [...this.#pending.values()].some((call) => call.line === line);
  }

  lost(line: Line): void {
    for (const call of [...this.#pending.values()]) {
      if (call.line !== line) continue;
      if (call.isCancelled) call.finish(cancelled(call.request.signal, "maybe"));
      else if (call.request.key === undefined) call.finish(unknown("The connection to the hub was lost."));
      else call.line = undefined;
    }
  }

  /** There will be no connection any more. */
  end(why: string): void {
    this.#end = why;
    for (const call of [...this.#pending.values()]) call.finish(call.timesSent > 0 ? unknown(why) : notDelivered(why));
  }

  #begin(
    request: HubCall,
    { payload, left }: { readonly payload: string; readonly left: number },
    resolve: (outcome: HubOutcome) => void,
  ): void {
    const { clock, newId, onAsk } = this.#options;
    const { signal } = request;
    const id = newId();
    const cancel = () => this.#cancel(call);
    const call: PendingCall = {
      id,
      request,
      payload,
      deadline: clock.now() + left,
      questions: createQuestions(request.name, onAsk),
      trace: parseTrace(request.trace) ?? activeTrace(),
      timesSent: 0,
      line: undefined,
      isCancelled: false,
      tab: undefined,
      stopTimer: clock.after(left, () => this.#expire(call)),
      finish: (outcome) => {
        this.#pending.delete(id);
        call.stopTimer();
        signal?.removeEventListener("abort", cancel);
        call.questions.close();
        resolve(call.tab === undefined ? outcome : { ...outcome, tabId: call.tab });
      },
    };
    this.#pending.set(id, call);
    signal?.addEventListener("abort", cancel);
    this.#send(call);
    if (!call.line && request.key === undefined) call.finish(notDelivered("There is no connection to the hub now."));
  }

  #send(call: PendingCall): void {
    const { id, request, deadline, payload, trace } = call;
    const { method = "tools/call", name, key, tab = call.tab } = request;
    const left = Math.max(0, deadline - this.#options.clock.now());
    call.line = this.#options.send({ type: "call", id, method, name, tab, key, left, trace }, payload);
    if (call.line) call.timesSent++;
  }

  #cancel(call: PendingCall): void {
    const { signal } = call.request;
    if (!call.line) return call.finish(cancelled(signal, mayHaveRun(call)));
    call.isCancelled = true;
    call.line.send({ type: "cancel", id: call.id, reason: reasonOf(signal) });
    this.#waitForOutcome(call, () => call.finish(cancelled(signal, "maybe")));
  }

  #waitForOutcome(call: PendingCall, giveUp: () => void): void {
    call.stopTimer();
    call.stopTimer = this.#options.clock.after(OUTCOME_TIME, giveUp);
  }

  #expire(call: PendingCall): void {
    const why = { code: "deadline-exceeded", message: "The call was not done in time." } as const;
    const late = () => call.finish(ended("deadline-exceeded", mayHaveRun(call), why));
    // The hub knows the state of the call better, and reports it at the same time.
    if (call.line) this.#waitForOutcome(call, late);
    else late();
  }

  async #ask(call: PendingCall, frame: Extract<FrameToAgent, { type: "ask" }>, payload: Payload): Promise<void> {
    const { limits } = this.#options;
    const { line } = call;
    const given = parsePayload(payload, limits.jsonDepth);
    const answer = await call.questions.answer(frame.ask, frame.method, isJsonObject(given) ? given : undefined);
    if (this.#pending.get(call.id) !== call || !line || call.line !== line) return;
    const header = { type: "answer", id: call.id, ask: frame.ask } as const;
    if ("payload" in answer) line.send(header, answer.payload);
    else line.send({ ...header, ...answer });
  }
}

/** The hub refused a call, perhaps one that was sent before over a connection that was lost. */
function refused(call: PendingCall, frame: Extract<FrameToAgent, { type: "failure" }>): void {
  if (call.timesSent < 2 || call.isCancelled) return call.finish(failed(frame));
  switch (meaningOfRefusal(frame)) {
    case "final":
      return call.finish(failed(frame));
    case "unknown":
      return call.finish(unknown(`The connection was lost, and then: ${frame.message}`));
    case "elsewhere":
      call.line = undefined;
  }
}

function mayHaveRun({ timesSent }: PendingCall): "no" | "maybe" {
  return timesSent > 0 ? "maybe" : "no";
}

function cancelled(signal: AbortSignal | undefined, ran: "no" | "maybe"): HubOutcome {
  return ended("cancelled", ran, { code: "cancelled", message: reasonOf(signal) });
}

const LONGEST_REASON = 4096;

function reasonOf(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  return (reason === undefined ? "The caller cancelled the call." : messageOf(reason)).slice(0, LONGEST_REASON);
}

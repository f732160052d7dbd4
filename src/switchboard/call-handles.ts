// The handles that callers have of their calls: running, ended before they began, or beginning later.
import type { Clock } from "../link/index.ts";
import type { FrameFromPage, SwitchboardLimits, Outcome, Payload, Ran } from "../wire/index.ts";
import { end } from "./call-life.ts";
import type { LifeEvent } from "./call-life.ts";
import type { Asked, Call, CallAnswer, CallEnds, CallHandle, CallListener, CallRequest, Waiter } from "./types.ts";
import type { Duplicates } from "./duplicates.ts";

const cancelledByCaller = "The caller cancelled the call.";

export interface Handles {
  /** The handle of one caller that waits for the call. */
  handleOf(call: Call, waiter: Waiter): CallHandle;
  /** Another caller waits for a call, which may have ended. */
  join(call: Call, asked: Asked): CallHandle;
  /** Passes a page's question to a caller that can answer it. */
  ask(call: Call, question: Extract<FrameFromPage, { type: "ask" }>, payload: Payload): void;
}

export interface HandlesOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly duplicates: Duplicates;
  readonly apply: (call: Call, event: LifeEvent) => void;
  readonly deliver: (call: Call) => void;
  readonly ends: Pick<CallEnds, "asked" | "answered">;
}

export function createHandles({ clock, limits, duplicates, apply, deliver, ends }: HandlesOptions): Handles {
  function join(call: Call, { request, listener }: Asked): CallHandle {
    const { outcome } = call;
    const { tabId } = call.aim.tab;
    if (outcome) {
      const cameFrom = outcome.ran === "yes" ? tabId : undefined;
      const after = { cameFrom, onCut: () => missed(call), onReceived: () => forget(call) };
      return endedCall(listener, { ...outcome, replay: true }, after);
    }
    call.stopCut?.();
    const waiter = { listener, asks: request.asks, isReplay: true };
    call.waiters.push(waiter);
    if (call.phase === "running") queueMicrotask(() => call.waiters.includes(waiter) && listener.acked?.(tabId));
    askAgain(call);
    return handleOf(call, waiter);
  }

  /** Questions go to another caller now. The page repeats its open questions when it is asked about the call. */
  function askAgain(call: Call): void {
    if (call.phase === "running" && call.request.asks?.length) deliver(call);
  }

  function handleOf(call: Call, waiter: Waiter): CallHandle {
    let isOver = false;
    /** Returns whether the call was still running for this caller. */
    const leave = () => {
      const at = call.waiters.indexOf(waiter);
      if (at >= 0) call.waiters.splice(at, 1);
      return at >= 0;
    };
    const received = () => {
      if (!isOver && call.outcome) {
        duplicates.received(call);
        forget(call);
      }
      isOver = true;
    };
    return {
      id: call.id,
      cancel(reason = cancelledByCaller) {
        if (call.outcome) return received();
        if (call.waiters.length === 1 && call.waiters[0] === waiter) {
          isOver = true;
          return apply(call, { event: "cancelled", message: reason });
        }
        if (!leave()) return;
        isOver = true;
        waiter.listener.ended(end("cancelled", "maybe", reason));
        askAgain(call);
      },
      cut() {
        // The outcome of a cancelled call may still be being written to the ledger.
        if (isOver) return void leave();
        isOver = true;
        if (call.outcome) return missed(call);
        if (!leave()) return;
        if (call.waiters.length === 0) orphan(call);
        else askAgain(call);
      },
      received,
      answer(ask, answer) {
        if (call.phase === "running") reply(call, ask, answer);
      },
    };
  }

  function reply(call: Call, ask: string, answer: CallAnswer): void {
    ends.answered(call, ask, answer);
    const { payload, ...header } = "payload" in answer ? answer : { payload: undefined, ...answer };
    call.aim.tab.delivery?.send({ type: "answer", id: call.id, ask, ...header }, payload);
  }

  function ask(call: Call, question: Extract<FrameFromPage, { type: "ask" }>, payload: Payload): void {
    if (call.waiters.length === 0) return;
    const { ask: id, method } = question;
    ends.asked(call, question);
    // The newest caller: an earlier one may have lost its connection unnoticed.
    const able = call.waiters.findLast(({ asks, listener }) => asks?.includes(method) && listener.ask);
    if (able) able.listener.ask?.(id, method, payload);
    else reply(call, id, { code: "ask-unsupported", message: "The caller cannot ask its user." });
  }

  /** The call ended, but its caller lost its connection before the outcome arrived: an equal call gets the outcome instead. */
  function missed(call: Call): void {
    const { outcome, ran } = call.outcome ?? {};
    if (ran !== "no" && outcome !== "cancelled") duplicates.cutOff(call);
  }

  /** The call has no callers left: it runs on for `cutTime`, in case one comes back. */
  function orphan(call: Call): void {
    // Its outcome is being written to the ledger.
    if (call.phase === "ended") return;
    const abort = () => apply(call, { event: "cancelled", message: "The caller went away and did not come back." });
    const canReturn = call.request.key !== undefined || call.unkeyed !== undefined;
    if (call.phase === "waiting" || limits.cutTime === 0 || !canReturn) return abort();
    call.stopCut = clock.after(limits.cutTime, abort);
    duplicates.cutOff(call);
  }

  return { handleOf, join, ask };
}

/**
 * Drops the arguments and the result of an ended call. A large payload that is still referenced once its call has reached
 * the old generation stays until a full garbage collection, and many such payloads force one.
 */
export function forget(call: Call): void {
  call.aim = { ...call.aim, arguments: "" };
  call.request = { ...call.request, arguments: "" };
  if (call.outcome) call.outcome = { outcome: call.outcome.outcome, ran: call.outcome.ran };
}

interface EndedOptions {
  /** The tab that the outcome came from, if any. */
  readonly cameFrom?: string | undefined;
  readonly onCut?: () => void;
  readonly onReceived?: () => void;
}

/** A call that already has its outcome; the listener receives it after the handle was returned. */
export function endedCall(listener: CallListener, outcome: Outcome, options: EndedOptions = {}): CallHandle {
  const { cameFrom, onCut, onReceived } = options;
  let isOver = false;
  // The outcome is not referenced after it was delivered.
  let due: Outcome | undefined = outcome;
  const finish = (then: (() => void) | undefined) => {
    if (!isOver) then?.();
    isOver = true;
  };
  queueMicrotask(() => {
    const given = due;
    due = undefined;
    if (!given) return;
    if (cameFrom !== undefined) listener.acked?.(cameFrom);
    listener.ended(given);
  });
  return {
    id: "",
    cancel: () => {},
    cut() {
      if (!isOver) due = undefined;
      finish(onCut);
    },
    received: () => finish(onReceived),
    answer: () => {},
  };
}

/** Schedules a call: `go` takes its handle once it begins. Returns a function that cancels it. */
export type Plan = (go: (handle: CallHandle) => void) => () => void;

/** A call that begins later, unless it is cancelled first; `ran` is whether a cancelled call may have run all the same. */
export function laterCall({ listener, request }: Asked, ran: (request: CallRequest) => Ran, plan: Plan): CallHandle {
  let handle: CallHandle | undefined;
  const stop = plan((begun) => (handle = begun));
  return {
    get id() {
      return handle?.id ?? "";
    },
    cancel(reason = cancelledByCaller) {
      if (handle) return handle.cancel(reason);
      stop();
      handle = endedCall(listener, end("cancelled", ran(request), reason));
    },
    cut() {
      stop();
      handle?.cut();
    },
    received: () => handle?.received(),
    answer: (ask, answer) => handle?.answer(ask, answer),
  };
}

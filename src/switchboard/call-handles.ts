// The handles that callers have of their calls: running, ended before they began, or beginning later.
import type { Clock } from "../link/index.ts";
import type { FrameFromPage, SwitchboardLimits, Outcome, Payload, Ran } from "../wire/index.ts";
import { end } from "./call-life.ts";
import type { LifeEvent } from "./call-life.ts";
import type { Asked, Call, CallAnswer, CallHandle, CallListener, CallRequest, Waiter } from "./types.ts";
import type { CallEnds } from "./call-ends.ts";
import type { Duplicates } from "./duplicates.ts";

const cancelledByCaller = "The caller cancelled the call.";

/** Moves calls to their next phase, and sends them to their tabs. */
interface Movers {
  apply(call: Call, event: LifeEvent): void;
  deliver(call: Call): void;
}

export interface CallersOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly duplicates: Duplicates;
  readonly ends: Pick<CallEnds, "asked" | "answered">;
}

/** The callers of calls: they join, leave, are cut off, and get what their pages report and ask. */
export class Callers {
  readonly #table: Movers;
  readonly #options: CallersOptions;

  constructor(table: Movers, options: CallersOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Another caller waits for a call, which may have ended. */
  join(call: Call, { request, listener }: Asked): CallHandle {
    const { outcome } = call;
    const { tabId } = call.aim.tab;
    if (outcome) {
      const cameFrom = outcome.ran === "yes" ? tabId : undefined;
      const after = { cameFrom, onCut: () => this.#missed(call), onReceived: () => forget(call) };
      return endedCall(listener, { ...outcome, replay: true }, after);
    }
    call.stopCut?.();
    const waiter = { listener, asks: request.asks, isReplay: true };
    call.waiters.push(waiter);
    if (call.phase === "running") queueMicrotask(() => call.waiters.includes(waiter) && listener.acked?.(tabId));
    this.#askAgain(call);
    return this.handleOf(call, waiter);
  }

  /** The handle of one caller that waits for the call. */
  handleOf(call: Call, waiter: Waiter): CallHandle {
    return new Handle(this, call, waiter);
  }

  /** Passes a page's question to a caller that can answer it. */
  ask(call: Call, question: Extract<FrameFromPage, { type: "ask" }>, payload: Payload): void {
    if (call.waiters.length === 0) return;
    const { ask: id, method } = question;
    this.#options.ends.asked(call, question);
    // The newest caller: an earlier one may have lost its connection unnoticed.
    const able = call.waiters.findLast(({ asks, listener }) => asks?.includes(method) && listener.ask);
    if (able) able.listener.ask?.(id, method, payload, call.aim);
    else this.answer(call, id, { code: "ask-unsupported", message: "The caller cannot ask its user." });
  }

  answer(call: Call, ask: string, answer: CallAnswer): void {
    this.#options.ends.answered(call, ask, answer);
    const { payload, ...header } = "payload" in answer ? answer : { payload: undefined, ...answer };
    call.aim.tab.delivery?.send({ type: "answer", id: call.id, ask, ...header }, payload);
  }

  /** A caller cancels its call, which runs on if it has others. */
  cancel(call: Call, waiter: Waiter, message: string): void {
    if (call.waiters.length === 1 && call.waiters[0] === waiter) {
      return this.#table.apply(call, { event: "cancelled", message });
    }
    if (!leave(call, waiter)) return;
    waiter.listener.ended(end("cancelled", "maybe", message));
    this.#askAgain(call);
  }

  /** A caller lost its connection, perhaps after the end of its call. */
  cut(call: Call, waiter: Waiter): void {
    if (call.outcome) return this.#missed(call);
    if (!leave(call, waiter)) return;
    if (call.waiters.length === 0) this.#orphan(call);
    else this.#askAgain(call);
  }

  received(call: Call): void {
    this.#options.duplicates.received(call);
    forget(call);
  }

  /** Questions go to another caller now. The page repeats its open questions when it is asked about the call. */
  #askAgain(call: Call): void {
    if (call.phase === "running" && call.request.asks?.length) this.#table.deliver(call);
  }

  /** The call ended, but its caller lost its connection before the outcome arrived: an equal call gets the outcome instead. */
  #missed(call: Call): void {
    const { outcome, ran } = call.outcome ?? {};
    if (ran !== "no" && outcome !== "cancelled") this.#options.duplicates.cutOff(call);
  }

  /** The call has no callers left: it runs on for `cutTime`, in case one comes back. */
  #orphan(call: Call): void {
    // Its outcome is being written to the ledger.
    if (call.phase === "ended") return;
    const { clock, limits, duplicates } = this.#options;
    const message = "The caller went away and did not come back.";
    const abort = () => this.#table.apply(call, { event: "cancelled", message });
    const canReturn = call.request.key !== undefined || call.unkeyed !== undefined;
    if (call.phase === "waiting" || limits.cutTime === 0 || !canReturn) return abort();
    call.stopCut = clock.after(limits.cutTime, abort);
    duplicates.cutOff(call);
  }
}

/** Returns whether the caller was still waiting for the call. */
function leave(call: Call, waiter: Waiter): boolean {
  const at = call.waiters.indexOf(waiter);
  if (at >= 0) call.waiters.splice(at, 1);
  return at >= 0;
}

class Handle implements CallHandle {
  readonly #callers: Callers;
  readonly #call: Call;
  readonly #waiter: Waiter;
  /** Whether the caller cancelled the call, was cut off or has its outcome. */
  #isOver = false;

  constructor(callers: Callers, call: Call, waiter: Waiter) {
    this.#callers = callers;
    this.#call = call;
    this.#waiter = waiter;
  }

  get id(): string {
    return this.#call.id;
  }

  cancel(reason = cancelledByCaller): void {
    if (this.#call.outcome) return this.received();
    this.#isOver = true;
    this.#callers.cancel(this.#call, this.#waiter, reason);
  }

  cut(): void {
    // The outcome of a cancelled call may still be being written to the ledger.
    if (this.#isOver) return void leave(this.#call, this.#waiter);
    this.#isOver = true;
    this.#callers.cut(this.#call, this.#waiter);
  }

  received(): void {
    if (!this.#isOver && this.#call.outcome) this.#callers.received(this.#call);
    this.#isOver = true;
  }

  answer(ask: string, answer: CallAnswer): void {
    if (this.#call.phase === "running") this.#callers.answer(this.#call, ask, answer);
  }
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

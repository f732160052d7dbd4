// Carries calls from their callers to their tabs and their one outcome back.
// It applies the steps of life.ts, sends the frames, and keeps the timers; it does not choose tabs.
import type { Clock } from "../link/index.ts";
import { isErrorCode } from "../wire/index.ts";
import type { CallEvent, FrameFromPage, Limits, Outcome, OutcomeName, Payload, Tool } from "../wire/index.ts";
import type { CallHandle, CallListener, CallRequest } from "./call-request.ts";
import { end, nextStep, rejection } from "./life.ts";
import type { LifeEvent } from "./life.ts";
import type { Caller, Flight, Tab } from "./model.ts";
import type { Recall } from "./recall.ts";

/** Where a call goes, and what the page is to be given; or the outcome it has without going anywhere. */
export type Route =
  | { readonly tab: Tab; readonly name: string; readonly arguments: Payload; readonly tool?: Tool }
  | { readonly outcome: Outcome };

export interface Calls {
  begin(caller: Caller, request: CallRequest, listener: CallListener): CallHandle;
  /** A frame about a call, from the tab it was given to. */
  receive(tab: Tab, frame: FrameFromPage, payload: Payload): void;
  /** Something happened to a tab, and so to every call on it. */
  tabChanged(tab: Tab, event: "tab-cut" | "tab-gone" | "tab-suspended"): void;
  /** A tab has what it needs for some of the calls that wait for it. */
  tabReady(tab: Tab): void;
  /** A page is back and works on these calls; those that nobody waits for any more are called off. */
  tabReturned(tab: Tab, running: readonly string[]): void;
}

interface Accepted {
  readonly caller: Caller;
  readonly request: CallRequest;
  readonly listener: CallListener;
  readonly route: Exclude<Route, { readonly outcome: Outcome }>;
}

export interface CallsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly recall: Recall;
  readonly route: (request: CallRequest, caller: Caller) => Route;
  /** Hears of every moment of every call. */
  readonly onEvent: (event: () => CallEvent) => void;
  readonly onEnded: (outcome: OutcomeName) => void;
}

export function createCalls(options: CallsOptions): Calls {
  const { clock, limits, recall } = options;

  function begin(caller: Caller, request: CallRequest, listener: CallListener): CallHandle {
    const earlier = recall.find(caller, request);
    if (earlier && "outcome" in earlier) return endedAlready(listener, earlier);
    if (earlier) return join(earlier, listener);
    const route = options.route(request, caller);
    if ("outcome" in route) return settle(listener, route.outcome);
    const full = overload(caller, route.tab);
    return full ? settle(listener, full) : start({ caller, request, listener, route });
  }

  /** Ends a call that goes nowhere. */
  function settle(listener: CallListener, outcome: Outcome): CallHandle {
    options.onEnded(outcome.outcome);
    return endedAlready(listener, outcome);
  }

  function overload(caller: Caller, tab: Tab): Outcome | undefined {
    const limit =
      caller.inFlight >= limits.callsPerAgent
        ? "callsPerAgent"
        : tab.flights.size >= limits.callsPerTab
          ? "callsPerTab"
          : undefined;
    if (!limit) return undefined;
    return rejection(
      "calls-too-many",
      `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`,
      1000,
    );
  }

  function start({ caller, request, listener, route }: Accepted): CallHandle {
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    const startedAt = clock.now();
    const flight: Flight = {
      id: options.newId(),
      caller,
      request,
      name: route.name,
      arguments: route.arguments,
      tab: route.tab,
      tool: route.tool,
      startedAt,
      deadline: startedAt + left,
      phase: "waiting",
      listeners: new Set([listener]),
      joined: new Set(),
      stopDeadline: clock.after(left, () => apply(flight, { event: "deadline" })),
      stopCut: () => {},
    };
    caller.inFlight++;
    flight.tab.flights.set(flight.id, flight);
    recall.started(flight);
    tell(flight, "started");
    if (flight.tab.state === "suspended") queueMicrotask(() => apply(flight, { event: "tab-suspended" }));
    else if (isReady(flight)) deliver(flight);
    return handleOf(flight, listener);
  }

  function deliver(flight: Flight): void {
    const { id, request, name, deadline, phase } = flight;
    const { name: agent, version, asks } = flight.caller;
    const now = clock.now();
    flight.tab.delivery?.send(
      {
        type: "call",
        id,
        method: request.method,
        name,
        left: Math.max(0, Math.round(deadline - now)),
        at: Math.round(now),
        agent: { name: agent, version },
        key: request.key,
        asks: asks.length === 0 ? undefined : asks,
        resume: phase === "running" || undefined,
      },
      flight.arguments,
    );
    apply(flight, { event: "sent" });
  }

  function apply(flight: Flight, event: LifeEvent): void {
    const before = flight.phase;
    const { phase, outcome } = nextStep(before, event);
    flight.phase = phase;
    if (phase === "running" && before !== "running") {
      for (const listener of flight.listeners) listener.acked?.(flight.tab.tabId);
      tell(flight, "acked");
    }
    if (!outcome) return;
    if (before !== "waiting" && (event.event === "deadline" || event.event === "cancelled")) {
      flight.tab.delivery?.send({
        type: "cancel",
        id: flight.id,
        ...(outcome.message ? { reason: outcome.message } : {}),
      });
    }
    conclude(flight, outcome);
  }

  function conclude(flight: Flight, outcome: Outcome): void {
    flight.stopDeadline();
    flight.stopCut();
    flight.tab.flights.delete(flight.id);
    flight.caller.inFlight--;
    recall.ended(flight, outcome);
    options.onEnded(outcome.outcome);
    tell(flight, "ended", { outcome: outcome.outcome, milliseconds: clock.now() - flight.startedAt });
    for (const listener of flight.listeners) {
      listener.ended(flight.joined.has(listener) ? { ...outcome, replay: true } : outcome);
    }
    flight.listeners.clear();
  }

  function join(flight: Flight, listener: CallListener): CallHandle {
    const wasCut = flight.listeners.size === 0;
    flight.stopCut();
    flight.listeners.add(listener);
    flight.joined.add(listener);
    if (flight.phase === "running") {
      queueMicrotask(() => flight.listeners.has(listener) && listener.acked?.(flight.tab.tabId));
      // Asked how the call stands, the page repeats the questions that are open.
      if (wasCut && flight.caller.asks.length > 0) deliver(flight);
    }
    return handleOf(flight, listener);
  }

  function handleOf(flight: Flight, listener: CallListener): CallHandle {
    return {
      id: flight.id,
      cancel(reason = "The caller cancelled the call.") {
        if (!flight.listeners.delete(listener)) return;
        if (flight.listeners.size > 0) listener.ended(end("cancelled", "maybe", reason));
        else {
          flight.listeners.add(listener);
          apply(flight, { event: "cancelled", message: reason });
        }
      },
      cut() {
        if (flight.listeners.delete(listener) && flight.listeners.size === 0) orphan(flight);
      },
      answer(ask, answer) {
        const header = "payload" in answer ? {} : { code: answer.code, message: answer.message };
        const payload = "payload" in answer ? answer.payload : undefined;
        if (flight.phase === "running")
          flight.tab.delivery?.send({ type: "answer", id: flight.id, ask, ...header }, payload);
      },
    };
  }

  /** Nobody waits for this call any more: it runs on for a while, in case the caller comes back for it. */
  function orphan(flight: Flight): void {
    const abort = () => apply(flight, { event: "cancelled", message: "The caller went away and did not come back." });
    const { readOnlyHint, idempotentHint } = flight.tool?.annotations ?? {};
    const isKeyed = flight.request.key !== undefined;
    const hasTwin = limits.twinTime > 0 && readOnlyHint !== true && idempotentHint !== true;
    if (flight.phase === "waiting" || limits.cutTime === 0 || !(isKeyed || hasTwin)) return abort();
    flight.stopCut = clock.after(limits.cutTime, abort);
    if (!isKeyed) recall.cutOff(flight);
  }

  function receive(tab: Tab, frame: FrameFromPage, payload: Payload): void {
    const flight = "id" in frame ? tab.flights.get(frame.id) : undefined;
    if (!flight || flight.phase === "waiting") return;
    switch (frame.type) {
      case "ack":
        return apply(flight, { event: "acked" });
      case "result":
        return apply(flight, {
          event: "answered",
          outcome: { outcome: frame.isError ? "tool-error" : "ok", ran: "yes", payload },
        });
      case "failure":
        return apply(flight, { event: "answered", outcome: failureFrom(frame) });
      case "progress":
        for (const listener of flight.listeners) listener.progress?.(frame.progress, frame.total, frame.message);
        return tell(flight, "progress", {
          progress: frame.progress,
          ...(frame.total === undefined ? {} : { total: frame.total }),
        });
      case "log":
        for (const listener of flight.listeners) listener.log?.(frame.level, payload, frame.logger);
        return;
      case "ask":
        return passOn(flight, frame, payload);
      default:
        return;
    }
  }

  function passOn(flight: Flight, frame: Extract<FrameFromPage, { type: "ask" }>, payload: Payload): void {
    if (flight.listeners.size === 0) return;
    for (const listener of flight.listeners) {
      if (listener.ask) return listener.ask(frame.ask, frame.method, payload);
    }
    const message = "The caller cannot ask its user.";
    flight.tab.delivery?.send({ type: "answer", id: flight.id, ask: frame.ask, code: "ask-unsupported", message });
  }

  function tell(flight: Flight, event: CallEvent["event"], more: Partial<CallEvent> = {}): void {
    options.onEvent(() => ({
      event,
      id: flight.id,
      method: flight.request.method,
      name: flight.name,
      tabId: flight.tab.tabId,
      app: flight.tab.app,
      agent: flight.caller.name,
      ...more,
    }));
  }

  return {
    begin,
    receive,
    tabChanged(tab, event) {
      for (const flight of [...tab.flights.values()]) apply(flight, { event });
    },
    tabReady(tab) {
      for (const flight of [...tab.flights.values()]) {
        if ((flight.phase === "waiting" || flight.phase === "in-doubt") && isReady(flight)) deliver(flight);
      }
    },
    tabReturned(tab, running) {
      for (const flight of [...tab.flights.values()]) if (flight.phase === "running") deliver(flight);
      tab.stopStrays();
      const strays = running.filter((id) => !tab.flights.has(id));
      if (strays.length === 0) return;
      tab.stopStrays = clock.after(limits.cutTime, () => {
        for (const id of strays)
          if (!tab.flights.has(id))
            tab.delivery?.send({ type: "cancel", id, reason: "Nobody waits for this call any more." });
      });
    },
  };
}

function endedAlready(listener: CallListener, outcome: Outcome): CallHandle {
  let open = true;
  queueMicrotask(() => {
    if (open) listener.ended(outcome);
    open = false;
  });
  const leave = () => {
    open = false;
  };
  return { id: "", cancel: () => {}, cut: leave, answer: () => {} };
}

/** Whether the page can be given this call: it is there, and if it was just reloaded, the tool is back as well. */
function isReady({ tab, request, name }: Flight): boolean {
  if (!tab.delivery || tab.state === "away") return false;
  return !tab.settling || request.method !== "tools/call" || tab.actual?.tools.has(name) === true;
}

const fromPages: readonly OutcomeName[] = [
  "tool-error",
  "rejected",
  "deadline-exceeded",
  "cancelled",
  "expired",
  "outcome-unknown",
];

/** What a page says of a failure, as far as a page may say it. */
function failureFrom({
  outcome,
  ran,
  code,
  message,
  retryAfter,
}: Extract<FrameFromPage, { type: "failure" }>): Outcome {
  return {
    outcome: fromPages.includes(outcome) ? outcome : "outcome-unknown",
    ran,
    code: isErrorCode(code) ? code : "internal-error",
    message,
    retryAfter,
  };
}

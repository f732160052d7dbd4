// Takes calls from their callers: finds those that repeat an earlier one, starts the others, and lets their callers go.
import type { Limits, Outcome, OutcomeName } from "../wire/index.ts";
import type { CallClock, CallHandle, CallListener, CallRequest } from "./call-request.ts";
import { createFlights } from "./flights.ts";
import type { Flights, FlightsOptions } from "./flights.ts";
import { end, rejection } from "./life.ts";
import type { Caller, Flight, Tab } from "./model.ts";
import type { Recall } from "./recall.ts";
import type { Returns } from "./returns.ts";

export interface Calls extends Pick<Flights, "receive" | "tabChanged" | "tabReady" | "tabReturned"> {
  begin(caller: Caller, request: CallRequest, listener: CallListener): CallHandle;
  /** Ends the calls that wait for tabs of an earlier run. */
  close(): void;
}

export interface CallsOptions extends Omit<FlightsOptions, "onStarted" | "onEnded"> {
  readonly clock: CallClock;
  readonly limits: Limits;
  readonly recall: Recall;
  readonly returns: Returns;
  /** Tells when the list of tabs or what they offer is different. */
  readonly onChange: (listener: () => void) => () => void;
  readonly onEnded: (outcome: OutcomeName) => void;
}

export function createCalls(options: CallsOptions): Calls {
  const { clock, limits, recall, returns } = options;
  const { start, deliver, apply, ...flights } = createFlights({
    ...options,
    onStarted: recall.started,
    onEnded(flight, outcome) {
      recall.ended(flight, outcome);
      // The ledger has what a key may ask for.
      if (!recall.canHaveTwin(flight)) forget(flight);
      options.onEnded(outcome.outcome);
    },
  });

  /** Ends each call that waits for a tab of an earlier run. */
  const waits = new Set<() => void>();

  function begin(caller: Caller, given: CallRequest, listener: CallListener): CallHandle {
    const unread = clock.unread?.() ?? 0;
    const request = unread > 0 ? { ...given, left: timeOf(given) - unread } : given;
    const hasDouble = limits.twinPause > 0 && recall.hasDouble(caller, request);
    if (!hasDouble) return beginNow(caller, request, listener);
    // An equal call still has its caller. If that one was cut off, the news may come a moment after the twin.
    return beginLater(request, listener, (go) =>
      clock.after(limits.twinPause, () => go(beginNow(caller, request, listener))),
    );
  }

  function timeOf({ left = limits.callTime }: CallRequest): number {
    return Math.min(left, limits.callTimeMost);
  }

  /** What the call lacks may be in a tab that is not back yet: it waits for that. */
  function beginWhenBack(caller: Caller, request: CallRequest, listener: CallListener): CallHandle {
    const full = overload(caller);
    if (full) return refuse(listener, full);
    const begunAt = clock.now();
    const left = timeOf(request);
    const wait = waitFor(caller, request);
    caller.inFlight++;
    return beginLater(request, listener, (go) => {
      const refuseLater = (outcome: Outcome) => {
        stop();
        go(refuse(listener, { ...outcome, ran: returns.ran(request) }));
      };
      const again = () => {
        stop();
        go(beginNow(caller, { ...request, left: left - (clock.now() - begunAt) }, listener));
      };
      const atEnd = () => (left > wait ? again() : refuseLater(notBack));
      const giveUp = () => refuseLater(closing);
      const stops = [
        clock.after(Math.min(wait, left), atEnd),
        options.onChange(() => waitFor(caller, request) === 0 && again()),
        () => waits.delete(giveUp),
        () => caller.inFlight--,
      ];
      const stop = () => {
        for (const each of stops.splice(0)) each();
      };
      waits.add(giveUp);
      return stop;
    });
  }

  function waitFor(caller: Caller, request: CallRequest): number {
    const route = options.route(request, caller);
    return "outcome" in route ? returns.timeFor(route.outcome) : 0;
  }

  /** Begins a call some time later, unless it is called off before. */
  function beginLater(request: CallRequest, listener: CallListener, plan: Plan): CallHandle {
    let handle: CallHandle | undefined;
    const stop = plan((begun) => (handle = begun));
    return {
      get id() {
        return handle?.id ?? "";
      },
      cancel(reason = cancelled) {
        if (handle) return handle.cancel(reason);
        stop();
        handle = endedAlready(listener, end("cancelled", returns.ran(request), reason));
      },
      cut() {
        stop();
        handle?.cut();
      },
      received: () => handle?.received(),
      answer: (ask, answer) => handle?.answer(ask, answer),
    };
  }

  function beginNow(caller: Caller, request: CallRequest, listener: CallListener): CallHandle {
    const earlier = recall.find(caller, request);
    if (earlier && "ran" in earlier) return endedAlready(listener, earlier);
    if (earlier) return join(earlier, request, listener);
    const route = options.route(request, caller);
    if ("outcome" in route) {
      if (returns.timeFor(route.outcome) > 0) return beginWhenBack(caller, request, listener);
      return refuse(listener, returns.asFarAsKnown(route.outcome, request));
    }
    if (timeOf(request) <= 0) return refuse(listener, { ...tooLate, ran: returns.ran(request) });
    const full = overload(caller, route.tab);
    return full ? refuse(listener, full) : handleOf(start({ caller, request, listener, aim: route }), listener);
  }

  /** Ends a call that goes nowhere. */
  function refuse(listener: CallListener, outcome: Outcome): CallHandle {
    options.onEnded(outcome.outcome);
    return endedAlready(listener, outcome);
  }

  function overload(caller: Caller, tab?: Tab): Outcome | undefined {
    const limit =
      caller.inFlight >= limits.callsPerAgent
        ? "callsPerAgent"
        : tab && tab.flights.size >= limits.callsPerTab
          ? "callsPerTab"
          : undefined;
    if (!limit) return undefined;
    return rejection(
      "calls-too-many",
      `Too many calls are running: the limit ${limit} is ${limits[limit]}. Try again in a second.`,
      1000,
    );
  }

  function join(flight: Flight, request: CallRequest, listener: CallListener): CallHandle {
    const { outcome } = flight;
    if (outcome) {
      const cameFrom = outcome.ran === "yes" ? flight.tab.tabId : undefined;
      return endedAlready(
        listener,
        { ...outcome, replay: true },
        { cameFrom, onCut: () => missed(flight), onReceived: () => forget(flight) },
      );
    }
    flight.stopCut();
    flight.listeners.add(listener);
    (flight.joined ??= new Map()).set(listener, request);
    if (flight.phase === "running") {
      queueMicrotask(() => flight.listeners.has(listener) && listener.acked?.(flight.tab.tabId));
    }
    askAgain(flight);
    return handleOf(flight, listener);
  }

  /** Another caller is to be asked now. Asked how the call stands, the page repeats the questions that are open. */
  function askAgain(flight: Flight): void {
    if (flight.phase === "running" && flight.request.asks?.length) deliver(flight);
  }

  function handleOf(flight: Flight, listener: CallListener): CallHandle {
    let isOver = false;
    const received = () => {
      if (!isOver && flight.outcome) forget(flight);
      isOver = true;
    };
    return {
      id: flight.id,
      cancel(reason = cancelled) {
        if (flight.outcome) return received();
        if (!flight.listeners.delete(listener)) return;
        isOver = true;
        if (flight.listeners.size > 0) {
          listener.ended(end("cancelled", "maybe", reason));
          askAgain(flight);
        } else {
          flight.listeners.add(listener);
          apply(flight, { event: "cancelled", message: reason });
        }
      },
      cut() {
        if (isOver) return;
        isOver = true;
        if (flight.outcome) missed(flight);
        else if (flight.listeners.delete(listener)) {
          if (flight.listeners.size === 0) orphan(flight);
          else askAgain(flight);
        }
      },
      received,
      answer(ask, answer) {
        const header = "payload" in answer ? {} : { code: answer.code, message: answer.message };
        const payload = "payload" in answer ? answer.payload : undefined;
        if (flight.phase === "running")
          flight.tab.delivery?.send({ type: "answer", id: flight.id, ask, ...header }, payload);
      },
    };
  }

  /** The call has ended, and its caller was cut off before it could be told: its twin is told instead. */
  function missed(flight: Flight): void {
    const { outcome, ran } = flight.outcome ?? {};
    if (ran !== "no" && outcome !== "cancelled" && recall.canHaveTwin(flight)) recall.cutOff(flight);
  }

  /** Nobody waits for this call any more: it runs on for a while, in case the caller comes back for it. */
  function orphan(flight: Flight): void {
    const abort = () => apply(flight, { event: "cancelled", message: "The caller went away and did not come back." });
    const isKeyed = flight.request.key !== undefined;
    if (flight.phase === "waiting" || limits.cutTime === 0 || !(isKeyed || recall.canHaveTwin(flight))) return abort();
    flight.stopCut = clock.after(limits.cutTime, abort);
    if (!isKeyed) recall.cutOff(flight);
  }

  return {
    begin,
    ...flights,
    close() {
      for (const giveUp of waits) giveUp();
    },
  };
}

/** Has a call begin later: is given what takes its handle then, and returns what calls it off. */
type Plan = (go: (handle: CallHandle) => void) => () => void;

const cancelled = "The caller cancelled the call.";
const closing = rejection("going-away", "The hub is stopping. Try again in a moment.", 1000);
const tooLate = end("deadline-exceeded", "no", "The call's time was up before it could be read; nothing ran.");
const notBack = end("deadline-exceeded", "no", "The tab that the call needs did not come back in time.");

interface EndedAlready {
  /** The tab that the outcome is from, where there is one. */
  readonly cameFrom?: string | undefined;
  readonly onCut?: () => void;
  readonly onReceived?: () => void;
}

function endedAlready(
  listener: CallListener,
  outcome: Outcome,
  { cameFrom, onCut, onReceived }: EndedAlready = {},
): CallHandle {
  let isOver = false;
  let untold: Outcome | undefined = outcome;
  queueMicrotask(() => {
    const ended = untold;
    untold = undefined;
    if (!ended) return;
    if (cameFrom !== undefined) listener.acked?.(cameFrom);
    listener.ended(ended);
  });
  return {
    id: "",
    cancel: () => {},
    cut() {
      if (isOver) return;
      isOver = true;
      untold = undefined;
      onCut?.();
    },
    received() {
      if (isOver) return;
      isOver = true;
      onReceived?.();
    },
    answer: () => {},
  };
}

/**
 * Lets go of what a call that has ended was given and gave. A large payload that is still referenced when its call has
 * grown old in memory stays until a full garbage collection, and many of them force one.
 */
function forget(flight: Flight): void {
  flight.arguments = "";
  flight.request = { ...flight.request, arguments: "" };
  if (flight.outcome) flight.outcome = { outcome: flight.outcome.outcome, ran: flight.outcome.ran };
}

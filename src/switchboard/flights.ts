// The calls in flight: it gives them to their tabs, applies the steps of life.ts to them, and keeps their timers.
// It chooses no tab and remembers no call that has ended.
import type { Clock } from "../link/index.ts";
import { isErrorCode, textOf } from "../wire/index.ts";
import type { CallEvent, FrameFromPage, Limits, Outcome, OutcomeName, Payload, Tool } from "../wire/index.ts";
import type { CallListener, CallRequest } from "./call-request.ts";
import { nextStep } from "./life.ts";
import type { LifeEvent } from "./life.ts";
import type { Caller, Flight, Tab } from "./model.ts";
import { toolOf } from "./tab.ts";

/** Where a call goes, and what the page is to be given. */
export interface Aim {
  readonly tab: Tab;
  readonly name: string;
  readonly arguments: Payload;
  readonly tool?: Tool;
}

/** Where a call goes, or the outcome that it has without going anywhere. */
export type Route = Aim | { readonly outcome: Outcome };

export interface Accepted {
  readonly caller: Caller;
  readonly request: CallRequest;
  readonly listener: CallListener;
  readonly aim: Aim;
}

export interface Flights {
  start(accepted: Accepted): Flight;
  /** Gives a call to its tab, or asks the tab how it stands. */
  deliver(flight: Flight): void;
  apply(flight: Flight, event: LifeEvent): void;
  /** A frame about a call, from the tab it was given to. */
  receive(tab: Tab, frame: FrameFromPage, payload: Payload): void;
  /** Something happened to a tab, and so to every call on it. */
  tabChanged(tab: Tab, event: "tab-cut" | "tab-left" | "tab-gone" | "tab-suspended"): void;
  /** A tab may have what it needs for some of the calls that it has not taken. */
  tabReady(tab: Tab): void;
  /** A page is back and works on these calls; those that nobody waits for any more are called off. */
  tabReturned(tab: Tab, running: readonly string[]): void;
}

export interface FlightsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly route: (request: CallRequest, caller: Caller) => Route;
  readonly onStarted: (flight: Flight) => void;
  readonly onEnded: (flight: Flight, outcome: Outcome) => void;
  /** Hears of every moment of every call. */
  readonly onEvent: (event: () => CallEvent) => void;
}

export function createFlights(options: FlightsOptions): Flights {
  const { clock, limits } = options;
  /** Calls whose tab is away, or has not got its tool back yet. */
  const waiting = new Set<Flight>();

  function start({ caller, request, listener, aim }: Accepted): Flight {
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    const startedAt = clock.now();
    const flight: Flight = {
      id: options.newId(),
      caller,
      request,
      name: aim.name,
      arguments: aim.arguments,
      tab: aim.tab,
      tool: aim.tool,
      epoch: undefined,
      startedAt,
      deadline: startedAt + left,
      phase: "waiting",
      outcome: undefined,
      listeners: new Set([listener]),
      joined: undefined,
      stopDeadline: clock.after(left, () => apply(flight, { event: "deadline" })),
      stopCut: nothing,
    };
    caller.inFlight++;
    flight.tab.flights.set(flight.id, flight);
    options.onStarted(flight);
    tell(flight, "started");
    if (flight.tab.state === "suspended") queueMicrotask(() => apply(flight, { event: "tab-suspended" }));
    else if (isReady(flight)) deliver(flight);
    else waiting.add(flight);
    return flight;
  }

  function deliver(flight: Flight): void {
    const { id, request, name, deadline, phase } = flight;
    const { method, key, asks, rounds, input } = request;
    const { name: agent, version } = flight.caller;
    const now = clock.now();
    // A page that is only asked for a call remembers it from before.
    if (phase !== "running") flight.epoch = flight.tab.epochs.at(-1);
    flight.tab.delivery?.send(
      {
        type: "call",
        id,
        method,
        name,
        left: Math.max(0, Math.round(deadline - now)),
        at: Math.round(now),
        agent: { name: agent, version },
        key,
        asks: asks?.length ? asks : undefined,
        resume: phase === "running" || undefined,
        rounds: rounds || undefined,
        input: input === undefined ? undefined : true,
        epoch: flight.tab.epochs.at(-1),
      },
      input === undefined ? flight.arguments : withInput(flight.arguments, input),
    );
    waiting.delete(flight);
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
      flight.tab.delivery?.send({ type: "cancel", id: flight.id, reason: outcome.message });
    }
    conclude(flight, outcome);
  }

  function conclude(flight: Flight, outcome: Outcome): void {
    waiting.delete(flight);
    flight.stopDeadline();
    flight.stopCut();
    flight.tab.flights.delete(flight.id);
    flight.caller.inFlight--;
    flight.outcome = outcome;
    options.onEnded(flight, outcome);
    tell(flight, "ended", { outcome: outcome.outcome, milliseconds: clock.now() - flight.startedAt });
    for (const listener of flight.listeners) {
      listener.ended(flight.joined?.has(listener) ? { ...outcome, replay: true } : outcome);
    }
    flight.listeners.clear();
  }

  /** Takes a waiting call to another tab, where there is one now that can take it; says whether it did. */
  function moveOn(flight: Flight): boolean {
    const aim = options.route(flight.request, flight.caller);
    if ("outcome" in aim || aim.tab === flight.tab || aim.tab.state !== "connected") return false;
    if (aim.tab.flights.size >= limits.callsPerTab) return false;
    flight.tab.flights.delete(flight.id);
    flight.name = aim.name;
    flight.arguments = aim.arguments;
    flight.tool = aim.tool;
    flight.tab = aim.tab;
    flight.tab.flights.set(flight.id, flight);
    if (isReady(flight)) deliver(flight);
    return true;
  }

  function receive(tab: Tab, frame: FrameFromPage, payload: Payload): void {
    const flight = "id" in frame ? tab.flights.get(frame.id) : undefined;
    if (!flight || flight.phase === "waiting") return;
    switch (frame.type) {
      case "ack":
        return apply(flight, { event: "acked" });
      case "result":
        return apply(flight, { event: "answered", outcome: resultFrom(flight.request, frame, payload) });
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
    // Whoever came last is there: an earlier caller that was cut off may not be known to be gone.
    for (const listener of [...flight.listeners].reverse()) {
      const { asks } = flight.joined?.get(listener) ?? flight.request;
      if (asks?.includes(frame.method) && listener.ask) return listener.ask(frame.ask, frame.method, payload);
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
    start,
    deliver,
    apply,
    receive,
    tabChanged(tab, event) {
      for (const flight of tab.flights.values()) {
        const stays = event === "tab-gone" && flight.phase === "waiting" && moveOn(flight);
        if (!stays) apply(flight, { event });
      }
    },
    tabReady(tab) {
      for (const flight of tab.flights.values()) {
        if (isTaken(flight)) continue;
        // The document that would have taken it is gone, and this one does not offer the tool to this caller.
        if (isWithheld(flight)) apply(flight, { event: "tab-gone" });
        else if (isReady(flight)) deliver(flight);
      }
      for (const flight of [...waiting]) if (flight.tab.state === "away") moveOn(flight);
    },
    tabReturned(tab, running) {
      const isRemembered = ({ id, epoch = "" }: Flight) => tab.epochs.includes(epoch) || running.includes(id);
      for (const flight of tab.flights.values()) {
        if (!isRemembered(flight)) apply(flight, { event: "tab-forgot" });
        else if (flight.phase === "running") deliver(flight);
      }
      tab.stopStrays();
      const strays = running.filter((id) => !tab.flights.has(id));
      if (strays.length > 0) tab.stopStrays = clock.after(limits.cutTime, () => callOff(tab, strays));
    },
  };
}

/** In the place of what is not there to be called off. */
function nothing(): void {}

function callOff(tab: Tab, strays: readonly string[]): void {
  for (const id of strays) {
    if (!tab.flights.has(id))
      tab.delivery?.send({ type: "cancel", id, reason: "Nobody waits for this call any more." });
  }
}

/** Whether the page can be given this call: it is there, and if it was just reloaded, the tool is back as well. */
function isReady({ tab, request, name, caller }: Flight): boolean {
  if (!tab.delivery || tab.state === "away") return false;
  return !tab.settling || request.method !== "tools/call" || toolOf(tab.actual, name, caller) !== undefined;
}

/** Whether the page has the call, or will have. One that was sent before the page's epoch changed is passed over. */
function isTaken({ phase, epoch, tab }: Flight): boolean {
  return phase === "running" || ((phase === "sent" || phase === "sent-again") && epoch === tab.epochs.at(-1));
}

/** Whether the tool of a call that waited is for terminals only by now, and its caller is none. */
function isWithheld({ tab, request, name, caller }: Flight): boolean {
  return request.method === "tools/call" && !caller.isTerminal && tab.actual?.terminalTools.has(name) === true;
}

const fromPages: readonly OutcomeName[] = [
  "tool-error",
  "rejected",
  "deadline-exceeded",
  "cancelled",
  "expired",
  "outcome-unknown",
];

/** The arguments together with what the caller answered; both are JSON objects. */
function withInput(given: Payload, input: string): string {
  return `{"arguments":${textOf(given) || "{}"},${input.slice(1)}`;
}

type ResultFrame = Extract<FrameFromPage, { type: "result" }>;

function resultFrom({ rounds }: CallRequest, { isError, inputRequired }: ResultFrame, payload: Payload): Outcome {
  if (!inputRequired) return { outcome: isError ? "tool-error" : "ok", ran: "yes", payload };
  if (rounds) return { outcome: "ok", ran: "yes", payload, inputRequired };
  const message = "The page answered with questions, which this caller does not take.";
  return { outcome: "tool-error", ran: "yes", code: "output-invalid", message };
}

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

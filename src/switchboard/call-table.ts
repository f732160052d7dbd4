// The calls in flight, from their callers to their tabs, and their outcomes on the way back. It applies the steps of
// call-life.ts and runs their timers. It chooses no tab and forgets calls that have ended.
import type { Clock } from "../link/index.ts";
import { textOf } from "../wire/index.ts";
import type { CallEvent, FrameFromPage, SwitchboardLimits, Outcome, OutcomeName, Payload } from "../wire/index.ts";
import { createHandles, forget } from "./call-handles.ts";
import { failureFrom, nextStep, resultFrom } from "./call-life.ts";
import type { LifeEvent } from "./call-life.ts";
import { isReady, isTaken, isWithheld } from "./directory.ts";
import type { Aim, Asked, Call, CallEnds, CallHandle, CallRequest, Caller, Route, Tab } from "./types.ts";
import type { CallBudget } from "./call-budget.ts";
import type { PolicyGate } from "./policy-gate.ts";
import type { Duplicates } from "./duplicates.ts";
import type { Written } from "./key-ledger.ts";
import type { ResultParts } from "./result-parts.ts";
import type { Keys } from "./written-keys.ts";

export interface CallTable {
  start(asked: Asked, aim: Aim, written?: Written): CallHandle;
  join(call: Call, asked: Asked): CallHandle;
  /** A frame about a call, from the tab that received the call. */
  receive(tab: Tab, frame: FrameFromPage, payload: Payload): void;
  /** Something happened to a tab, and so to all its calls. */
  tabChanged(tab: Tab, event: "tab-cut" | "tab-left" | "tab-gone" | "tab-suspended"): void;
  /** A tab may now be ready for some of the calls that wait for it. */
  tabReady(tab: Tab): void;
  /** A page is back and runs these calls; those without a caller are cancelled. */
  tabReturned(tab: Tab, running: readonly string[]): void;
  close(): void;
}

export interface CallTableOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly newId: () => string;
  /** All tabs with calls. */
  readonly tabs: ReadonlyMap<string, Tab>;
  readonly route: (request: CallRequest, caller: Caller) => Route;
  /** The part of an outcome that is sent first; by default all of it. */
  readonly first: ResultParts["first"] | undefined;
  readonly duplicates: Duplicates;
  readonly budget: CallBudget;
  readonly keys: Pick<Keys, "write" | "settle"> | undefined;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
  /** They receive every event of every call. */
  readonly watchers: ReadonlySet<(event: CallEvent) => void>;
  readonly ends: Omit<CallEnds, "told">;
  readonly gate: Pick<PolicyGate, "unaskedFor"> | undefined;
}

export function createCallTable(options: CallTableOptions): CallTable {
  const { clock, limits, duplicates, budget, keys, outcomes, watchers, ends, gate } = options;
  /** Calls whose tab is away or does not offer the tool again yet. */
  const waiting = new Set<Call>();
  const { handleOf, join, ask } = createHandles({ clock, limits, duplicates, apply, deliver, ends });
  /** When the timer for deadlines runs; never later than the next deadline. */
  let wakesAt = Infinity;
  let stopTimer = () => {};

  function start({ caller, request, listener }: Asked, aim: Aim, written?: Written): CallHandle {
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    const startedAt = clock.now();
    const waiter = { listener, asks: request.asks, isReplay: false };
    const call: Call = {
      id: options.newId(),
      caller,
      request,
      aim,
      epoch: written?.phase && written.epoch,
      startedAt,
      deadline: startedAt + left,
      phase: written?.phase ?? "waiting",
      bytes: request.arguments.length,
      outcome: undefined,
      waiters: [waiter],
      written,
      writing: undefined,
      unkeyed: undefined,
      stopCut: undefined,
    };
    caller.inFlight++;
    budget.began(call.bytes);
    aim.tab.calls[call.id] = call;
    aim.tab.inFlight++;
    if (call.deadline < wakesAt) wakeAt(call.deadline);
    duplicates.started(call);
    if (watchers.size > 0) announce(call, "started");
    if (aim.tab.state === "suspended") queueMicrotask(() => apply(call, { event: "tab-suspended" }));
    else if (isReady(call)) deliver(call, startedAt);
    // A call that an earlier process sent to its tab goes to no other.
    else if (call.phase === "waiting") waiting.add(call);
    return handleOf(call, waiter);
  }

  /** One timer for all calls: nearly every call ends before its deadline, and a timer per call costs more than most steps. */
  function wakeAt(at: number): void {
    stopTimer();
    wakesAt = at;
    stopTimer = clock.after(at - clock.now(), endLate);
  }

  function endLate(): void {
    const now = clock.now();
    const calls = [...options.tabs.values()].flatMap((tab) => Object.values(tab.calls));
    wakesAt = Infinity;
    const next = calls.reduce((least, { deadline }) => (deadline > now ? Math.min(least, deadline) : least), Infinity);
    if (next < Infinity) wakeAt(next);
    for (const call of calls) if (call.deadline <= now) apply(call, { event: "deadline" });
  }

  /** Sends a call to its tab, or asks the tab about it. */
  function deliver(call: Call, now = clock.now()): void {
    const { id, caller, request, aim, phase } = call;
    // The call is sent once its key is written to the ledger.
    if (call.writing) return;
    const writing = call.written && phase !== "running" ? keys?.write(call) : undefined;
    if (writing) return void deliverWritten(call, writing);
    const { method, key, asks, rounds, input, trace } = request;
    const approve = aim.rule?.decision === "ask" && request.decidedBy !== "user";
    if (approve && phase !== "running" && !aim.tab.approves && gate)
      return apply(call, { event: "refused", refusal: gate.unaskedFor(aim) });
    const epoch = aim.tab.epochs.at(-1);
    // A running call keeps the epoch that it was sent in.
    if (phase !== "running") call.epoch = epoch;
    aim.tab.delivery?.send(
      {
        type: "call",
        id,
        method,
        name: aim.name,
        left: Math.max(0, Math.round(call.deadline - now)),
        at: Math.round(now),
        agent: { name: caller.name, version: caller.version },
        key,
        asks: asks?.length ? asks : undefined,
        resume: phase === "running" || undefined,
        rounds: rounds || undefined,
        approve: approve || undefined,
        input: input === undefined ? undefined : true,
        epoch,
        trace,
      },
      // Both are JSON objects.
      input === undefined ? aim.arguments : `{"arguments":${textOf(aim.arguments) || "{}"},${input.slice(1)}`,
    );
    waiting.delete(call);
    apply(call, { event: "sent" });
  }

  /** Sends a call to its tab once the ledger has its key for that tab. */
  async function deliverWritten(call: Call, writing: NonNullable<Call["writing"]>): Promise<void> {
    call.writing = writing;
    const written = await writing;
    call.writing = undefined;
    if (call.phase === "ended") return;
    if (typeof written === "function") return apply(call, { event: "refused", refusal: written });
    call.written = written;
    if (isReady(call) && !isTaken(call)) deliver(call);
    else if (call.phase === "waiting") waiting.add(call);
  }

  function apply(call: Call, event: LifeEvent): void {
    const before = call.phase;
    const { phase, outcome } = nextStep(before, event);
    call.phase = phase;
    if (phase === "running" && before !== "running") {
      for (const { listener } of [...call.waiters]) listener.acked?.(call.aim.tab.tabId);
      if (watchers.size > 0) announce(call, "acked");
    }
    if (!outcome) return;
    if (before !== "waiting" && (event.event === "deadline" || event.event === "cancelled")) {
      call.aim.tab.delivery?.send({ type: "cancel", id: call.id, reason: outcome.message });
    }
    end(call, outcome);
  }

  function end(call: Call, whole: Outcome): void {
    const { caller, aim } = call;
    ends.ended(call, whole, call);
    // The tool's `_meta` has the size of a part of a result.
    const outcome = (aim.tool?._meta && options.first?.(whole, aim.tool, aim.tab.tabId)) ?? whole;
    call.phase = "ended";
    waiting.delete(call);
    call.stopCut?.();
    delete aim.tab.calls[call.id];
    aim.tab.inFlight--;
    caller.inFlight--;
    budget.ended(call.bytes);
    const { key } = call.request;
    if (!call.written || !keys || key === undefined) return tell(call, outcome);
    // In order, or the ledger would treat the call of this key as still running.
    const settled = Promise.resolve(call.writing).then(() => keys.settle(key, outcome, call.written));
    void settled.then((told) => tell(call, told));
  }

  function tell(call: Call, outcome: Outcome): void {
    call.outcome = outcome;
    duplicates.ended(call, outcome);
    // `duplicates` keeps the outcomes of keyed calls.
    if (!call.unkeyed) forget(call);
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    if (watchers.size > 0)
      announce(call, "ended", { outcome: outcome.outcome, milliseconds: clock.now() - call.startedAt });
    for (const { listener, isReplay } of call.waiters.splice(0))
      listener.ended(isReplay ? { ...outcome, replay: true } : outcome);
  }

  function receive(tab: Tab, frame: FrameFromPage, payload: Payload): void {
    const call = "id" in frame ? tab.calls[frame.id] : undefined;
    if (!call || call.phase === "waiting") return;
    switch (frame.type) {
      case "ack":
        return apply(call, { event: "acked" });
      case "result":
        return apply(call, { event: "answered", outcome: resultFrom(frame, payload, call.request.rounds) });
      case "failure":
        return apply(call, { event: "answered", outcome: failureFrom(frame) });
      case "progress": {
        const { progress, total, message } = frame;
        for (const { listener } of [...call.waiters]) listener.progress?.(progress, total, message);
        if (watchers.size > 0) announce(call, "progress", { progress, ...(total === undefined ? {} : { total }) });
        return;
      }
      case "log":
        for (const { listener } of [...call.waiters]) listener.log?.(frame.level, payload, frame.logger);
        return;
      case "ask":
        return ask(call, frame, payload);
      default:
        return;
    }
  }

  function announce(call: Call, event: CallEvent["event"], more: Partial<CallEvent> = {}): void {
    const { id, request, aim, caller } = call;
    const { tabId, app } = aim.tab;
    const said = { event, id, method: request.method, name: aim.name, tabId, app, agent: caller.name, ...more };
    for (const watcher of watchers) watcher(said);
  }

  /** Moves a waiting call to another tab that can take it now; returns whether it did. */
  function moveOn(call: Call): boolean {
    const aim = options.route(call.request, call.caller);
    if ("outcome" in aim || aim.tab === call.aim.tab || aim.tab.state !== "connected") return false;
    if (aim.tab.inFlight >= limits.callsPerTab) return false;
    delete call.aim.tab.calls[call.id];
    call.aim.tab.inFlight--;
    call.aim = aim;
    aim.tab.calls[call.id] = call;
    aim.tab.inFlight++;
    if (isReady(call)) deliver(call);
    return true;
  }

  return {
    start,
    join,
    receive,
    tabChanged(tab, event) {
      for (const call of Object.values(tab.calls)) {
        const stays = event === "tab-gone" && call.phase === "waiting" && moveOn(call);
        if (!stays) apply(call, { event });
      }
    },
    tabReady(tab) {
      for (const call of Object.values(tab.calls)) {
        if (isTaken(call)) continue;
        // The document that was to take the call is gone, and this one does not offer the tool to this caller.
        if (isWithheld(call)) apply(call, { event: "tab-gone" });
        else if (isReady(call)) deliver(call);
      }
      for (const call of [...waiting]) if (call.aim.tab.state === "away") moveOn(call);
    },
    tabReturned(tab, running) {
      for (const call of Object.values(tab.calls)) {
        const isRemembered = tab.epochs.includes(call.epoch ?? "") || running.includes(call.id);
        if (!isRemembered) apply(call, { event: "tab-forgot" });
        else if (call.phase === "running") deliver(call);
      }
      tab.stopOrphans?.();
      const orphans = running.filter((id) => !(id in tab.calls));
      if (orphans.length === 0) return;
      const reason = "Nobody waits for this call any more.";
      tab.stopOrphans = clock.after(limits.cutTime, () => {
        for (const id of orphans) if (!(id in tab.calls)) tab.delivery?.send({ type: "cancel", id, reason });
      });
    },
    close: () => stopTimer(),
  };
}

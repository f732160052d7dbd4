// The calls in flight, from their callers to their tabs, and their outcomes on the way back. It applies the steps of
// call-life.ts and runs their timers. It chooses no tab and forgets calls that have ended.
import { allowQuestion, textOf } from "../wire/index.ts";
import type { CallEvent, FrameFromPage, Outcome, OutcomeName, Payload } from "../wire/index.ts";
import { Callers, forget } from "./call-handles.ts";
import type { CallersOptions } from "./call-handles.ts";
import { failureFrom, nextStep, resultFrom } from "./call-life.ts";
import type { LifeEvent } from "./call-life.ts";
import { addToTab, createCallDeadlines, frameOf, isReady, isTaken, isWithheld, removeFromTab } from "./tab-calls.ts";
import type { CallDeadlines } from "./tab-calls.ts";
import type { Aim, Asked, Call, CallHandle, CallRequest, Caller, Route, Tab } from "./types.ts";
import type { CallEnds } from "./call-ends.ts";
import type { CallBudget } from "./call-budget.ts";
import type { PolicyGate } from "./policy-gate.ts";
import type { Written } from "./key-ledger.ts";
import type { ResultParts } from "./result-parts.ts";
import type { Keys } from "./written-keys.ts";

export interface CallTableOptions extends CallersOptions {
  readonly newId: () => string;
  readonly tabs: ReadonlyMap<string, Tab>;
  readonly route: (request: CallRequest, caller: Caller) => Route;
  /** The part of an outcome that is sent first; by default all of it. */
  readonly first: ResultParts["first"] | undefined;
  readonly budget: CallBudget;
  readonly keys: Pick<Keys, "write" | "settle"> | undefined;
  readonly outcomes: Partial<Record<OutcomeName, number>>;
  /** They receive every event of every call. */
  readonly watchers: ReadonlySet<(event: CallEvent) => void>;
  readonly ends: Omit<CallEnds, "wrap">;
  readonly gate: Pick<PolicyGate, "unaskedFor"> | undefined;
}

export class CallTable {
  readonly #options: CallTableOptions;
  readonly #callers: Callers;
  /** Calls whose tab is away or does not offer the tool again yet. */
  readonly #waiting = new Set<Call>();
  readonly #deadlines: CallDeadlines;

  constructor(options: CallTableOptions) {
    this.#options = options;
    this.#callers = new Callers(this, options);
    this.#deadlines = createCallDeadlines(options, (call) => this.apply(call, { event: "deadline" }));
  }

  start({ caller, request, listener }: Asked, aim: Aim, written?: Written): CallHandle {
    const { clock, limits, newId, budget, duplicates, watchers } = this.#options;
    const startedAt = clock.now();
    const waiter = { listener, asks: request.asks, isReplay: false };
    const call: Call = {
      id: newId(),
      caller,
      request,
      aim,
      epoch: written?.phase && written.epoch,
      startedAt,
      deadline: startedAt + Math.min(request.left ?? limits.callTime, limits.callTimeMost),
      phase: written?.phase ?? "waiting",
      bytes: request.arguments.length,
      outcome: undefined,
      waiters: [waiter],
      written,
      writing: undefined,
      unkeyed: undefined,
      stopCut: undefined,
      times: undefined,
    };
    caller.inFlight++;
    budget.began(call.bytes);
    addToTab(call);
    this.#deadlines.add(call);
    duplicates.started(call);
    if (watchers.size > 0) this.#announce(call, "started");
    if (aim.tab.state === "suspended") queueMicrotask(() => this.apply(call, { event: "tab-suspended" }));
    else if (isReady(call)) this.deliver(call, startedAt);
    // A call that an earlier process sent to its tab goes to no other.
    else if (call.phase === "waiting") this.#waiting.add(call);
    return this.#callers.handleOf(call, waiter);
  }

  join(call: Call, asked: Asked): CallHandle {
    return this.#callers.join(call, asked);
  }

  /** A frame about a call, from the tab that received the call. */
  receive(tab: Tab, frame: FrameFromPage, payload: Payload): void {
    const call = "id" in frame ? tab.calls[frame.id] : undefined;
    if (!call || call.phase === "waiting") return;
    switch (frame.type) {
      case "ack":
        return this.apply(call, { event: "acked" });
      case "result":
        return this.apply(call, { event: "answered", outcome: resultFrom(frame, payload, call.request.rounds) });
      case "failure":
        return this.apply(call, { event: "answered", outcome: failureFrom(frame) });
      case "progress": {
        const { progress, total, message } = frame;
        this.#options.ends.stepped?.(call, "report");
        for (const { listener } of [...call.waiters]) listener.progress?.(progress, total, message);
        if (this.#options.watchers.size > 0)
          this.#announce(call, "progress", { progress, ...(total === undefined ? {} : { total }) });
        return;
      }
      case "log":
        for (const { listener } of [...call.waiters]) listener.log?.(frame.level, payload, frame.logger);
        return;
      case "ask":
        // The name of the policy's own question: no page asks in its words.
        if (frame.ask === allowQuestion && !frame.inPage) return;
        if (!frame.inPage) return this.#callers.ask(call, frame, payload);
        return this.#options.ends.inPage?.(call, frame, payload);
      default:
        return this.#options.ends.inPage?.(call, frame, payload);
    }
  }

  /** Something happened to a tab, and so to all its calls. */
  tabChanged(tab: Tab, event: "tab-cut" | "tab-left" | "tab-gone" | "tab-suspended"): void {
    for (const call of Object.values(tab.calls)) {
      const stays = event === "tab-gone" && call.phase === "waiting" && this.#moveOn(call);
      if (!stays) this.apply(call, { event });
    }
  }

  /** A tab may now be ready for some of the calls that wait for it. */
  tabReady(tab: Tab): void {
    for (const call of Object.values(tab.calls)) {
      if (isTaken(call)) continue;
      // The document that was to take the call is gone, and this one does not offer the tool to this caller.
      if (isWithheld(call)) this.apply(call, { event: "tab-gone" });
      else if (isReady(call)) this.deliver(call);
    }
    for (const call of [...this.#waiting]) if (call.aim.tab.state === "away") this.#moveOn(call);
  }

  /** A page is back and runs these calls; those without a caller are cancelled. */
  tabReturned(tab: Tab, running: readonly string[]): void {
    for (const call of Object.values(tab.calls)) {
      const isRemembered = tab.epochs.includes(call.epoch ?? "") || running.includes(call.id);
      if (!isRemembered) this.apply(call, { event: "tab-forgot" });
      else if (call.phase === "running") this.deliver(call);
    }
    tab.stopOrphans?.();
    const orphans = running.filter((id) => !(id in tab.calls));
    if (orphans.length === 0) return;
    const { clock, limits } = this.#options;
    const reason = "Nobody waits for this call any more.";
    tab.stopOrphans = clock.after(limits.cutTime, () => {
      for (const id of orphans) if (!(id in tab.calls)) tab.delivery?.send({ type: "cancel", id, reason });
    });
  }

  close(): void {
    this.#deadlines.close();
  }

  /** Sends a call to its tab, or asks the tab about it. */
  deliver(call: Call, now = this.#options.clock.now()): void {
    const { aim, phase, request } = call;
    // The call is sent once its key is written to the ledger.
    if (call.writing) return;
    const { gate, keys } = this.#options;
    const writing = call.written && phase !== "running" ? keys?.write(call) : undefined;
    if (writing) return void this.#deliverWritten(call, writing);
    const approve = aim.rule?.decision === "ask" && request.decidedBy !== "user";
    if (approve && phase !== "running" && !aim.tab.approves && gate)
      return this.apply(call, { event: "refused", refusal: gate.unaskedFor(aim) });
    // A running call keeps the epoch that it was sent in.
    if (phase !== "running") call.epoch = aim.tab.epochs.at(-1);
    const { input } = request;
    aim.tab.delivery?.send(
      frameOf(call, now, approve),
      // Both are JSON objects.
      input === undefined ? aim.arguments : `{"arguments":${textOf(aim.arguments) || "{}"},${input.slice(1)}`,
    );
    this.#waiting.delete(call);
    this.apply(call, { event: "sent" });
  }

  /** Applies an event to a call: its next phase, and its end if that is it. */
  apply(call: Call, event: LifeEvent): void {
    const before = call.phase;
    const { phase, outcome } = nextStep(before, event);
    call.phase = phase;
    this.#options.ends.stepped?.(call, before);
    if (phase === "running" && before !== "running") {
      for (const { listener } of [...call.waiters]) listener.acked?.(call.aim.tab.tabId);
      if (this.#options.watchers.size > 0) this.#announce(call, "acked");
    }
    if (!outcome) return;
    if (before !== "waiting" && (event.event === "deadline" || event.event === "cancelled")) {
      call.aim.tab.delivery?.send({ type: "cancel", id: call.id, reason: outcome.message });
    }
    this.#end(call, outcome);
  }

  /** Sends a call to its tab once the ledger has its key for that tab. */
  async #deliverWritten(call: Call, writing: NonNullable<Call["writing"]>): Promise<void> {
    call.writing = writing;
    const written = await writing;
    call.writing = undefined;
    if (call.phase === "ended") return;
    if (typeof written === "function") return this.apply(call, { event: "refused", refusal: written });
    call.written = written;
    if (isReady(call) && !isTaken(call)) this.deliver(call);
    else if (call.phase === "waiting") this.#waiting.add(call);
  }

  #end(call: Call, whole: Outcome): void {
    const { ends, first, budget, keys } = this.#options;
    const { caller, aim } = call;
    ends.ended(call, whole, call);
    // The tool's `_meta` has the size of a part of a result.
    const outcome = (aim.tool?._meta && first?.(whole, aim.tool, aim.tab.tabId)) ?? whole;
    call.phase = "ended";
    this.#waiting.delete(call);
    call.stopCut?.();
    removeFromTab(call);
    caller.inFlight--;
    budget.ended(call.bytes);
    const { key } = call.request;
    if (!call.written || !keys || key === undefined) return this.#report(call, outcome);
    // In order, or the ledger would treat the call of this key as still running.
    const settled = Promise.resolve(call.writing).then(() => keys.settle(key, outcome, call.written));
    void settled.then((saved) => this.#report(call, saved));
  }

  /** Gives its outcome to a call's callers. */
  #report(call: Call, outcome: Outcome): void {
    const { clock, duplicates, outcomes, watchers } = this.#options;
    call.outcome = outcome;
    duplicates.ended(call, outcome);
    // `duplicates` keeps the outcomes of keyed calls.
    if (!call.unkeyed) forget(call);
    outcomes[outcome.outcome] = (outcomes[outcome.outcome] ?? 0) + 1;
    if (watchers.size > 0)
      this.#announce(call, "ended", { outcome: outcome.outcome, milliseconds: clock.now() - call.startedAt });
    for (const { listener, isReplay } of call.waiters.splice(0))
      listener.ended(isReplay ? { ...outcome, replay: true } : outcome);
  }

  #announce(call: Call, event: CallEvent["event"], more?: Partial<CallEvent>): void {
    const { id, request, aim, caller } = call;
    const { tabId, app } = aim.tab;
    const all = { event, id, method: request.method, name: aim.name, tabId, app, agent: caller.name, ...more };
    for (const watcher of this.#options.watchers) watcher(all);
  }

  /** Moves a waiting call to another tab that can take it now; returns whether it did. */
  #moveOn(call: Call): boolean {
    const { route, limits } = this.#options;
    const aim = route(call.request, call.caller);
    if ("outcome" in aim || aim.tab === call.aim.tab || aim.tab.state !== "connected") return false;
    if (aim.tab.inFlight >= limits.callsPerTab) return false;
    removeFromTab(call);
    call.aim = aim;
    addToTab(call);
    if (isReady(call)) this.deliver(call);
    return true;
  }
}

// The calls that tabs have: which a page can take, has taken or may not take, what is sent to it, and which calls are late.
import type { Clock } from "../link/index.ts";
import type { FrameToPage } from "../wire/index.ts";
import { toolOf } from "./directory.ts";
import type { Call, Tab } from "./types.ts";

export function addToTab(call: Call): void {
  const { tab } = call.aim;
  tab.calls[call.id] = call;
  tab.inFlight++;
}

export function removeFromTab(call: Call): void {
  const { tab } = call.aim;
  delete tab.calls[call.id];
  tab.inFlight--;
}

/** Whether the page can take this call: it is connected, and after a reload it offers the tool again. */
export function isReady({ aim: { tab, name }, request, caller }: Call): boolean {
  if (!tab.delivery || tab.state === "away") return false;
  return !tab.settling || request.method !== "tools/call" || toolOf(tab.actual, name, caller) !== undefined;
}

/** Whether the page has the call, or will have it. A call that was sent before the page's epoch changed was missed. */
export function isTaken({ phase, epoch, aim: { tab } }: Call): boolean {
  return phase === "running" || ((phase === "sent" || phase === "sent-again") && epoch === tab.epochs.at(-1));
}

/** Whether this caller may no longer use the tool of a waiting call: a person must accept it first, or only terminals may. */
export function isWithheld({ aim: { tab, name }, request, caller }: Call): boolean {
  if (request.method !== "tools/call") return false;
  return (
    tab.actual?.withheld?.has(name) === true || (!caller.isTerminal && tab.actual?.terminalTools.has(name) === true)
  );
}

/** The frame that gives a call to its page, or asks the page about it. */
export function frameOf(call: Call, now: number, approve: boolean): Extract<FrameToPage, { type: "call" }> {
  const { id, caller, aim, phase } = call;
  const { method, key, asks, rounds, input, trace } = call.request;
  return {
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
    epoch: aim.tab.epochs.at(-1),
    trace,
  };
}

export interface CallDeadlines {
  add(call: Call): void;
  close(): void;
}

/** One timer for all calls: nearly every call ends before its deadline, and a timer per call costs more than most steps. */
export function createCallDeadlines(
  { clock, tabs }: { readonly clock: Clock; readonly tabs: ReadonlyMap<string, Tab> },
  expire: (call: Call) => void,
): CallDeadlines {
  /** When the timer runs; never later than the next deadline. */
  let wakesAt = Infinity;
  let stopTimer = () => {};

  function wakeAt(at: number): void {
    stopTimer();
    wakesAt = at;
    stopTimer = clock.after(at - clock.now(), wake);
  }

  function wake(): void {
    const now = clock.now();
    const calls = [...tabs.values()].flatMap((tab) => Object.values(tab.calls));
    wakesAt = Infinity;
    const next = calls.reduce((first, { deadline }) => (deadline > now ? Math.min(first, deadline) : first), Infinity);
    if (next < Infinity) wakeAt(next);
    for (const call of calls) if (call.deadline <= now) expire(call);
  }

  return {
    add({ deadline }) {
      if (deadline < wakesAt) wakeAt(deadline);
    },
    close: () => stopTimer(),
  };
}

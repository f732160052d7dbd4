// Keyed calls, as far as a ledger outlives the process: a key is written down before its call is given to a tab, and the
// outcome before it is told. What an earlier process wrote is asked of the tab that it names, and never run again where that
// tab's memory may not reach back to it. One key is looked up by one call at a time.
import type { Clock } from "../link/index.ts";
import type { Outcome, Ran, SwitchboardLimits } from "../wire/index.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, isOfPolicy, rejection } from "./call-life.ts";
import { conflict, usedUp } from "./duplicates.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { KeyLedger, UsedKey, Written } from "./key-ledger.ts";
import type { Returns, WaitNeeds } from "./returns.ts";
import type { Again, Aim, Asked, Call, CallHandle, CallRequest, Decision, Stage, Tab } from "./types.ts";

export interface KeysOptions {
  readonly principal: string;
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly newId: () => string;
}

/** What may become of a call. */
export interface KeySteps extends Pick<WaitNeeds, "route" | "onChange"> {
  readonly decide: (asked: Asked) => Decision;
  readonly again: Again;
  readonly start: (aim: Aim, written: Written) => CallHandle;
  readonly refuse: (refusal: Outcome) => CallHandle;
  readonly returns: Returns;
}

/** How far a call with a key has come. */
export interface KeyedStage {
  readonly written: Stage["written"] | undefined;
  /** Where it goes if its key is new. */
  readonly next: Decision;
  readonly steps: KeySteps;
}

/** The keys of one principal. */
export interface Keys {
  /**
   * Takes over a call whose key memory does not know: looks the key up, and writes it down for the tab that the call goes to,
   * or asks the tab to which an earlier process gave the call. Undefined where nothing of that is left to do.
   */
  begin(asked: Asked, stage: KeyedStage): CallHandle | undefined;
  /** Writes a call down for its tab as that is now, unless it is. Resolves with what refuses the call where it could not. */
  write(call: Call): Call["writing"];
  /** Writes down the outcome of a key before it is told. Never rejects: the outcome says whether it was written. */
  settle(key: string, outcome: Outcome, written?: Written): Promise<Outcome>;
  /** Ends every call whose key is being looked up. */
  close(): void;
}

export type WrittenKeys = (options: KeysOptions) => Keys;

/** What there is of a key: nothing, what was just written down, what was before, or why that cannot be known. */
type Found = "nothing" | Written | UsedKey | Outcome;

/** Pages remember for ten minutes which calls they were given. A call that is older is only asked for. */
const sureMemory = 9 * 60_000;

export function createWrittenKeys(ledger: KeyLedger): WrittenKeys {
  return (options) => keysOf(ledger, options);
}

function keysOf(ledger: KeyLedger, { principal, clock, limits, newId }: KeysOptions): Keys {
  /** Each ends a call whose key is being looked up. */
  const waits = new Set<() => void>();
  /** The last look-up of each key that has one. */
  const busy = new Map<string, Promise<void>>();

  function inTurn(key: string, step: () => Promise<void>): void {
    const turn = (busy.get(key) ?? Promise.resolve()).then(step);
    busy.set(key, turn);
    void turn.then(() => busy.get(key) === turn && busy.delete(key));
  }

  /** What is to be said of a key that could not be written down: what it was used for, or why its call does not begin. */
  function findUnwritable(request: CallRequest): Promise<UsedKey | Outcome> {
    return ledger.find(principal, request.key ?? "", fingerprintOf(request)).then(
      (found) => found ?? notSaved("no"),
      () => notSaved("maybe"),
    );
  }

  async function lookUp(request: CallRequest, tab: Tab | undefined): Promise<Found> {
    const { key = "" } = request;
    const fingerprint = fingerprintOf(request);
    try {
      if (!tab) return (await ledger.find(principal, key, fingerprint)) ?? "nothing";
      const use = { call: newId(), tab: tab.tabId, epoch: tab.epochs.at(-1) };
      return (await ledger.use(principal, key, { ...use, fingerprint })) ?? use;
    } catch {
      return findUnwritable(request);
    }
  }

  function begin(asked: Asked, { next, written, steps }: KeyedStage): CallHandle | undefined {
    if (written !== "nothing" && written?.phase) return recall(asked, written, steps);
    const isUse = written !== undefined && written !== "nothing";
    if ("tab" in next) return isUse ? undefined : hold(asked, next.tab, steps.again);
    if (!written && next.outcome.ran === "no") return hold(asked, undefined, steps.again);
    if (isUse && !next.waits) void settle(asked.request.key ?? "", next.outcome);
    return undefined;
  }

  function hold(asked: Asked, tab: Tab | undefined, again: Again): CallHandle {
    const { caller, request, listener } = asked;
    const { key = "" } = request;
    const begunAt = clock.now();
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    caller.inFlight++;
    return laterCall(asked, doubtful, (go) => {
      let isOver = false;
      const stop = () => {
        if (!isOver) caller.inFlight--;
        isOver = true;
        stopTimer();
        waits.delete(giveUp);
      };
      const giveUp = () => {
        stop();
        go(endedCall(listener, late));
      };
      const stopTimer = clock.after(left, giveUp);
      waits.add(giveUp);
      inTurn(key, async () => {
        if (isOver) return;
        const found = await lookUp(request, tab);
        if (isOver) return isUnused(found) ? ledger.free(principal, key).catch(ignore) : undefined;
        stop();
        const rest = { ...asked, request: { ...request, left: left - (clock.now() - begunAt) } };
        go(take(rest, found, again));
      });
      return stop;
    });
  }

  function take(asked: Asked, found: Found, again: Again): CallHandle {
    const { request, listener } = asked;
    if (found === "nothing" || isUnused(found)) return again(asked, { isLate: true, written: found });
    if ("ran" in found) return endedCall(listener, found);
    if (!found.isSameCall) return endedCall(listener, conflict(request));
    if (found.outcome === undefined) return again(asked, { isLate: true, written: recalled(found) });
    if (found.outcome === "expired") return endedCall(listener, usedUp(request));
    const cameFrom = found.outcome.ran === "yes" ? found.tab : undefined;
    return endedCall(listener, { ...found.outcome, replay: true }, { cameFrom });
  }

  function recall(asked: Asked, written: Written, steps: KeySteps): CallHandle {
    const { decide, again, start, refuse, returns, route, onChange } = steps;
    const { listener, request } = asked;
    const next = decide({ ...asked, request: { ...request, tab: written.tab } });
    if ("tab" in next) {
      const isRemembered = !next.tab.delivery || next.tab.epochs.includes(written.epoch ?? "");
      if (next.tab.tabId === written.tab && isRemembered) return start(next, written);
    } else if (next.waits) {
      const toTab: WaitNeeds["route"] = (given, caller) => route({ ...given, tab: written.tab }, caller);
      const goOn = (waited: Asked) => again(waited, { isLate: true, written });
      return returns.wait(asked, { route: toTab, onChange, begin: goOn, ran: doubtful });
    } else if (request.refusal || isPassing(next.outcome)) return refuse(inDoubt(next.outcome));
    return laterCall(asked, doubtful, (go) => {
      let isOver = false;
      void settle(request.key ?? "", forgotten).then((outcome) => isOver || go(endedCall(listener, outcome)));
      return () => void (isOver = true);
    });
  }

  async function settle(key: string, given: Outcome, written?: Written): Promise<Outcome> {
    // A page compares the bytes of a call that it remembers; equal calls may differ in those.
    const outcome = written?.phase && given.code === "key-conflict" ? forgotten : given;
    const isFree = outcome.ran === "no" || outcome.inputRequired;
    try {
      await (isFree ? ledger.free(principal, key) : ledger.end(principal, key, outcome));
      return outcome;
    } catch {
      // A key that could not be freed is asked of its tab, which knows nothing of it.
      return isFree ? outcome : { ...outcome, notSaved: true };
    }
  }

  return {
    begin,
    write({ written, request, aim: { tab } }) {
      const epoch = tab.epochs.at(-1);
      if (!written || (written.tab === tab.tabId && written.epoch === epoch)) return undefined;
      const use = { call: written.call, tab: tab.tabId, epoch };
      const writing = ledger.use(principal, request.key ?? "", { ...use, fingerprint: fingerprintOf(request) });
      return writing.then(
        () => ({ ...written, ...use }),
        () => notSaved,
      );
    },
    settle,
    close() {
      for (const giveUp of waits) giveUp();
    },
  };
}

/** Whether the ledger has what was just written, and no more. */
function isUnused(found: Found): found is Written {
  return found !== "nothing" && !("ran" in found) && !("isSameCall" in found);
}

function recalled({ call, tab, epoch, age }: UsedKey): Written {
  return { call, tab, epoch, phase: age < sureMemory ? "in-doubt" : "running" };
}

const forgotten = end(
  "outcome-unknown",
  "maybe",
  "The hub was started again, and the tab that had the call under this key is gone or has forgotten it; it may have run. Look before you try again.",
);

const late = end("deadline-exceeded", "maybe", "The hub could not look the key up in time; it may have run before.");

/** The end of a call whose key cannot be written down; `ran` says whether it may have run under that key before. */
function notSaved(ran: Ran): Outcome {
  const message = "The hub cannot write the call's key down at the moment.";
  if (ran === "no") return rejection("not-saved", `${message} Nothing was run. Try again in a moment.`, 1000);
  const doubt = `${message} Whether the key was used before is not known. Try again in a moment, with the same key.`;
  return { ...end("outcome-unknown", "maybe", doubt), code: "not-saved", retryAfter: 1000 };
}

/** Refusals that say nothing of the call: it may be asked for again in a moment. */
function isPassing(refusal: Outcome): boolean {
  const { code } = refusal;
  return code === "calls-too-many" || code === "deadline-exceeded" || isOfPolicy(refusal);
}

function inDoubt(refusal: Outcome): Outcome {
  const message = `${refusal.message} Before, the call may have run under this key.`;
  return { ...refusal, outcome: "outcome-unknown", ran: "maybe", message };
}

const doubtful = () => "maybe" as const;
const ignore = () => {};

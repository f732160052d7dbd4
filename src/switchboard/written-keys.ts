// Keyed calls with a ledger that outlives the process: a key is written before its call is sent to a tab, and the outcome
// before the caller receives it. For a key of an earlier process the tab that it names is asked; the call never runs again if
// the tab's memory may not reach back to it. Look-ups of one key run one at a time.
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

/** The ways in which a keyed call may go on. */
export interface KeySteps extends Pick<WaitNeeds, "route" | "onChange"> {
  readonly decide: (asked: Asked) => Decision;
  readonly again: Again;
  readonly start: (aim: Aim, written: Written) => CallHandle;
  readonly refuse: (refusal: Outcome) => CallHandle;
  readonly returns: Returns;
}

export interface KeyedStage {
  readonly written: Stage["written"] | undefined;
  /** The route of the call if its key is new. */
  readonly next: Decision;
  readonly steps: KeySteps;
}

/** The keys of one principal. */
export interface Keys {
  /**
   * Takes over a call whose key is not in memory: looks the key up, and writes it for the call's tab, or asks the tab that an
   * earlier process sent the call to. Undefined if nothing of that is left to do.
   */
  begin(asked: Asked, stage: KeyedStage): CallHandle | undefined;
  /** Writes a call for its tab's current epoch, unless the ledger has that. Resolves with the refusal if the write failed. */
  write(call: Call): Call["writing"];
  /** Writes the outcome of a key before the caller receives it. Never rejects: the outcome has whether it was written. */
  settle(key: string, outcome: Outcome, written?: Written): Promise<Outcome>;
  /** Ends every call whose key is being looked up. */
  close(): void;
}

export type WrittenKeys = (options: KeysOptions) => Keys;

/** The result of a look-up: no entry, the new entry, an earlier use, or the reason why it is unknown. */
type Found = "nothing" | Written | UsedKey | Outcome;

/** Pages remember their calls for ten minutes. For an older call a page is only asked. */
const sureMemory = 9 * 60_000;

export function createWrittenKeys(ledger: KeyLedger): WrittenKeys {
  return (options) => keysOf(ledger, options);
}

function keysOf(ledger: KeyLedger, { principal, clock, limits, newId }: KeysOptions): Keys {
  /** Each ends a call whose key is being looked up. */
  const waits = new Set<() => void>();
  /** The last pending look-up of each key. */
  const busy = new Map<string, Promise<void>>();

  function inTurn(key: string, step: () => Promise<void>): void {
    const turn = (busy.get(key) ?? Promise.resolve()).then(step);
    busy.set(key, turn);
    void turn.then(() => busy.get(key) === turn && busy.delete(key));
  }

  /** After a failed write: the earlier use of the key, or why its call does not begin. */
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
    // A page compares the bytes of a call that it remembers, which may differ between equal calls.
    const outcome = written?.phase && given.code === "key-conflict" ? forgotten : given;
    const isFree = outcome.ran === "no" || outcome.inputRequired;
    try {
      await (isFree ? ledger.free(principal, key) : ledger.end(principal, key, outcome));
      return outcome;
    } catch {
      // If a key could not be freed, its tab is asked later, and does not know the call.
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

/** Whether the ledger has only the new entry. */
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

/** The end of a call whose key cannot be written; `ran` is whether it may have run under that key before. */
function notSaved(ran: Ran): Outcome {
  const message = "The hub cannot write the call's key down at the moment.";
  if (ran === "no") return rejection("not-saved", `${message} Nothing was run. Try again in a moment.`, 1000);
  const doubt = `${message} Whether the key was used before is not known. Try again in a moment, with the same key.`;
  return { ...end("outcome-unknown", "maybe", doubt), code: "not-saved", retryAfter: 1000 };
}

/** Temporary refusals, unrelated to the call: it may be repeated in a moment. */
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

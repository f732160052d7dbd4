// Keyed calls with a ledger that outlives the process: a key is written before its call is sent to a tab, and the outcome
// before the caller receives it. A key that an earlier process left without an outcome belongs to the tab in its entry. While
// that tab surely remembers its calls, it is sent the call again; after that it is only asked about it. If it is gone, or its
// memory does not reach back to the call, the outcome is unknown. Accesses to one key take place one at a time.
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

export type WrittenKeys = (options: KeysOptions) => Keys;

/** The result of a look-up: no entry, the new entry, an earlier use, or the reason why it is unknown. */
type Found = "nothing" | Written | UsedKey | Outcome;

/** Pages remember their calls for ten minutes. For an older call a page is only asked. */
const sureMemory = 9 * 60_000;

export function createWrittenKeys(ledger: KeyLedger): WrittenKeys {
  return (options) => new Keys(ledger, options);
}

export class Keys {
  readonly #ledger: KeyLedger;
  readonly #options: KeysOptions;
  /** Each ends a call whose key is being looked up. */
  readonly #waits = new Set<() => void>();
  /** The last pending look-up of each key. */
  readonly #busy = new Map<string, Promise<void>>();

  constructor(ledger: KeyLedger, options: KeysOptions) {
    this.#ledger = ledger;
    this.#options = options;
  }

  /**
   * Takes over a call whose key is not in memory: looks the key up, and writes it for the call's tab, or asks the tab that an
   * earlier process sent the call to. Undefined if nothing of that is left to do.
   */
  begin(asked: Asked, { next, written, steps }: KeyedStage): CallHandle | undefined {
    if (written !== "nothing" && written?.phase) return this.#recall(asked, written, steps);
    const isUse = written !== undefined && written !== "nothing";
    if ("tab" in next) return isUse ? undefined : this.#hold(asked, next.tab, steps.again);
    if (!written && next.outcome.ran === "no") return this.#hold(asked, undefined, steps.again);
    if (isUse && !next.waits) void this.settle(asked.request.key ?? "", next.outcome);
    return undefined;
  }

  /** Writes a call for its tab's current epoch, unless the ledger has that. Resolves with the refusal if the write failed. */
  write({ written, request, aim: { tab } }: Call): Call["writing"] {
    const epoch = tab.epochs.at(-1);
    if (!written || (written.tab === tab.tabId && written.epoch === epoch)) return undefined;
    const use = { call: written.call, tab: tab.tabId, epoch };
    const all = { ...use, fingerprint: fingerprintOf(request) };
    return this.#ledger.use(this.#options.principal, request.key ?? "", all).then(
      () => ({ ...written, ...use }),
      () => notSaved,
    );
  }

  /** Writes the outcome of a key before the caller receives it. Never rejects: the outcome has whether it was written. */
  async settle(key: string, given: Outcome, written?: Written): Promise<Outcome> {
    const { principal } = this.#options;
    // A page compares the bytes of a call that it remembers, which may differ between equal calls.
    const outcome = written?.phase && given.code === "key-conflict" ? forgotten : given;
    const isFree = outcome.ran === "no" || outcome.inputRequired;
    try {
      await (isFree ? this.#ledger.free(principal, key) : this.#ledger.end(principal, key, outcome));
      return outcome;
    } catch {
      // If a key could not be freed, its tab is asked later, and does not know the call.
      return isFree ? outcome : { ...outcome, notSaved: true };
    }
  }

  /** Ends every call whose key is being looked up. */
  close(): void {
    for (const giveUp of this.#waits) giveUp();
  }

  /** Makes a call wait until its key was looked up, and was written if it has a tab. */
  #hold(asked: Asked, tab: Tab | undefined, again: Again): CallHandle {
    const { principal, clock, limits } = this.#options;
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
        this.#waits.delete(giveUp);
      };
      const giveUp = () => {
        stop();
        go(endedCall(listener, late));
      };
      const stopTimer = clock.after(left, giveUp);
      this.#waits.add(giveUp);
      this.#inTurn(key, async () => {
        if (isOver) return;
        const found = await this.#lookUp(request, tab);
        if (isOver) return isUnused(found) ? this.#ledger.free(principal, key).catch(ignore) : undefined;
        stop();
        const rest = { ...asked, request: { ...request, left: left - (clock.now() - begunAt) } };
        go(goOn(rest, found, again));
      });
      return stop;
    });
  }

  #inTurn(key: string, step: () => Promise<void>): void {
    const turn = (this.#busy.get(key) ?? Promise.resolve()).then(step);
    this.#busy.set(key, turn);
    void turn.then(() => this.#busy.get(key) === turn && this.#busy.delete(key));
  }

  async #lookUp(request: CallRequest, tab: Tab | undefined): Promise<Found> {
    const { principal, newId } = this.#options;
    const { key = "" } = request;
    const fingerprint = fingerprintOf(request);
    const find = () => this.#ledger.find(principal, key, fingerprint);
    try {
      if (!tab) return (await find()) ?? "nothing";
      const use = { call: newId(), tab: tab.tabId, epoch: tab.epochs.at(-1) };
      return (await this.#ledger.use(principal, key, { ...use, fingerprint })) ?? use;
    } catch {
      // After a failed write: the earlier use of the key, or why its call does not begin.
      return find().then(
        (found) => found ?? notSaved("no"),
        () => notSaved("maybe"),
      );
    }
  }

  /** Goes on with a call of an earlier process: at its own tab, if that may know the call. */
  #recall(asked: Asked, written: Written, steps: KeySteps): CallHandle {
    const { decide, again, start, refuse, returns, route, onChange } = steps;
    const { listener, request } = asked;
    const next = decide({ ...asked, request: { ...request, tab: written.tab } });
    if ("tab" in next) {
      const isRemembered = !next.tab.delivery || next.tab.epochs.includes(written.epoch ?? "");
      if (next.tab.tabId === written.tab && isRemembered) return start(next, written);
    } else if (next.waits) {
      const toTab: WaitNeeds["route"] = (given, caller) => route({ ...given, tab: written.tab }, caller);
      const resume = (waited: Asked) => again(waited, { isLate: true, written });
      return returns.wait(asked, { route: toTab, onChange, begin: resume, ran: doubtful });
    } else {
      const refusal = returns.asFarAsKnown(next.outcome, request);
      if (request.refusal || isPassing(refusal)) return refuse(inDoubt(refusal));
    }
    return laterCall(asked, doubtful, (go) => {
      let isOver = false;
      void this.settle(request.key ?? "", forgotten).then((outcome) => isOver || go(endedCall(listener, outcome)));
      return () => void (isOver = true);
    });
  }
}

/** Goes on with a call whose key was looked up. */
function goOn(asked: Asked, found: Found, again: Again): CallHandle {
  const { request, listener } = asked;
  if (found === "nothing" || isUnused(found)) return again(asked, { isLate: true, written: found });
  if ("ran" in found) return endedCall(listener, found);
  if (!found.isSameCall) return endedCall(listener, conflict(request));
  if (found.outcome === undefined) return again(asked, { isLate: true, written: recalled(found) });
  if (found.outcome === "expired") return endedCall(listener, usedUp(request));
  const cameFrom = found.outcome.ran === "yes" ? found.tab : undefined;
  return endedCall(listener, { ...found.outcome, replay: true }, { cameFrom });
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
  return passing.includes(code ?? "") || isOfPolicy(refusal);
}

const passing: readonly string[] = ["calls-too-many", "deadline-exceeded", "bus-unavailable"];

function inDoubt(refusal: Outcome): Outcome {
  const message = `${refusal.message} Before, the call may have run under this key.`;
  return { ...refusal, outcome: "outcome-unknown", ran: "maybe", message };
}

const doubtful = () => "maybe" as const;
const ignore = () => {};

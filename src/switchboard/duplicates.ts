// Finds the call that a new one repeats: by its key, or as the twin of a call whose caller was cut off.
import type { Clock } from "../link/index.ts";
import { createOnceTable } from "../once/index.ts";
import { parseJsonObject, sizeOf, textOf } from "../wire/index.ts";
import type { Json, JsonObject, OnOver, SwitchboardLimits, Outcome, Payload } from "../wire/index.ts";
import { end, rejection } from "./call-life.ts";
import type { Keeper, KeptBytes } from "./kept-bytes.ts";
import type { Call, CallRequest, Caller, Twin } from "./types.ts";

export interface Duplicates {
  /**
   * The call to join, the outcome to give, or undefined for a call that is new. A call that was cut off is found once.
   * "double" for a call that may pause, where the caller of an equal one, which may have a twin, is there as far as known.
   */
  find(caller: Caller, request: CallRequest, mayPause: boolean): Call | Outcome | "double" | undefined;
  started(call: Call): void;
  /** The last caller of this call was cut off, even if the call has ended: its twin may come. */
  cutOff(call: Call): void;
  ended(call: Call, outcome: Outcome): void;
  /** The outcome of this call reached its caller: an equal call is a new one. */
  received(call: Call): void;
  close(): void;
}

/** How many bytes of outcomes are kept for twins: room for the largest and some. */
const mostForTwins = 20 * 1024 * 1024;

export interface DuplicatesOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  /** What those of all principals keep, where that has a bound. */
  readonly kept: KeptBytes | undefined;
  readonly onOver: OnOver | undefined;
}

export function createDuplicates({ clock, limits, kept, onOver }: DuplicatesOptions): Duplicates {
  const keyed = createOnceTable<Call, Outcome>({
    now: clock.now,
    time: limits.keyTime,
    size: limits.keyBytes,
    expired: limits.expiredKeys,
    onSurplus: () => onOver?.("keyBytes"),
    weigh: (key, fingerprint, outcome) => key.length + fingerprint.length + sizeOf(outcome?.payload ?? ""),
  });
  let stopSweeping: (() => void) | undefined;
  let isClosed = false;
  /** Calls that run, or wait for their twin, by the text that equal ones share; an object, as a tab's calls are. */
  const twins = Object.create(null) as Record<string, Set<Twin>>;
  let twinCount = 0;
  const cutOff = new Set<Twin>();
  let cutBytes = 0;
  const keeper: Keeper = {
    get bytes() {
      return keyed.weight + cutBytes;
    },
    letGo: () => keyed.letGo() || letTwinGo(),
  };

  function letTwinGo(): boolean {
    const oldest = [...cutOff].find(({ call }) => call.outcome);
    if (oldest) drop(oldest);
    return oldest !== undefined;
  }

  function sweep(): void {
    const left = keyed.trim();
    kept?.changed(keeper);
    stopSweeping = left === undefined ? undefined : clock.after(left, sweep);
  }

  function findByKey(key: string, request: CallRequest): Call | Outcome | undefined {
    const known = keyed.find(key, fingerprintOf(request));
    if (known === undefined) return kept?.refusal();
    if (known === "expired") return usedUp(request);
    if (known === "conflict") return conflict(request);
    return known.work ?? (known.result && { ...known.result, replay: true });
  }

  function findTwin(caller: Caller, request: CallRequest, mayPause: boolean): Call | "double" | undefined {
    const alike = twins[twinKey(caller, request)] ?? [];
    for (const { call, cut } of mayPause ? alike : []) {
      const hasCaller = call.waiters.length > 0 || (call.outcome && !cut);
      if (hasCaller && sameBytes(call.request.arguments, request.arguments)) return "double";
    }
    if (cutOff.size === 0) return undefined;
    const equal = [...alike].filter(({ cut }) => cut);
    if (equal.length === 0) return undefined;
    const fingerprint = fingerprintOf(request);
    const twin = equal.find(({ cut }) => cut?.fingerprint === fingerprint);
    if (!twin) return undefined;
    forgetCut(twin);
    if (twin.call.outcome) drop(twin);
    return twin.call;
  }

  function add(twin: Twin): void {
    const equal = (twins[twin.key] ??= new Set());
    if (equal.has(twin)) return;
    equal.add(twin);
    twinCount++;
  }

  function drop(twin: Twin): void {
    forgetCut(twin);
    const equal = twins[twin.key];
    if (equal?.delete(twin)) twinCount--;
    if (equal?.size === 0) delete twins[twin.key];
  }

  function forgetCut(twin: Twin): void {
    if (!twin.cut) return;
    twin.cut.stopTimer();
    cutBytes -= twin.cut.bytes;
    twin.cut = undefined;
    cutOff.delete(twin);
  }

  /** Outcomes kept for twins have a bound beside those kept for keys; the oldest goes first. */
  function weigh(twin: Twin, bytes: number): void {
    if (!twin.cut) return;
    twin.cut.bytes += bytes;
    cutBytes += bytes;
    for (const oldest of cutOff) {
      if (cutBytes <= Math.min(limits.keyBytes, mostForTwins)) break;
      if (!oldest.call.outcome) continue;
      drop(oldest);
      onOver?.("keyBytes");
    }
    kept?.changed(keeper);
  }

  return {
    find(caller, request, mayPause) {
      if (request.key !== undefined) return findByKey(request.key, request);
      return twinCount === 0 ? undefined : findTwin(caller, request, mayPause);
    },
    started(call) {
      const { caller, request, aim } = call;
      if (request.key !== undefined) {
        keyed.begin(request.key, fingerprintOf(request), call);
        return kept?.changed(keeper);
      }
      const { readOnlyHint, idempotentHint } = aim.tool?.annotations ?? {};
      if (readOnlyHint === true || idempotentHint === true || limits.twinTime === 0 || limits.cutTime === 0) return;
      call.twin = { key: twinKey(caller, request), call, cut: undefined };
      add(call.twin);
    },
    cutOff(call) {
      const { twin } = call;
      if (!twin) return;
      add(twin);
      forgetCut(twin);
      const fingerprint = fingerprintOf(call.request);
      twin.cut = { fingerprint, bytes: 0, stopTimer: clock.after(limits.twinTime, () => expire(twin)) };
      cutOff.add(twin);
      weigh(twin, 2 * fingerprint.length + sizeOf(call.outcome?.payload ?? ""));
    },
    ended(call, outcome) {
      const { key } = call.request;
      if (key !== undefined) {
        // The next round of questions comes under the same key.
        if (outcome.ran === "no" || outcome.inputRequired) keyed.forget(key);
        else keyed.end(key, outcome);
        if (!stopSweeping && !isClosed) sweep();
        else kept?.changed(keeper);
        return;
      }
      const { twin } = call;
      if (!twin) return;
      if (outcome.ran === "no" || outcome.outcome === "cancelled" || outcome.inputRequired) drop(twin);
      else weigh(twin, sizeOf(outcome.payload ?? ""));
    },
    received({ twin }) {
      if (twin && !twin.cut) drop(twin);
    },
    close() {
      isClosed = true;
      stopSweeping?.();
      for (const twin of cutOff) drop(twin);
      kept?.left(keeper);
    },
  };

  /** Nobody came for this call. */
  function expire(twin: Twin): void {
    if (twin.call.outcome) drop(twin);
    else forgetCut(twin);
  }
}

export function usedUp({ key }: CallRequest): Outcome {
  const message = `The key "${key}" was used before and its outcome is no longer kept. Nothing was run.`;
  return end("expired", "maybe", message);
}

export function conflict({ key }: CallRequest): Outcome {
  return rejection("key-conflict", `The key "${key}" was used for another tool or other arguments. Use a new key.`);
}

/** Quick to make: equal calls share it, and so may some that differ in their arguments. */
function twinKey({ identity }: Caller, { method, name, tab = "", input = "" }: CallRequest): string {
  return `${identity}\n${method}\n${name}\n${tab}\n${input}`;
}

function sameBytes(one: Payload, other: Payload): boolean {
  return one.length === other.length && textOf(one) === textOf(other);
}

/**
 * Text that is equal for equal calls, whatever the order of the arguments' properties. The tab is left out: a caller
 * that comes back after a hub's restart may name the one that took its call.
 */
export function fingerprintOf({ method, name, arguments: given, input }: CallRequest): string {
  return JSON.stringify([method, name, canonical(given), input]);
}

const deepest = 64;
/** Larger arguments are compared as they are written: a million properties would hold the hub for seconds. */
const mostSorted = 65_536;

function canonical(payload: Payload): string {
  const text = textOf(payload);
  const value = text.length > mostSorted ? undefined : parseJsonObject(text, deepest);
  return value ? JSON.stringify(sorted(value)) : text;
}

/** Faster than a replacer of JSON.stringify, which is called for each part. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .sort(byName)
      .map(([name, part]) => [name, sorted(part)]),
  );
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

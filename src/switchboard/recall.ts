// Finds the call that a new one repeats: by its key, or as the twin of a call whose caller was cut off.
import type { Clock } from "../link/index.ts";
import { sizeOf, textOf } from "../wire/index.ts";
import type { Limits, Outcome, Payload } from "../wire/index.ts";
import type { CallRequest } from "./call-request.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { createLedger } from "./ledger.ts";
import { end, rejection } from "./life.ts";
import type { Caller, Flight } from "./model.ts";
import { TransientMap } from "./transient-map.ts";

export interface Recall {
  /** The call to join, the outcome to be given, or undefined for a call that is new. A cut call is found once. */
  find(caller: Caller, request: CallRequest): Flight | Outcome | undefined;
  /** Whether an equal call, which may have a twin, runs and still has its caller. */
  hasDouble(caller: Caller, request: CallRequest): boolean;
  started(flight: Flight): void;
  /** Whether this call, sent again without a key, must not run twice. */
  canHaveTwin(flight: Flight): boolean;
  /** The last caller of this flight was cut off, also when it has ended already: a twin may come for it. */
  cutOff(flight: Flight): void;
  ended(flight: Flight, outcome: Outcome): void;
  close(): void;
}

/** A call whose caller was cut off, while the next equal call would take its place. */
interface CutCall {
  readonly flight: Flight;
  /** What it keeps in memory. */
  bytes: number;
  readonly stopTimer: () => void;
}

export function createRecall(clock: Clock, limits: Limits): Recall {
  const ledger = createLedger<Flight>(clock, limits);
  const cutCalls = new Map<string, readonly CutCall[]>();
  let cutBytes = 0;
  /** Running calls that may have a twin, by what is quick to tell of them. */
  const doubles = new TransientMap<Flight[]>();

  const twinKey = (caller: Caller, request: CallRequest) =>
    `${caller.identity}\n${request.tab ?? ""}\n${fingerprintOf(request)}`;
  const drop = (key: string, cutCall: CutCall) => {
    cutCall.stopTimer();
    cutBytes -= cutCall.bytes;
    const others = (cutCalls.get(key) ?? []).filter((other) => other !== cutCall);
    if (others.length > 0) cutCalls.set(key, others);
    else cutCalls.delete(key);
  };

  const canHaveTwin = ({ tool, request }: Flight) => {
    const { readOnlyHint, idempotentHint } = tool?.annotations ?? {};
    const isOn = limits.twinTime > 0 && limits.cutTime > 0;
    return isOn && request.key === undefined && readOnlyHint !== true && idempotentHint !== true;
  };

  return {
    find(caller, request) {
      if (request.key !== undefined) return findByKey(request.key, request);
      return cutCalls.size === 0 ? undefined : findTwin(twinKey(caller, request));
    },
    hasDouble(caller, request) {
      if (request.key !== undefined || doubles.size === 0) return false;
      for (const { listeners, request: other } of doubles.get(doubleKey(caller, request)) ?? []) {
        if (listeners.size > 0 && sameBytes(other.arguments, request.arguments)) return true;
      }
      return false;
    },
    started(flight) {
      const { caller, request } = flight;
      if (request.key !== undefined) return ledger.keep(request.key, fingerprintOf(request), flight);
      if (!canHaveTwin(flight)) return;
      const key = doubleKey(caller, request);
      const equal = doubles.get(key);
      if (equal) equal.push(flight);
      else doubles.set(key, [flight]);
    },
    canHaveTwin,
    cutOff(flight) {
      const key = twinKey(flight.caller, flight.request);
      const stopTimer = clock.after(limits.twinTime, () => drop(key, cutCall));
      const cutCall: CutCall = { flight, bytes: 0, stopTimer };
      cutCalls.set(key, [...(cutCalls.get(key) ?? []), cutCall]);
      weigh(cutCall, 2 * key.length + sizeOf(flight.outcome?.payload ?? ""));
    },
    ended(flight, outcome) {
      const { key } = flight.request;
      if (key === undefined) {
        dropDouble(flight);
        return endCutCall(flight, outcome);
      }
      // The next round of questions comes under the same key.
      if (outcome.ran === "no" || outcome.inputRequired) ledger.drop(key);
      else ledger.end(key, outcome);
    },
    close() {
      ledger.close();
      for (const { stopTimer } of [...cutCalls.values()].flat()) stopTimer();
      cutCalls.clear();
    },
  };

  /** What is kept for twins has the same bound as what is kept for keys; the oldest goes first. */
  function weigh(cutCall: CutCall, bytes: number): void {
    cutCall.bytes += bytes;
    cutBytes += bytes;
    for (const [key, [oldest]] of cutCalls) {
      if (cutBytes <= limits.keyBytes) return;
      if (oldest?.flight.outcome) drop(key, oldest);
    }
  }

  function dropDouble(flight: Flight): void {
    if (doubles.size === 0) return;
    const key = doubleKey(flight.caller, flight.request);
    const equal = doubles.get(key) ?? [];
    const at = equal.indexOf(flight);
    if (at < 0) return;
    equal.splice(at, 1);
    if (equal.length === 0) doubles.delete(key);
  }

  function findByKey(key: string, request: CallRequest): Flight | Outcome | undefined {
    const entry = ledger.find(key);
    if (entry === undefined) return undefined;
    if (entry === "expired") {
      const message = `The key "${key}" was used before and its outcome is no longer kept. Nothing was run.`;
      return end("expired", "maybe", message);
    }
    if (entry.fingerprint !== fingerprintOf(request)) {
      return rejection("key-conflict", `The key "${key}" was used for another tool or other arguments. Use a new key.`);
    }
    return entry.running ?? (entry.outcome && { ...entry.outcome, replay: true });
  }

  function findTwin(key: string): Flight | undefined {
    const [oldest] = cutCalls.get(key) ?? [];
    if (oldest) drop(key, oldest);
    return oldest?.flight;
  }

  function endCutCall(flight: Flight, outcome: Outcome): void {
    if (cutCalls.size === 0) return;
    const key = twinKey(flight.caller, flight.request);
    const cutCall = cutCalls.get(key)?.find((each) => each.flight === flight);
    if (!cutCall) return;
    if (outcome.ran === "no" || outcome.outcome === "cancelled") drop(key, cutCall);
    else weigh(cutCall, sizeOf(outcome.payload ?? ""));
  }
}

function doubleKey(caller: Caller, { method, name, tab = "", input = "" }: CallRequest): string {
  return `${caller.identity}\n${method}\n${name}\n${tab}\n${input}`;
}

function sameBytes(one: Payload, other: Payload): boolean {
  return one.length === other.length && textOf(one) === textOf(other);
}

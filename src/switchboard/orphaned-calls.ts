// Finds the call that a new one without a key repeats. A caller that loses its connection and repeats its call at once, in
// the same session, must not run the tool twice: the equal call joins the orphaned one or gets its outcome.
import type { Clock } from "../link/index.ts";
import { sizeOf, textOf } from "../wire/index.ts";
import type { Outcome, Payload, SwitchboardLimits } from "../wire/index.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { Call, CallRequest, Caller, UnkeyedCall } from "./types.ts";

export interface OrphanedCalls {
  /** The bytes of the outcomes of orphaned calls. */
  readonly bytes: number;
  /**
   * The orphaned call that an equal one joins, at most once. "duplicate" for a call that may wait while an equal one is
   * still connected to its caller, as far as is known.
   */
  find(caller: Caller, request: CallRequest, mayWait: boolean): Call | "duplicate" | undefined;
  started(call: Call): void;
  cutOff(call: Call): void;
  ended(call: Call, outcome: Outcome): void;
  received(call: Call): void;
  /** Evicts the oldest outcome; false if there is none. */
  letGo(): boolean;
  close(): void;
}

interface OrphanedCallsOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  readonly onWeight: () => void;
  /** Called when an outcome was evicted for another. */
  readonly onSurplus: () => void;
}

/** The largest outcome and some more. */
const maxOrphanedBytes = 20 * 1024 * 1024;

export function createOrphanedCalls({ clock, limits, onWeight, onSurplus }: OrphanedCallsOptions): OrphanedCalls {
  /** Calls without a key that run, or whose outcome was not received, by a text that equal calls share. */
  const unkeyed = Object.create(null) as Record<string, Set<UnkeyedCall>>;
  let count = 0;
  const orphaned = new Set<UnkeyedCall>();
  let bytes = 0;

  function add(entry: UnkeyedCall): void {
    const equal = (unkeyed[entry.key] ??= new Set());
    if (equal.has(entry)) return;
    equal.add(entry);
    count++;
  }

  function drop(entry: UnkeyedCall): void {
    forgetCut(entry);
    const equal = unkeyed[entry.key];
    if (equal?.delete(entry)) count--;
    if (equal?.size === 0) delete unkeyed[entry.key];
  }

  function forgetCut(entry: UnkeyedCall): void {
    if (!entry.cut) return;
    entry.cut.stopTimer();
    bytes -= entry.cut.bytes;
    entry.cut = undefined;
    orphaned.delete(entry);
  }

  function weigh(entry: UnkeyedCall, more: number): void {
    if (!entry.cut) return;
    entry.cut.bytes += more;
    bytes += more;
    for (const oldest of orphaned) {
      if (bytes <= Math.min(limits.keyBytes, maxOrphanedBytes)) break;
      if (!oldest.call.outcome) continue;
      drop(oldest);
      onSurplus();
    }
    onWeight();
  }

  return {
    get bytes() {
      return bytes;
    },
    find(caller, request, mayWait) {
      if (count === 0) return undefined;
      const alike = unkeyed[unkeyedKey(caller, request)] ?? [];
      for (const entry of mayWait ? alike : []) {
        if (hasCaller(entry) && sameBytes(entry.call.request.arguments, request.arguments)) return "duplicate";
      }
      if (orphaned.size === 0) return undefined;
      const equal = [...alike].filter(({ cut }) => cut);
      if (equal.length === 0) return undefined;
      const fingerprint = fingerprintOf(request);
      const found = equal.find(({ cut }) => cut?.fingerprint === fingerprint);
      if (!found) return undefined;
      forgetCut(found);
      if (found.call.outcome) drop(found);
      return found.call;
    },
    started(call) {
      const { readOnlyHint, idempotentHint } = call.aim.tool?.annotations ?? {};
      if (readOnlyHint === true || idempotentHint === true || limits.twinTime === 0 || limits.cutTime === 0) return;
      call.unkeyed = { key: unkeyedKey(call.caller, call.request), call, cut: undefined };
      add(call.unkeyed);
    },
    cutOff(call) {
      const { unkeyed: entry } = call;
      if (!entry) return;
      add(entry);
      forgetCut(entry);
      const fingerprint = fingerprintOf(call.request);
      const expire = () => (call.outcome ? drop(entry) : forgetCut(entry));
      entry.cut = { fingerprint, bytes: 0, stopTimer: clock.after(limits.twinTime, expire) };
      orphaned.add(entry);
      weigh(entry, 2 * fingerprint.length + sizeOf(call.outcome?.payload ?? ""));
    },
    ended({ unkeyed: entry }, outcome) {
      if (!entry) return;
      if (outcome.ran === "no" || outcome.outcome === "cancelled" || outcome.inputRequired) drop(entry);
      else weigh(entry, sizeOf(outcome.payload ?? ""));
    },
    received({ unkeyed: entry }) {
      if (entry && !entry.cut) drop(entry);
    },
    letGo() {
      const oldest = [...orphaned].find(({ call }) => call.outcome);
      if (oldest) drop(oldest);
      return oldest !== undefined;
    },
    close() {
      for (const entry of orphaned) drop(entry);
    },
  };
}

/** Cheap to compute: equal calls share it, and so may calls that differ only in their arguments. */
function unkeyedKey({ identity }: Caller, { method, name, tab = "", input = "" }: CallRequest): string {
  return `${identity}\n${method}\n${name}\n${tab}\n${input}`;
}

/** Whether a call's caller is still connected, as far as is known. */
function hasCaller({ call, cut }: UnkeyedCall): boolean {
  return call.waiters.length > 0 || (call.outcome !== undefined && !cut);
}

function sameBytes(one: Payload, other: Payload): boolean {
  return one.length === other.length && textOf(one) === textOf(other);
}

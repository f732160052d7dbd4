// Finds the call that a new one repeats: by its key, or else among the orphaned calls.
import type { Clock } from "../link/index.ts";
import { createOnceTable } from "../once/index.ts";
import { sizeOf } from "../wire/index.ts";
import type { OnOver, SwitchboardLimits, Outcome } from "../wire/index.ts";
import { end, rejection } from "./call-life.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { Keeper, KeptBytes } from "./kept-bytes.ts";
import { createOrphanedCalls } from "./orphaned-calls.ts";
import type { Call, CallRequest, Caller } from "./types.ts";

export interface Duplicates {
  /** The call to join, the outcome to return, or undefined for a new call. For "duplicate" see `OrphanedCalls.find`. */
  find(caller: Caller, request: CallRequest, mayWait: boolean): Call | Outcome | "duplicate" | undefined;
  started(call: Call): void;
  /** The last caller of this call lost its connection, perhaps after the end: an equal call may come. */
  cutOff(call: Call): void;
  ended(call: Call, outcome: Outcome): void;
  /** The outcome of this call reached its caller: an equal call is a new one. */
  received(call: Call): void;
  close(): void;
}

export interface DuplicatesOptions {
  readonly clock: Clock;
  readonly limits: SwitchboardLimits;
  /** The bytes that all principals keep, if they are bounded. */
  readonly kept?: KeptBytes;
  readonly onOver?: OnOver;
}

export function createDuplicates({ clock, limits, kept, onOver }: DuplicatesOptions): Duplicates {
  const onSurplus = () => onOver?.("keyBytes");
  const keyed = createOnceTable<Call, Outcome>({
    now: clock.now,
    time: limits.keyTime,
    size: limits.keyBytes,
    expired: limits.expiredKeys,
    onSurplus,
    weigh: (key, fingerprint, outcome) => key.length + fingerprint.length + sizeOf(outcome?.payload ?? ""),
  });
  const orphaned = createOrphanedCalls({ clock, limits, onSurplus, onWeight: () => kept?.changed(keeper) });
  const keeper: Keeper = {
    get bytes() {
      return keyed.weight + orphaned.bytes;
    },
    letGo: () => keyed.letGo() || orphaned.letGo(),
  };
  let stopSweeping: (() => void) | undefined;
  let isClosed = false;

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

  return {
    find(caller, request, mayWait) {
      return request.key === undefined ? orphaned.find(caller, request, mayWait) : findByKey(request.key, request);
    },
    started(call) {
      const { key } = call.request;
      if (key === undefined) return orphaned.started(call);
      keyed.begin(key, fingerprintOf(call.request), call);
      kept?.changed(keeper);
    },
    cutOff: orphaned.cutOff,
    ended(call, outcome) {
      const { key } = call.request;
      if (key === undefined) return orphaned.ended(call, outcome);
      // The next round of questions uses the same key.
      if (outcome.ran === "no" || outcome.inputRequired) keyed.forget(key);
      else keyed.end(key, outcome);
      if (!stopSweeping && !isClosed) sweep();
      else kept?.changed(keeper);
    },
    received: orphaned.received,
    close() {
      isClosed = true;
      stopSweeping?.();
      orphaned.close();
      kept?.left(keeper);
    },
  };
}

export function usedUp({ key }: CallRequest): Outcome {
  const message = `The key "${key}" was used before and its outcome is no longer kept. Nothing was run.`;
  return end("expired", "maybe", message);
}

export function conflict({ key }: CallRequest): Outcome {
  return rejection("key-conflict", `The key "${key}" was used for another tool or other arguments. Use a new key.`);
}

// Calls that wait for their client to come back, within a timeout and a limit of memory.
import type { Clock } from "../link/index.ts";
import type { CallRequest } from "../switchboard/index.ts";
import { sizeOf } from "../wire/index.ts";
import type { Limits, Outcome } from "../wire/index.ts";

interface HeldCall {
  heldAs: string | undefined;
  readonly outcome: Outcome | undefined;
  readonly request: CallRequest;
  /** Called when no client can ask for its outcome any more. */
  received(): void;
}

interface Held<Call> {
  readonly call: Call;
  stopTimer: () => void;
  /** The bytes that its outcome takes in memory. */
  bytes: number;
}

export interface HeldCalls<Call extends HeldCall> {
  get(id: string): Call | undefined;
  /** Holds a call for a number of milliseconds. */
  hold(id: string, call: Call, time: number): void;
  /** Sets the timeout again, and what runs after it. */
  dropLater(id: string, time: number, run?: () => void): void;
  /** Removes the timeout. */
  keep(id: string): void;
  /** Counts its outcome's bytes, once. Beyond the limit of keyed calls the oldest are dropped. */
  weigh(id: string): void;
  close(): void;
}

/** The min bytes of an ended call. */
const overhead = 1024;

export function createHeldCalls<Call extends HeldCall>(
  { keyBytes }: Pick<Limits, "keyBytes">,
  clock: Clock,
): HeldCalls<Call> {
  const held = new Map<string, Held<Call>>();
  let endBytes = 0;

  function drop(id: string): void {
    const entry = held.get(id);
    if (!entry) return;
    entry.stopTimer();
    entry.call.heldAs = undefined;
    endBytes -= entry.bytes;
    held.delete(id);
    if (entry.call.outcome) entry.call.received();
  }

  function dropLater(id: string, time: number, run = () => {}): void {
    const entry = held.get(id);
    if (!entry) return;
    entry.stopTimer();
    entry.stopTimer = clock.after(time, () => {
      drop(id);
      run();
    });
  }

  return {
    get: (id) => held.get(id)?.call,
    hold(id, call, time) {
      if (!held.has(id)) held.set(id, { call, stopTimer: () => {}, bytes: 0 });
      dropLater(id, time);
    },
    dropLater,
    keep: (id) => held.get(id)?.stopTimer(),
    weigh(id) {
      const entry = held.get(id);
      if (!entry || entry.bytes > 0) return;
      const { request, outcome } = entry.call;
      entry.bytes = overhead + sizeOf(request.arguments) + sizeOf(outcome?.payload ?? "");
      endBytes += entry.bytes;
      for (const [other, { bytes }] of held) {
        if (endBytes <= keyBytes) return;
        if (bytes > 0) drop(other);
      }
    },
    close() {
      for (const id of [...held.keys()]) drop(id);
    },
  };
}

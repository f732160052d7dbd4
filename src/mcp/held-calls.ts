// Calls that wait for their client: each for its time, and what they keep in memory within one bound.
import type { Clock } from "../link/index.ts";
import type { CallRequest } from "../switchboard/index.ts";
import { sizeOf } from "../wire/index.ts";
import type { Limits, Outcome } from "../wire/index.ts";

/** The part of a call that holding it needs. */
interface HeldCall {
  heldAs: string | undefined;
  readonly outcome: Outcome | undefined;
  readonly request: CallRequest;
  /** No client can ask for its outcome any more. */
  received(): void;
}

interface Held<Call> {
  readonly call: Call;
  stopTimer: () => void;
  /** How much its outcome keeps in memory. */
  bytes: number;
}

export interface HeldCalls<Call extends HeldCall> {
  get(id: string): Call | undefined;
  /** Holds a call, for so many milliseconds. */
  hold(id: string, call: Call, time: number): void;
  /** Holds it for so many milliseconds from now on, and then runs this. */
  dropLater(id: string, time: number, run?: () => void): void;
  /** Holds it until something else is said. */
  keep(id: string): void;
  /** Counts what its outcome takes, once. Outcomes have the same bound as those of keyed calls; the oldest goes first. */
  weigh(id: string): void;
  close(): void;
}

/** The least that a call that has ended keeps in memory. */
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

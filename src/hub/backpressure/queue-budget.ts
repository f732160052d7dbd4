// How much may wait, over all connections of a hub, for peers that do not read it.
import type { BudgetName, Limits, OnOver } from "../../wire/index.ts";
import { ofBusiestPrincipal } from "./of-busiest-principal.ts";

/** What waits for one peer. */
export interface Queue {
  readonly bytes: number;
  /** On whose behalf the peer is there; empty while that is not known. */
  readonly principal: string;
  /** What all of its principal's may hold, where that is less than the hub allows. */
  readonly most?: number | undefined;
  /** Is another number whenever its peer has read something. */
  readonly read: number;
  /** Ends it; what waits is dropped. */
  cut(): void;
}

export interface QueueBudget {
  /** To be called when something was put into a queue. */
  grew(queue: Queue): void;
  /** To be called when its peer is gone. */
  left(queue: Queue): void;
  /** Whether so many bytes more may come for a principal's peers; where nothing waits, they may in any case. */
  hasRoom(principal: string, bytes: number): boolean;
  /** The same, once a peer was cut off that has read nothing for a while. */
  makeRoom(principal: string, bytes: number): boolean;
}

interface Known {
  readonly bytes: number;
  readonly principal: string;
  readonly read: number;
  /** When it had read nothing more the first time. */
  readonly since: number;
}

/** How long a peer may read nothing, in milliseconds, while others of its principal wait for the room that it takes. */
const patience = 2000;

/**
 * Cuts off peers while the queues of one principal, or all queues together, hold more than they may: the one with the
 * largest queue, of the principal for whom the most waits, and rather one that has read nothing for a while. Many queues of
 * one principal cost no other its connection.
 */
export function createQueueBudget(
  limits: Pick<Limits, "queuedBytesPerPrincipal" | "queuedBytesInAll">,
  onOver: OnOver,
): QueueBudget {
  const known = new Map<Queue, Known>();
  /**
   * What they held when each was last looked at, of each principal and in all: nothing shrinks between two looks, so it is
   * never too little.
   */
  const sums = new Map<string, number>();
  let total = 0;

  function add(principal: string, bytes: number): void {
    const sum = (sums.get(principal) ?? 0) + bytes;
    total += bytes;
    if (sum > 0) sums.set(principal, sum);
    else sums.delete(principal);
  }

  function left(queue: Queue): void {
    const before = known.get(queue);
    if (!before) return;
    known.delete(queue);
    add(before.principal, -before.bytes);
  }

  function look(queue: Queue): void {
    const before = known.get(queue);
    left(queue);
    const { bytes, principal, read } = queue;
    if (bytes === 0) return;
    const since = before?.read === read ? before.since : performance.now();
    known.set(queue, { bytes, principal, read, since });
    add(principal, bytes);
  }

  function cutLargest(of: readonly (readonly [Queue, Known])[], name: BudgetName): void {
    const [largest] = of.toSorted(([, one], [, other]) => other.bytes - one.bytes);
    if (!largest) return;
    const [queue] = largest;
    left(queue);
    onOver(name);
    queue.cut();
  }

  const ofPrincipal = (whose: string) => [...known].filter(([, { principal }]) => principal === whose);
  /** Those that have read nothing for a while. */
  const idleOf = (principal: string) => {
    const latest = performance.now() - patience;
    return ofPrincipal(principal).filter(([, { since }]) => since <= latest);
  };
  const ofBusiest = () =>
    ofBusiestPrincipal(
      [...known],
      ([, { principal }]) => principal,
      ([, { bytes }]) => bytes,
    );

  function hasRoom(principal: string, bytes: number): boolean {
    const fits = () => {
      const sum = sums.get(principal) ?? 0;
      return sum === 0 || sum + bytes <= limits.queuedBytesPerPrincipal;
    };
    if (fits()) return true;
    for (const [each] of ofPrincipal(principal)) look(each);
    return fits();
  }

  return {
    hasRoom,
    makeRoom(principal, bytes) {
      if (hasRoom(principal, bytes)) return true;
      cutLargest(idleOf(principal), "queuedBytesPerPrincipal");
      return hasRoom(principal, bytes);
    },
    grew(queue) {
      look(queue);
      const { principal, most = limits.queuedBytesPerPrincipal } = queue;
      const isOver = () => (sums.get(principal) ?? 0) > most;
      if (isOver()) for (const [each] of ofPrincipal(principal)) look(each);
      while (isOver()) {
        const idle = idleOf(principal);
        cutLargest(idle.length > 0 ? idle : ofPrincipal(principal), "queuedBytesPerPrincipal");
      }
      if (total <= limits.queuedBytesInAll) return;
      for (const each of [...known.keys()]) look(each);
      while (total > limits.queuedBytesInAll) cutLargest(ofBusiest(), "queuedBytesInAll");
    },
    left,
  };
}

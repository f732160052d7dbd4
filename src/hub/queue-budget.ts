// How much may wait, over all connections of a hub, for peers that do not read it.
import type { BudgetName, Limits, OnOver } from "../wire/index.ts";
import { ofBusiestPrincipal } from "./doors/of-busiest-principal.ts";

/** What waits for one peer. */
export interface Queue {
  readonly bytes: number;
  /** On whose behalf the peer is there; empty while that is not known. */
  readonly principal: string;
  /** What all of its principal's may hold, where that is less than the hub allows. */
  readonly most?: number | undefined;
  /** Ends it; what waits is dropped. */
  cut(): void;
}

export interface QueueBudget {
  /** To be called when something was put into a queue. */
  grew(queue: Queue): void;
  /** To be called when its peer is gone. */
  left(queue: Queue): void;
}

interface Known {
  readonly bytes: number;
  readonly principal: string;
}

const none: Known = { bytes: 0, principal: "" };

/**
 * Cuts off peers while the queues of one principal, or all queues together, hold more than they may: the one with the
 * largest queue, of the principal for whom the most waits. Many queues of one principal cost no other its connection.
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
    const { bytes, principal } = known.get(queue) ?? none;
    if (known.delete(queue)) add(principal, -bytes);
  }

  function look(queue: Queue): void {
    left(queue);
    const { bytes, principal } = queue;
    if (bytes === 0) return;
    known.set(queue, { bytes, principal });
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
  const ofBusiest = () =>
    ofBusiestPrincipal(
      [...known],
      ([, { principal }]) => principal,
      ([, { bytes }]) => bytes,
    );

  return {
    grew(queue) {
      look(queue);
      const { principal, most = limits.queuedBytesPerPrincipal } = queue;
      const isOver = () => (sums.get(principal) ?? 0) > most;
      if (isOver()) for (const [each] of ofPrincipal(principal)) look(each);
      while (isOver()) cutLargest(ofPrincipal(principal), "queuedBytesPerPrincipal");
      if (total <= limits.queuedBytesInAll) return;
      for (const each of [...known.keys()]) look(each);
      while (total > limits.queuedBytesInAll) cutLargest(ofBusiest(), "queuedBytesInAll");
    },
    left,
  };
}

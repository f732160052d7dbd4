// How much may wait, over all connections of a hub, for peers that do not read it.
import { ofBusiestPrincipal } from "./doors/of-busiest-principal.ts";

/** What waits for one peer. */
export interface Queue {
  readonly bytes: number;
  /** On whose behalf the peer is there; empty while that is not known. */
  readonly principal: string;
  /** Ends it; what waits is dropped. */
  cut(): void;
}

export interface QueueBudget {
  /** To be called when something was put into a queue. */
  grew(queue: Queue): void;
  /** To be called when its peer is gone. */
  left(queue: Queue): void;
}

/**
 * Cuts off peers while all queues together hold more than this: the one with the largest queue, of the principal for whom the
 * most waits. Many queues of one principal cost no other its connection.
 */
export function createQueueBudget(most: number): QueueBudget {
  const known = new Map<Queue, number>();
  /** What all of them held when each was last looked at: nothing shrinks between two looks, so it is never too little. */
  let total = 0;

  function left(queue: Queue): void {
    total -= known.get(queue) ?? 0;
    known.delete(queue);
  }

  function look(queue: Queue): void {
    left(queue);
    const { bytes } = queue;
    if (bytes === 0) return;
    known.set(queue, bytes);
    total += bytes;
  }

  function cutLargest(): void {
    const busiest = ofBusiestPrincipal(
      [...known],
      ([{ principal }]) => principal,
      ([, bytes]) => bytes,
    );
    const [largest] = busiest.toSorted(([, one], [, other]) => other - one);
    if (!largest) return;
    const [queue] = largest;
    left(queue);
    queue.cut();
  }

  return {
    grew(queue) {
      look(queue);
      if (total <= most) return;
      for (const each of [...known.keys()]) look(each);
      while (total > most) cutLargest();
    },
    left,
  };
}

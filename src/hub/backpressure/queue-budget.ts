// Limits the bytes queued for peers that do not read, over all connections of a hub.
import type { BudgetName, Limits, OnOver } from "../../wire/index.ts";
import type { Duplex } from "node:stream";

/** The send queue of one peer. */
export interface Queue {
  readonly bytes: number;
  /** Empty while the peer is anonymous. */
  readonly principal: string;
  /** The principal's own limit, if it is lower than the hub's. */
  readonly max?: number | undefined;
  /** A number that changes when the peer reads. */
  readonly read: number;
  /** Closes the connection and drops the queue. */
  cut(): void;
}

export interface QueueBudget {
  /** To be called when a queue has grown. */
  grew(queue: Queue): void;
  /** To be called when the peer has disconnected. */
  left(queue: Queue): void;
  /** Whether this many bytes more fit into a principal's queues; always, if they are empty. */
  hasRoom(principal: string, bytes: number): boolean;
  /** The same, after cutting off one idle peer if needed. */
  makeRoom(principal: string, bytes: number): boolean;
  /** The principals from which the hub evicts. */
  readonly ofBusiest: OfBusiest;
}

interface Known {
  readonly bytes: number;
  readonly principal: string;
  readonly read: number;
  /** Since when it has read nothing. */
  readonly since: number;
}

/** How long a peer may read nothing while others of its principal need the room. */
const idleTimeout = 2000;

/**
 * Cuts off peers while the queues of one principal, or all queues, exceed their limit: the largest queue of the busiest
 * principal, preferably of an idle peer. So a principal's many queues never cost another its connection.
 */
export function createQueueBudget(
  limits: Pick<Limits, "queuedBytesPerPrincipal" | "queuedBytesInAll">,
  onOver: OnOver,
  ofBusiest: OfBusiest = ofBusiestPrincipal,
): QueueBudget {
  const known = new Map<Queue, Known>();
  /**
   * The sizes at the last measurement, per principal and in all. They may be too large, never too small, since growth is
   * always reported.
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
  const idleOf = (principal: string) => {
    const latest = performance.now() - idleTimeout;
    return ofPrincipal(principal).filter(([, { since }]) => since <= latest);
  };
  const busiest = () =>
    ofBusiest(
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
      const { principal, max: most = limits.queuedBytesPerPrincipal } = queue;
      const isOver = () => (sums.get(principal) ?? 0) > most;
      if (isOver()) for (const [each] of ofPrincipal(principal)) look(each);
      while (isOver()) {
        const idle = idleOf(principal);
        cutLargest(idle.length > 0 ? idle : ofPrincipal(principal), "queuedBytesPerPrincipal");
      }
      if (total <= limits.queuedBytesInAll) return;
      for (const each of [...known.keys()]) look(each);
      while (total > limits.queuedBytesInAll) cutLargest(busiest(), "queuedBytesInAll");
    },
    left,
    ofBusiest,
  };
}

/**
 * The items of the principal that has the most, by number or size, in their order. Evicting from them spares all other
 * principals.
 */
export function ofBusiestPrincipal<Item>(
  items: readonly Item[],
  principalOf: (item: Item) => string,
  sizeOf: (item: Item) => number = () => 1,
): readonly Item[] {
  const byPrincipal = new Map<string, Item[]>();
  for (const item of items) {
    const principal = principalOf(item);
    const known = byPrincipal.get(principal);
    if (known) known.push(item);
    else byPrincipal.set(principal, [item]);
  }
  const size = (those: readonly Item[]) => those.reduce((sum, item) => sum + sizeOf(item), 0);
  const [busiest = []] = [...byPrincipal.values()].sort((one, other) => size(other) - size(one));
  return busiest;
}

export type OfBusiest = typeof ofBusiestPrincipal;

/** The same within the organisation that has the most, so that one with many principals costs no other anything. */
export function ofBusiestOrganisation(organisationOf: (principal: string) => string | undefined): OfBusiest {
  return (items, principalOf, sizeOf) => {
    const nameOf = (principal: string) => organisationOf(principal) ?? principal;
    const within = ofBusiestPrincipal(items, (item) => nameOf(principalOf(item)), sizeOf);
    return ofBusiestPrincipal(within, principalOf, sizeOf);
  };
}

/** Internals of a Node stream: the bytes of started writes that are not sent yet. */
interface Writes {
  readonly bytesWritten?: number;
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

/** A number that changes whenever the peer reads, even within one large write. */
export function readBytesOf(stream: (Duplex & Writes) | null): number {
  if (!stream) return 0;
  return (stream.bytesWritten ?? 0) - stream.writableLength - (stream._handle?.writeQueueSize ?? 0);
}

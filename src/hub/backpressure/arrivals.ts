// Limits the bytes of incomplete messages and requests, over all connections of a hub.
import { maxJsonAtOnce } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import { ofBusiestPrincipal } from "./of-busiest-principal.ts";
import type { QueueBudget } from "./queue-budget.ts";

/** A large incoming message, until it is complete. */
export interface Arrival {
  /** The bytes received so far. */
  bytes: number;
  readonly principal: string;
  /** The principal's own limit, if it is lower than the hub's. */
  readonly most?: number | undefined;
  /** Stops reading it for a while. */
  pause(): void;
  resume(): void;
  /** Closes its connection. */
  cut(): void;
}

export interface Arrivals {
  /** To be called when more of a message was received. */
  grew(arrival: Arrival): void;
  /** To be called when it is complete or aborted; can be called twice. */
  left(arrival: Arrival): void;
}

type ArrivalLimits = Pick<Limits, "arrivingBytesPerPrincipal" | "arrivingBytesInAll" | "requestTime">;

type Room = Pick<QueueBudget, "hasRoom" | "makeRoom">;

interface Known {
  readonly principal: string;
  counted: number;
  /** Cancels its timeout; undefined while it is paused. */
  stopTimer: (() => void) | undefined;
}

/** The interval of checking whether peers have read enough, in milliseconds. */
const recheckInterval = 50;

/**
 * Serializes a principal's large messages once they exceed its limit: all but the first are paused. All are paused while the
 * principal's peers have not read earlier messages, so a reading peer is not cut off by a fast sender, and one that does not
 * read is cut off when others wait for it. A message has `requestTime` while it is not paused. Beyond the limit of all
 * principals, the busiest one loses its largest message.
 */
export function createArrivals(limits: ArrivalLimits, onOver: OnOver, queues: Room): Arrivals {
  const known = new Map<Arrival, Known>();
  const ofPrincipal = new Map<string, number>();
  /** The principals with paused messages, which are checked again. */
  const looking = new Set<string>();
  let total = 0;

  function count(one: Known, bytes: number): void {
    const sum = (ofPrincipal.get(one.principal) ?? 0) + bytes - one.counted;
    total += bytes - one.counted;
    one.counted = bytes;
    if (sum > 0) ofPrincipal.set(one.principal, sum);
    else ofPrincipal.delete(one.principal);
  }

  const isFull = ({ principal, most = limits.arrivingBytesPerPrincipal }: Arrival): boolean =>
    (ofPrincipal.get(principal) ?? 0) > most;

  function cut(arrival: Arrival, name: "arrivingBytesPerPrincipal" | "arrivingBytesInAll"): void {
    left(arrival);
    onOver(name);
    arrival.cut();
  }

  function start(arrival: Arrival, one: Known): void {
    const timer = setTimeout(() => cut(arrival, "arrivingBytesPerPrincipal"), limits.requestTime);
    one.stopTimer = () => clearTimeout(timer);
  }

  function wait(arrival: Arrival, one: Known): void {
    one.stopTimer?.();
    one.stopTimer = undefined;
    arrival.pause();
  }

  /** A principal's arrivals, oldest first. */
  function itsOwn(principal: string): readonly (readonly [Arrival, Known])[] {
    return [...known].filter(([, one]) => one.principal === principal);
  }

  function cutLargest(): void {
    const busiest = ofBusiestPrincipal(
      [...known],
      ([, one]) => one.principal,
      ([, one]) => one.counted,
    );
    const [largest] = busiest.toSorted(([, one], [, other]) => other.counted - one.counted);
    if (largest) cut(largest[0], "arrivingBytesInAll");
  }

  function left(arrival: Arrival): void {
    const one = known.get(arrival);
    if (!one) return;
    known.delete(arrival);
    one.stopTimer?.();
    count(one, 0);
    goOn(one.principal);
  }

  /** Resumes paused messages while there is room; the first one always, once earlier messages are read. */
  function goOn(principal: string): void {
    const [first, ...others] = itsOwn(principal);
    const waiting = [first, ...others].filter((entry) => entry !== undefined && !entry[1].stopTimer);
    for (const entry of waiting) {
      if (!entry || (isFull(entry[0]) && entry !== first)) return;
      if (!queues.makeRoom(principal, needed(principal))) return lookAgain(principal);
      start(...entry);
      entry[0].resume();
    }
  }

  /** The bytes that a principal's messages may reach before the next check. */
  function needed(principal: string): number {
    return (ofPrincipal.get(principal) ?? 0) + itsOwn(principal).length * maxJsonAtOnce;
  }

  function lookAgain(principal: string): void {
    if (looking.has(principal)) return;
    const timer = setTimeout(() => {
      looking.delete(principal);
      goOn(principal);
    }, recheckInterval);
    timer.unref();
    looking.add(principal);
  }

  return {
    grew(arrival) {
      const { principal, bytes } = arrival;
      let one = known.get(arrival);
      if (!one) {
        known.set(arrival, (one = { principal, counted: 0, stopTimer: undefined }));
        start(arrival, one);
      }
      count(one, bytes);
      if (total > limits.arrivingBytesInAll) cutLargest();
      if (!known.has(arrival) || !one.stopTimer) return;
      if (!queues.hasRoom(principal, needed(principal))) {
        wait(arrival, one);
        return lookAgain(principal);
      }
      if (!isFull(arrival)) return;
      const [first] = itsOwn(principal);
      if (first?.[0] !== arrival) wait(arrival, one);
    },
    left,
  };
}

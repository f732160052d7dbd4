// How much may be there, over all connections of a hub, of messages and requests that have not come whole.
import type { Limits, OnOver } from "../../wire/index.ts";
import { ofBusiestPrincipal } from "./of-busiest-principal.ts";
import type { QueueBudget } from "./queue-budget.ts";

/** A large message, from the moment that it is known to be one until it is whole. */
export interface Arrival {
  /** How much of it has come. */
  bytes: number;
  readonly principal: string;
  /** What all of its principal's may hold, where that is less than the hub allows. */
  readonly most?: number | undefined;
  /** Reads no more of it for a while, and goes on. */
  pause(): void;
  resume(): void;
  /** Ends its connection. */
  cut(): void;
}

export interface Arrivals {
  /** To be called when more of a message came. */
  grew(arrival: Arrival): void;
  /** To be called when it is whole, or will never be; can be called twice. */
  left(arrival: Arrival): void;
}

/** From this size on a message is counted: nearly all are there at once. */
export const mostAtOnce = 65_536;

type ArrivalLimits = Pick<Limits, "arrivingBytesPerPrincipal" | "arrivingBytesInAll" | "requestTime">;

type Room = Pick<QueueBudget, "hasRoom" | "makeRoom">;

interface Known {
  readonly principal: string;
  counted: number;
  /** Calls off the end of its time; undefined while it waits its turn. */
  stopTimer: (() => void) | undefined;
}

/** How often it is looked whether those who read have made room, in milliseconds. */
const lookTime = 50;

/**
 * Lets a principal's large messages come one after the other once they are too much together: all but the first wait in
 * their senders. All wait while what has come cannot be handed on, as the principal's peers have not read what came before:
 * so a peer that reads is not cut off for what comes too fast, and one that does not is when others wait for it.
 * Each has `requestTime` from when it may come. Where the principals are too many, the one with the most loses its largest.
 */
export function createArrivals(limits: ArrivalLimits, onOver: OnOver, queues: Room): Arrivals {
  const known = new Map<Arrival, Known>();
  const ofPrincipal = new Map<string, number>();
  /** The principals whose messages wait for room. */
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

  /** Those of a principal, the one that came first before all others. */
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

  /** Those that wait go on while there is room, and the first of them once what came before is read. */
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

  /** How much may be there of a principal's messages before any of them is looked at again. */
  function needed(principal: string): number {
    return (ofPrincipal.get(principal) ?? 0) + itsOwn(principal).length * mostAtOnce;
  }

  function lookAgain(principal: string): void {
    if (looking.has(principal)) return;
    const timer = setTimeout(() => {
      looking.delete(principal);
      goOn(principal);
    }, lookTime);
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

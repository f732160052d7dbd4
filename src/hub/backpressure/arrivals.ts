// Limits the bytes of incomplete messages and requests, over all connections of a hub.
import { maxJsonAtOnce } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import type { QueueBudget } from "./queue-budget.ts";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { freeBytes } from "./free-bytes.ts";
import type { Admitted } from "../identity/admitted.ts";

/** A large incoming message, until it is complete. */
export interface Arrival {
  /** The bytes received so far. */
  bytes: number;
  readonly principal: string;
  /** The principal's own limit, if it is lower than the hub's. */
  readonly max?: number | undefined;
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

type Room = Pick<QueueBudget, "hasRoom" | "makeRoom" | "ofBusiest">;

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
  return new ArrivalBudget(limits, onOver, queues);
}

class ArrivalBudget implements Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #onOver: OnOver;
  readonly #queues: Room;
  readonly #known = new Map<Arrival, Known>();
  readonly #sums = new Map<string, number>();
  /** The principals with paused messages, which are checked again. */
  readonly #rechecked = new Set<string>();
  #total = 0;

  constructor(limits: ArrivalLimits, onOver: OnOver, queues: Room) {
    this.#limits = limits;
    this.#onOver = onOver;
    this.#queues = queues;
  }

  grew(arrival: Arrival): void {
    const { principal, bytes } = arrival;
    let one = this.#known.get(arrival);
    if (!one) {
      this.#known.set(arrival, (one = { principal, counted: 0, stopTimer: undefined }));
      this.#start(arrival, one);
    }
    this.#count(one, bytes);
    if (this.#total > this.#limits.arrivingBytesInAll) this.#cutLargest();
    if (!this.#known.has(arrival) || !one.stopTimer) return;
    if (!this.#queues.hasRoom(principal, this.#needed(principal))) {
      pause(arrival, one);
      return this.#recheck(principal);
    }
    if (!this.#isFull(arrival)) return;
    const [first] = this.#arrivalsOf(principal);
    if (first?.[0] !== arrival) pause(arrival, one);
  }

  left(arrival: Arrival): void {
    const one = this.#known.get(arrival);
    if (!one) return;
    this.#known.delete(arrival);
    one.stopTimer?.();
    this.#count(one, 0);
    this.#resume(one.principal);
  }

  #count(one: Known, bytes: number): void {
    const sum = (this.#sums.get(one.principal) ?? 0) + bytes - one.counted;
    this.#total += bytes - one.counted;
    one.counted = bytes;
    if (sum > 0) this.#sums.set(one.principal, sum);
    else this.#sums.delete(one.principal);
  }

  #isFull({ principal, max: most = this.#limits.arrivingBytesPerPrincipal }: Arrival): boolean {
    return (this.#sums.get(principal) ?? 0) > most;
  }

  #start(arrival: Arrival, one: Known): void {
    const timer = setTimeout(() => this.#cut(arrival, "arrivingBytesPerPrincipal"), this.#limits.requestTime);
    one.stopTimer = () => clearTimeout(timer);
  }

  #cut(arrival: Arrival, name: "arrivingBytesPerPrincipal" | "arrivingBytesInAll"): void {
    this.left(arrival);
    this.#onOver(name);
    arrival.cut();
  }

  #cutLargest(): void {
    const busiest = this.#queues.ofBusiest(
      [...this.#known],
      ([, one]) => one.principal,
      ([, one]) => one.counted,
    );
    const [largest] = busiest.toSorted(([, one], [, other]) => other.counted - one.counted);
    if (largest) this.#cut(largest[0], "arrivingBytesInAll");
  }

  /** Oldest first. */
  #arrivalsOf(principal: string): readonly (readonly [Arrival, Known])[] {
    return [...this.#known].filter(([, one]) => one.principal === principal);
  }

  /** Resumes paused messages while there is room; the first one always, once earlier messages are read. */
  #resume(principal: string): void {
    const all = this.#arrivalsOf(principal);
    for (const [arrival, one] of all) {
      if (one.stopTimer) continue;
      if (this.#isFull(arrival) && arrival !== all[0]?.[0]) return;
      if (!this.#queues.makeRoom(principal, this.#needed(principal))) return this.#recheck(principal);
      this.#start(arrival, one);
      arrival.resume();
    }
  }

  /** The bytes that a principal's messages may reach before the next check. */
  #needed(principal: string): number {
    return (this.#sums.get(principal) ?? 0) + this.#arrivalsOf(principal).length * maxJsonAtOnce;
  }

  #recheck(principal: string): void {
    if (this.#rechecked.has(principal)) return;
    const timer = setTimeout(() => {
      this.#rechecked.delete(principal);
      this.#resume(principal);
    }, recheckInterval);
    timer.unref();
    this.#rechecked.add(principal);
  }
}

function pause(arrival: Arrival, one: Known): void {
  one.stopTimer?.();
  one.stopTimer = undefined;
  arrival.pause();
}

interface Sender {
  readonly arrivals: Arrivals;
  /** Undefined while the client is anonymous. */
  readonly whose: () => Pick<Admitted, "principal" | "allowed"> | undefined;
  /** Max bytes of an anonymous client, and the handler for more. */
  readonly max: number;
  readonly tooMuch: () => void;
}

/**
 * Counts the bytes of each incomplete message, and frees its chunks when it is complete, since `ws` has copied them. Returns a
 * function to call when the socket closes.
 */
export function countArrivals(socket: WebSocket, stream: Duplex, sender: Sender): () => void {
  let bytes = 0;
  let arrival: Arrival | undefined;
  /** The chunks of a large message, except the first. */
  let chunks: Buffer[] = [];

  function stop(): void {
    bytes = 0;
    chunks = [];
    if (arrival) sender.arrivals.left(arrival);
    arrival = undefined;
  }

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes <= maxJsonAtOnce) return;
    chunks.push(chunk);
    const whose = sender.whose();
    if (whose) {
      arrival ??= begin(whose);
      arrival.bytes = bytes;
      sender.arrivals.grew(arrival);
    } else if (bytes > sender.max) {
      sender.tooMuch();
    }
  }

  const begin = ({ principal, allowed }: Pick<Admitted, "principal" | "allowed">): Arrival => ({
    bytes,
    principal,
    max: allowed?.arrivingBytesPerPrincipal,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cut: () => socket.terminate(),
  });

  // Runs before ws parses the chunk, so that a message which it completes is not counted any more.
  stream.prependListener("data", count);
  socket.on("message", (message: Buffer) => {
    // The last chunk may contain the start of the next message, and an unfragmented message is a view of its chunk.
    if (chunks.length > 1) freeBytes(chunks.slice(0, -1).filter(({ buffer }) => buffer !== message.buffer));
    stop();
  });
  return stop;
}

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { mostAtOnce } from "../backpressure/arrivals.ts";
import type { Arrival, Arrivals } from "../backpressure/arrivals.ts";
import { freeBytes } from "../backpressure/free-bytes.ts";
import type { Admitted } from "../identity/admitted.ts";

/** Whoever sends on a socket. */
export interface Sender {
  readonly arrivals: Arrivals;
  /** Undefined while it is not known who that is. */
  readonly whose: () => Pick<Admitted, "principal" | "allowed"> | undefined;
  /** How much one may send of whom that is not known, and what is done with one who sends more. */
  readonly most: number;
  readonly tooMuch: () => void;
}

/**
 * Counts what comes of each message of a socket until it is whole, and then gives back the memory that it came in: `ws` has
 * copied it. The returned function is to be called at its end.
 */
export function countArrivals(socket: WebSocket, stream: Duplex, sender: Sender): () => void {
  let bytes = 0;
  let arrival: Arrival | undefined;
  /** Those in which a large message comes, but for the first. */
  let chunks: Buffer[] = [];

  function stop(): void {
    bytes = 0;
    chunks = [];
    if (arrival) sender.arrivals.left(arrival);
    arrival = undefined;
  }

  function count(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes <= mostAtOnce) return;
    chunks.push(chunk);
    const whose = sender.whose();
    if (whose) {
      arrival ??= begin(whose);
      arrival.bytes = bytes;
      sender.arrivals.grew(arrival);
    } else if (bytes > sender.most) {
      sender.tooMuch();
    }
  }

  const begin = ({ principal, allowed }: Pick<Admitted, "principal" | "allowed">): Arrival => ({
    bytes,
    principal,
    most: allowed?.arrivingBytesPerPrincipal,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    cut: () => socket.terminate(),
  });

  // Before what reads the messages: one that is whole with these bytes is not counted any more.
  stream.prependListener("data", count);
  socket.on("message", (message: Buffer) => {
    // The next message may have begun in the last one, and a message that came in one piece is a part of its own.
    if (chunks.length > 1) freeBytes(chunks.slice(0, -1).filter(({ buffer }) => buffer !== message.buffer));
    stop();
  });
  return stop;
}

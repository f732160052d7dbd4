import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { maxJsonAtOnce } from "../../wire/index.ts";
import type { Arrival, Arrivals } from "../backpressure/arrivals.ts";
import { freeBytes } from "../backpressure/free-bytes.ts";
import type { Admitted } from "../identity/admitted.ts";

export interface Sender {
  readonly arrivals: Arrivals;
  /** Undefined while the client is anonymous. */
  readonly whose: () => Pick<Admitted, "principal" | "allowed"> | undefined;
  /** Max bytes of an anonymous client, and the handler for more. */
  readonly most: number;
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

  // Runs before ws parses the chunk, so that a message which it completes is not counted any more.
  stream.prependListener("data", count);
  socket.on("message", (message: Buffer) => {
    // The last chunk may contain the start of the next message, and an unfragmented message is a view of its chunk.
    if (chunks.length > 1) freeBytes(chunks.slice(0, -1).filter(({ buffer }) => buffer !== message.buffer));
    stop();
  });
  return stop;
}

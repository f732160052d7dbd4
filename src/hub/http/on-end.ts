import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createRoster } from "../roster.ts";
import type { Roster } from "../roster.ts";

/**
 * Runs once when an answer has ended, and at once when it has already, with whether all of it was sent. Returns a function
 * that stops it.
 */
export function onEnd(to: ServerResponse, run: (isSent: boolean) => void): () => void {
  const { socket } = to.req;
  let forget: (() => void) | undefined;
  const stopListening = () => {
    to.off("close", end);
    forget?.();
  };
  const end = () => {
    stopListening();
    // After a reset Node calls an answer finished that nobody read.
    run(to.writableFinished && !socket.errored);
  };
  to.on("close", end);
  // Node emits no close for an answer that waits behind another on its connection.
  if (!to.socket) forget = endsOn(socket).add(end);
  if (to.closed || socket.closed) end();
  return stopListening;
}

const endsOf = new WeakMap<Socket, Roster<() => void>>();

/** What runs when a connection ends, with one listener however many answers wait on it. */
function endsOn(socket: Socket): Roster<() => void> {
  const known = endsOf.get(socket);
  if (known) return known;
  const ends = createRoster<() => void>();
  endsOf.set(socket, ends);
  socket.on("close", () => {
    for (const end of ends.items()) end();
  });
  return ends;
}

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { createCarriedLink } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { closeReason, cutOff } from "../wire/index.ts";
import type { Limits } from "../wire/index.ts";
import { atEndOfTurn } from "./end-of-turn.ts";
import type { Queue, QueueBudget } from "./queue-budget.ts";

/**
 * Messages up to this size are handed on as text; larger ones stay bytes, which nobody then has to copy or decode. Bytes
 * keep what was read with them in memory, 64 KB at most: of smaller ones that would be many times what they are.
 */
const mostText = 8192;
/** How much may be written before it leaves, and be queued before it is looked at. */
const mostGathered = 16_384;
/** How long a peer may take to answer a close. */
const closeTime = 1000;

export interface ServerLinkOptions extends Pick<Limits, "queuedBytes"> {
  /** Bounds what waits for all peers together. */
  readonly budget: QueueBudget;
  /** On whose behalf the peer is there; empty while that is not known. */
  readonly principal: () => string;
  /** The stream below the socket, where what is sent in one turn of the event loop is to be gathered. */
  readonly stream?: Duplex | undefined;
}

/** A link over a socket that a hub accepted. It keeps large messages as bytes and cuts off a peer that does not read. */
export function createServerLink(socket: WebSocket, options: ServerLinkOptions): Link {
  const { queuedBytes, budget, stream } = options;
  const gather = stream ? gatherWrites(stream, Math.min(mostGathered, queuedBytes)) : (write: () => void) => write();
  const cut = () => {
    end(closeReason("too-slow"));
    socket.terminate();
  };
  const queue: Queue = {
    get bytes() {
      return socket.bufferedAmount;
    },
    get principal() {
      return options.principal();
    },
    cut,
  };
  const { link, receive, end } = createCarriedLink({
    get queuedBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.bufferedAmount > queuedBytes) return cut();
      gather(() => socket.send(message, { binary: false }));
      // A peer that reads has less than this waiting, and is not looked at.
      if (socket.bufferedAmount > mostGathered) budget.grew(queue);
    },
    close({ code, reason }) {
      socket.close(code, reason);
      const timer = setTimeout(() => socket.terminate(), closeTime);
      socket.on("close", () => clearTimeout(timer));
    },
  });

  socket.on("message", (data: Buffer, isBinary) => {
    // Text was checked to be UTF-8. Other bytes are made so here: passed on as text, they would break the next socket.
    receive(isBinary || data.length <= mostText ? data.toString("utf8") : data);
  });
  socket.on("close", () => budget.left(queue));
  socket.on("close", (code, reason) => end(code === cutOff.code ? cutOff : { code, reason: reason.toString() }));
  // The close event follows and says all that a link can say.
  socket.on("error", () => {});
  return link;
}

/** What is written in one turn leaves in one write, and wakes the peer once. */
function gatherWrites(stream: Duplex, most: number): (write: () => void) => void {
  let gathers = false;
  const flush = () => {
    gathers = false;
    stream.uncork();
  };
  return (write) => {
    if (!gathers) {
      gathers = true;
      stream.cork();
      atEndOfTurn(flush);
    }
    write();
    // Much gains nothing by waiting. It leaves after the write and not before, where it would hide what the write puts
    // into the queue from whoever compares `queuedBytes`.
    if (stream.writableLength <= most) return;
    stream.uncork();
    stream.cork();
  };
}

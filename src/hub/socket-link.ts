import type { WebSocket } from "ws";
import { createCarriedLink } from "../link/index.ts";
import type { Link } from "../link/index.ts";
import { closeReason, cutOff } from "../wire/index.ts";
import type { Limits } from "../wire/index.ts";

/** Messages up to this size are handed on as text; larger ones stay bytes, which nobody then has to copy or decode. */
const mostText = 16_384;
/** How long a peer may take to answer a close. */
const closeTime = 1000;

/** A link over a socket that a hub accepted. It keeps large messages as bytes and cuts off a peer that does not read. */
export function createServerLink(socket: WebSocket, limits: Pick<Limits, "queuedBytes">): Link {
  const { link, receive, end } = createCarriedLink({
    get queuedBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.bufferedAmount > limits.queuedBytes) {
        end(closeReason("too-slow"));
        return socket.terminate();
      }
      socket.send(message, { binary: false });
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
  socket.on("close", (code, reason) => end(code === cutOff.code ? cutOff : { code, reason: reason.toString() }));
  // The close event follows and says all that a link can say.
  socket.on("error", () => {});
  return link;
}

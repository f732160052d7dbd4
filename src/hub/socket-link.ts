import type { WebSocket } from "ws";
import type { Link, LinkEvents } from "../link/index.ts";
import { closeCodes, cutOff } from "../wire/index.ts";
import type { CloseReason, Limits, Message } from "../wire/index.ts";

/** Messages up to this size are handed on as text; larger ones stay bytes, which nobody then has to copy or decode. */
const mostText = 16_384;

/** A link over a socket that a hub accepted. It keeps large messages as bytes and cuts off a peer that does not read. */
export function createServerLink(socket: WebSocket, limits: Pick<Limits, "queuedBytes">): Link {
  let events: LinkEvents | undefined;
  let ended: CloseReason | undefined;
  let early: Message[] = [];

  const end = (reason: CloseReason) => {
    if (ended) return;
    ended = reason;
    events?.closed(reason);
  };
  socket.on("message", (data: Buffer) => {
    if (ended) return;
    const message = data.length <= mostText ? data.toString("utf8") : data;
    if (events) events.message(message);
    else early.push(message);
  });
  socket.on("close", (code, reason) => end(code === 1006 ? cutOff : { code, reason: reason.toString() }));
  // The close event follows and says all that a link can say.
  socket.on("error", () => {});

  const link: Link = {
    get open() {
      return !ended && socket.readyState === socket.OPEN;
    },
    get queuedBytes() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (!link.open) return;
      if (socket.bufferedAmount > limits.queuedBytes) {
        end({ code: closeCodes["too-slow"], reason: "too-slow" });
        return socket.terminate();
      }
      socket.send(message, { binary: false });
    },
    close(reason = { code: closeCodes.normal, reason: "" }) {
      if (ended) return;
      socket.close(reason.code, reason.reason.slice(0, 120));
      end(reason);
    },
    start(given) {
      events = given;
      for (const message of early) given.message(message);
      early = [];
      if (ended) given.closed(ended);
    },
  };
  return link;
}

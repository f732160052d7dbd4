import { linkCloseReason, cutOff, isJsonObject } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import { parseCloseReason } from "./close-reason.ts";
import type { Link } from "./link.ts";
import { ownBytes, parseMessage } from "./message-data.ts";

/** What a link needs of a MessagePort, in a browser or in Node. */
export interface PortLike {
  postMessage(data: unknown): void;
  start(): void;
  close(): void;
  addEventListener(
    type: "message" | "messageerror" | "close",
    listener: (event: { readonly type: string; readonly data?: unknown }) => void,
  ): void;
}

/**
 * A link over a MessagePort. Messages travel as they are; a close travels as an object, and anything else closes the
 * link. A peer that vanishes is noticed where ports have a `close` event: in Node, not in Chromium 156.
 */
export function createPortLink(port: PortLike): Link {
  const { link, receive, end } = createCarriedLink({
    // A port takes everything at once and never says when the peer has it.
    queuedBytes: 0,
    send: (message) => port.postMessage(ownBytes(message)),
    close(reason) {
      port.postMessage({ close: reason });
      port.close();
    },
  });
  const refuse = () =>
    link.close(linkCloseReason("frame-malformed", "A port carried something that is not a message."));

  port.addEventListener("message", ({ data }) => {
    const message = parseMessage(data);
    if (message !== undefined) return receive(message);
    const reason = isJsonObject(data) ? parseCloseReason(data["close"]) : undefined;
    if (reason === undefined) return refuse();
    end(reason);
    port.close();
  });
  port.addEventListener("messageerror", refuse);
  port.addEventListener("close", () => end(cutOff));
  port.start();
  return link;
}

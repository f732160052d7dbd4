import { linkCloseReason, cutOff, isJsonObject } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import { parseCloseReason } from "./close-reason.ts";
import type { Link } from "./link.ts";
import { ownBytes, parseMessage } from "./message-data.ts";

/** The part of a MessagePort that a link needs, in a browser or in Node. */
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
 * A link over a MessagePort. Messages are sent as they are and a close as an object; anything else closes the link. A peer
 * that disappears is noticed if ports have a `close` event: in Node, not in Chromium 156.
 */
export function createPortLink(port: PortLike): Link {
  const { link, receive, end } = createCarriedLink({
    // A port accepts everything at once and does not report delivery.
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

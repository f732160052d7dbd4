import { PagewireError, isJsonObject } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import { parseCloseReason } from "./close-reason.ts";
import type { Link } from "./link.ts";
import { ownBytes, parseMessage } from "./message-data.ts";

/** What a link needs to know of a message event. */
export interface WindowMessageEvent {
  readonly data: unknown;
  readonly origin: string;
  readonly source: unknown;
}

/** What a link needs of its own window. */
export interface WindowLike {
  addEventListener(type: "message", listener: (event: WindowMessageEvent) => void): void;
  removeEventListener(type: "message", listener: (event: WindowMessageEvent) => void): void;
}

/** What a link needs of the other window. */
export interface TargetWindowLike {
  postMessage(data: unknown, targetOrigin: string): void;
}

export interface WindowLinkOptions {
  readonly self: WindowLike;
  readonly target: TargetWindowLike;
  /** The exact origin of the other window, such as `https://shop.example`. */
  readonly origin: string;
  /** Names this link among others between the same windows. */
  readonly channel: string;
}

/**
 * A link to another window. It listens to that window at that origin about that channel, and ignores all else. What is
 * sent before the other side has made its link is lost, and a window that goes away is not noticed.
 */
export function createWindowLink({ self, target, origin, channel }: WindowLinkOptions): Link {
  requireExactOrigin(origin);
  const post = (envelope: object) => target.postMessage({ ...envelope, pagewire: channel }, origin);
  const { link, receive, end } = createCarriedLink({
    // A window takes everything at once and never says when the peer has it.
    queuedBytes: 0,
    send: (message) => post({ message: ownBytes(message) }),
    close(reason) {
      self.removeEventListener("message", listen);
      post({ close: reason });
    },
  });

  function listen({ data, origin: from, source }: WindowMessageEvent): void {
    if (source !== target || from !== origin || !isJsonObject(data) || data["pagewire"] !== channel) return;
    const message = parseMessage(data["message"]);
    if (message !== undefined) return receive(message);
    const reason = parseCloseReason(data["close"]);
    if (reason === undefined) return;
    self.removeEventListener("message", listen);
    end(reason);
  }

  self.addEventListener("message", listen);
  return link;
}

function requireExactOrigin(origin: string): void {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return;
  throw new PagewireError(
    "options-invalid",
    `A window link needs the exact origin of the other window, such as "https://shop.example", not "${origin}".`,
  );
}

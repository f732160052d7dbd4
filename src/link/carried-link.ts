// The part that all links share: messages are kept until `start`, every event comes in a microtask of its own and never from
// inside a call of the link's user, and `closed` comes once. The carrier transports the bytes.
import { linkCloseReason, messageOf } from "../wire/index.ts";
import type { CloseReason, Message } from "../wire/index.ts";
import { fitReason } from "./close-reason.ts";
import type { Link, LinkEvents } from "./link.ts";

/** The part of a link that depends on its transport. */
export interface Carrier {
  /** Bytes that the peer has not received yet, as far as the carrier knows. */
  readonly queuedBytes: number;
  send(message: Message): void;
  /** Notifies the peer and releases the carrier's resources. Called at most once. */
  close(reason: CloseReason): void;
}

/** A link as its carrier sees it. */
export interface CarriedLink {
  readonly link: Link;
  /** Bytes that arrived but were not delivered to the link's user yet. */
  readonly waitingBytes: number;
  receive(message: Message): void;
  /** The peer closed or is gone. */
  end(reason: CloseReason): void;
}

/** Makes a link from a carrier; also for your own kinds of links. */
export function createCarriedLink(carrier: Carrier): CarriedLink {
  const kept: (Message | CloseReason)[] = [];
  let events: LinkEvents | undefined;
  let deaf = false;
  let waitingBytes = 0;

  function later(event: Message | CloseReason): void {
    const listener = events;
    if (listener === undefined) return void kept.push(event);
    queueMicrotask(() => {
      try {
        if (typeof event === "object" && "code" in event) return listener.closed(event);
        waitingBytes -= event.length;
        if (!deaf) listener.message(event);
      } catch (error) {
        console.error(error);
        close(linkCloseReason("internal-error"));
      }
    });
  }

  function receive(message: Message): void {
    if (!link.open) return;
    waitingBytes += message.length;
    later(message);
  }

  function end(reason: CloseReason): void {
    if (!link.open) return;
    link.open = false;
    later(reason);
  }

  function close(reason: CloseReason = linkCloseReason("normal")): void {
    deaf = true;
    if (!link.open) return;
    const fitted = fitReason(reason);
    end(fitted);
    try {
      carrier.close(fitted);
    } catch {
      // A carrier that has ended has nothing left to close.
    }
  }

  function send(message: Message): void {
    if (!link.open) return;
    try {
      carrier.send(message);
    } catch (error) {
      close(linkCloseReason("internal-error", `The message could not be sent: ${messageOf(error)}`));
    }
  }

  function start(listener: LinkEvents): void {
    events = listener;
    kept.splice(0).forEach(later);
  }

  const link = {
    open: true,
    get queuedBytes() {
      return link.open ? carrier.queuedBytes : 0;
    },
    send,
    close,
    start,
  };

  return {
    link,
    get waitingBytes() {
      return waitingBytes;
    },
    receive,
    end,
  };
}

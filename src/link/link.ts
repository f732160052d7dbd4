import type { CloseReason, Message } from "../wire/index.ts";

/**
 * A bidirectional message stream to one peer: over a window, a port, a socket or memory.
 * A link transports bytes in order and does not interpret frames.
 */
export interface Link {
  readonly open: boolean;
  /** Bytes accepted by `send` that the peer has not received yet, as far as the carrier knows. */
  readonly queuedBytes: number;
  /** Sends one message. Never throws; on a closed link it does nothing. */
  send(message: Message): void;
  /** Closes the link; earlier messages are still delivered if the carrier can. May be called twice. */
  close(reason?: CloseReason): void;
  /** Starts delivery. Called once; earlier messages are kept and delivered first. */
  start(events: LinkEvents): void;
}

/** The events of a link. `closed` comes once and last, also after the user's own `close`. */
export interface LinkEvents {
  message(message: Message): void;
  closed(reason: CloseReason): void;
}

/** A source of time and timers, which tests can replace. */
export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Runs once after a delay; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

/** Wraps a link: `ended` runs before its listener, and returns the reason to pass on. */
export function watchEnd(link: Link, ended: (reason: CloseReason) => CloseReason): Link {
  return {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    send: link.send,
    close: link.close,
    start: ({ message, closed }) => link.start({ message, closed: (reason) => closed(ended(reason)) }),
  };
}

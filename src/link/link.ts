import type { CloseReason, Message } from "../wire/index.ts";

/**
 * Anything that carries messages to one peer: a window, a port, a socket, memory.
 * A link knows bytes and order, never what a frame means.
 */
export interface Link {
  readonly open: boolean;
  /** Bytes accepted by `send` that the peer has not taken yet, as far as the carrier can tell. */
  readonly queuedBytes: number;
  /** Sends one message. Never throws; on a closed link it does nothing. */
  send(message: Message): void;
  /** Ends the link; what was sent before is still delivered where the carrier can. Can be called twice. */
  close(reason?: CloseReason): void;
  /** Starts delivery. Called once; messages that came before are kept and delivered first. */
  start(events: LinkEvents): void;
}

/** What a link tells its user. After `closed` nothing follows, and `closed` comes once, also after one's own `close`. */
export interface LinkEvents {
  message(message: Message): void;
  closed(reason: CloseReason): void;
}

/** Time as it is given to whatever waits, so that tests can turn the clock. */
export interface Clock {
  /** Milliseconds that only go forward. */
  now(): number;
  /** Runs once after a delay; the returned function calls it off. */
  after(milliseconds: number, run: () => void): () => void;
}

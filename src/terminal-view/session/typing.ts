// The user's input on its way to the shell: sent once, buffered while disconnected, and reported where it may be lost.
import type { FrameFromView } from "../../wire/index.ts";

/** Max buffered characters: a few lines, which users still remember typing. */
const maxQueued = 4096;
const maxFrame = 32 * 1024;

export interface Typing {
  /** Number of characters that wait for the connection. */
  readonly waiting: number;
  send(text: string): void;
  /** Queues a text until connected, all of it or nothing; reports it if there is no room. */
  queue(text: string): void;
  /** Connected: sends the queued input. */
  sendWaiting(): void;
  /** Drops the queued input; returns the number of characters. */
  drop(): number;
  /** A frame of the hub arrived, which confirms what was sent before. */
  confirm(): void;
  /** The connection was lost, possibly with the input that was sent since the hub's last frame. */
  disconnected(): void;
  /** The shell has ended. Input for one shell must not go to another: its effect there is unknown. */
  shellEnded(): void;
}

export interface TypingParts {
  sendFrame(frame: FrameFromView, payload: string): unknown;
  /** Something that the user should know. */
  onNote(text: string): void;
}

export function createTyping({ sendFrame, onNote }: TypingParts): Typing {
  let queued = "";
  /** Number of characters sent since the hub's last frame. */
  let unconfirmed = 0;

  function send(text: string): void {
    unconfirmed += text.length;
    for (const piece of piecesOf(text, maxFrame)) sendFrame({ type: "input" }, piece);
  }

  function take(): string {
    const all = queued;
    queued = "";
    return all;
  }

  const drop = () => take().length;

  return {
    get waiting() {
      return queued.length;
    },
    send,
    queue(text) {
      if (queued.length + text.length > maxQueued) onNote("No more can be typed until the connection is back.");
      else queued += text;
    },
    sendWaiting: () => send(take()),
    drop,
    confirm() {
      unconfirmed = 0;
    },
    disconnected() {
      if (unconfirmed > 0) onNote(`The last ${charactersIn(unconfirmed)} may not have reached the shell.`);
      unconfirmed = 0;
    },
    shellEnded() {
      const length = drop();
      if (length > 0) onNote(`What you typed meanwhile (${charactersIn(length)}) was not sent: its shell is gone.`);
    },
  };
}

function charactersIn(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

/** Splits a text into pieces of at most `max` UTF-16 units, without splitting a character. */
function piecesOf(text: string, max: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + max;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

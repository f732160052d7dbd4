// The user's input on its way to the shell: sent once, buffered while disconnected, and reported where it may be lost.
import type { FrameFromView } from "../../wire/index.ts";

/** Input that the user types while disconnected from the shell. */
interface TypedAhead {
  /** Number of buffered characters. */
  readonly length: number;
  /** Buffers a text, all of it or nothing; returns whether there was room. */
  add(text: string): boolean;
  /** Returns the buffered text and empties the buffer. */
  take(): string;
}

/** Max buffered characters: a few lines, which users still remember typing. */
const most = 4096;

function createTypedAhead(): TypedAhead {
  let kept = "";
  return {
    get length() {
      return kept.length;
    },
    add(text) {
      if (kept.length + text.length > most) return false;
      kept += text;
      return true;
    },
    take() {
      const all = kept;
      kept = "";
      return all;
    },
  };
}

export interface Typing {
  /** Number of characters that wait for the connection. */
  readonly waiting: number;
  send(text: string): void;
  /** Buffers a text until connected; reports it if there is no room. */
  keep(text: string): void;
  /** Connected: sends the buffered input. */
  sendWaiting(): void;
  /** Drops the buffered input; returns the number of characters. */
  drop(): number;
  /** A frame of the hub arrived, which confirms what was sent before. */
  heard(): void;
  /** The connection was lost, possibly with the input that was sent since the hub's last frame. */
  cut(): void;
  /** The shell has ended. Input for one shell must not go to another: its effect there is unknown. */
  shellGone(): void;
}

export interface TypingParts {
  sendFrame(frame: FrameFromView, payload: string): unknown;
  /** Something that the user should know. */
  onNote(text: string): void;
}

/** Max characters of one frame. */
const inputPiece = 32 * 1024;

export function createTyping({ sendFrame, onNote }: TypingParts): Typing {
  const ahead = createTypedAhead();
  /** Number of characters sent since the hub's last frame. */
  let unheard = 0;

  function send(text: string): void {
    unheard += text.length;
    for (const piece of piecesOf(text, inputPiece)) sendFrame({ type: "input" }, piece);
  }

  const drop = () => ahead.take().length;

  return {
    get waiting() {
      return ahead.length;
    },
    send,
    keep(text) {
      if (!ahead.add(text)) onNote("No more can be typed until the connection is back.");
    },
    sendWaiting: () => send(ahead.take()),
    drop,
    heard() {
      unheard = 0;
    },
    cut() {
      if (unheard > 0) onNote(`The last ${charactersIn(unheard)} may not have reached the shell.`);
      unheard = 0;
    },
    shellGone() {
      const length = drop();
      if (length > 0) onNote(`What you typed meanwhile (${charactersIn(length)}) was not sent: its shell is gone.`);
    },
  };
}

function charactersIn(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}

/** Splits a text into pieces of at most `most` UTF-16 units, without splitting a character. */
function piecesOf(text: string, most: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = start + most;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

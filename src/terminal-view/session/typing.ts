// What somebody types on its way to their shell: sent once, kept while there is no way, and told where it may be lost.
import type { FrameFromView } from "../../wire/index.ts";

/** What somebody types while there is no way to their shell. */
interface TypedAhead {
  /** How many characters wait. */
  readonly length: number;
  /** Keeps a text, all of it or nothing; says whether there was room. */
  add(text: string): boolean;
  /** Gives what waits, and keeps it no longer. */
  take(): string;
}

/** So much is kept: a few lines, which somebody still knows that they typed. */
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
  /** How many characters wait for the way to the shell. */
  readonly waiting: number;
  send(text: string): void;
  /** Keeps a text until the way is there; says so where there is no room for it. */
  keep(text: string): void;
  /** The way is there: sends what waits. */
  sendWaiting(): void;
  /** Drops what waits; says how many characters that were. */
  drop(): number;
  /** A frame of the hub arrived, which confirms what was sent before. */
  heard(): void;
  /** The way is gone, and what was sent since the hub was heard perhaps with it. */
  cut(): void;
  /** The shell is gone. What was typed for one is not for another: nobody knows what it would do there. */
  shellGone(): void;
}

export interface TypingParts {
  sendFrame(frame: FrameFromView, payload: string): unknown;
  /** Something that the user should know. */
  onNote(text: string): void;
}

/** So many characters travel at once. */
const inputPiece = 32 * 1024;

export function createTyping({ sendFrame, onNote }: TypingParts): Typing {
  const ahead = createTypedAhead();
  /** How many characters were sent since the hub was heard. */
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

/** Cuts a text into pieces of at most so many characters, none of which ends within one. */
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

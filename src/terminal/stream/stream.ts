// Delivers the output of one pseudo terminal to many readers, each at its own pace. Active readers get everything,
// because they apply backpressure to the program; stalled ones do not. Independent of sockets.
import type { Clock } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import { createKeptOutput, unfinishedPart } from "./kept-output.ts";
import { createMute } from "./mute.ts";
import type { Mute } from "./mute.ts";

export interface Reader {
  /** The next output starts at this position, and not where the reader left off. */
  begin(at: number): void;
  output(at: number, text: string): void;
  /** Whether this reader answers the queries of programs. */
  readonly answers: boolean;
}

export interface Stream {
  add(text: string): void;
  /** Joins from an earlier position, if given. Returns whether the reader misses nothing. */
  join(reader: Reader, from: number | undefined): boolean;
  leave(reader: Reader): void;
  /** The reader has displayed everything before this position. */
  seen(reader: Reader, at: number): void;
  /** Delivers all remaining output, at the end of the stream. */
  finish(): void;
}

export interface StreamOptions {
  readonly limits: Pick<Limits, "terminalBytes" | "terminalUnseenBytes" | "terminalPatience">;
  readonly clock: Clock;
  /** Pauses or resumes the program. */
  readonly onPressure: (isHigh: boolean) => void;
}

interface Place {
  sent: number;
  seen: number;
  /** Stalled: too far behind for too long to apply backpressure. */
  isLate: boolean;
  stopWaiting: (() => void) | undefined;
  mute: Mute;
}

/** Max characters in one frame. */
const frameSize = 65_536;

export function createStream({ limits, clock, onPressure }: StreamOptions): Stream {
  const { terminalBytes, terminalUnseenBytes: window, terminalPatience } = limits;
  const kept = createKeptOutput();
  const places = new Map<Reader, Place>();
  /** Queries before this position have been answered. */
  let answered = 0;
  let isHigh = false;
  let willSend = false;
  /** The stream ended: send everything, without backpressure. */
  let isOver = false;

  /** Reads from a position, or from the start of the kept text if that is newer. */
  function start(place: Place, from: number | undefined) {
    const isKept = from !== undefined && from >= kept.start && from <= kept.end;
    // The modes replace the last dropped text, and must not be longer.
    const preface = isKept ? "" : kept.preface().slice(0, kept.start);
    const at = isKept ? from : kept.start - preface.length;
    place.sent = at + preface.length;
    place.seen = at;
    place.mute = createMute();
    return { at, isWhole: isKept || kept.start === 0, preface };
  }

  function beginAt(reader: Reader, { at, preface }: ReturnType<typeof start>): void {
    reader.begin(at);
    if (preface !== "") reader.output(at, preface);
  }

  function sendTo(reader: Reader, place: Place): void {
    if (place.sent < kept.start) beginAt(reader, start(place, undefined));
    while (place.sent < kept.end && (isOver || place.sent - place.seen < window)) {
      const { sent } = place;
      const isRaw = reader.answers && sent >= answered && !place.mute.isWithin;
      const text = next(sent, sent < answered ? Math.min(frameSize, answered - sent) : frameSize);
      if (text === "") return;
      place.sent += text.length;
      if (isRaw) answered = place.sent;
      reader.output(sent, isRaw ? text : place.mute.take(text));
    }
  }

  /** The text from a position, without an incomplete escape sequence at its end, which cannot be stripped yet. */
  function next(at: number, most: number): string {
    const text = kept.read(at, most);
    const whole = text.slice(0, text.length - unfinishedPart(text).length);
    const isLast = isOver || at + text.length < kept.end;
    return whole === "" && isLast ? text : whole;
  }

  function sendAll(): void {
    willSend = false;
    for (const [reader, place] of places) if (!place.isLate) sendTo(reader, place);
    settle();
  }

  /** Sends the output of one turn of the event loop in one frame. */
  function sendSoon(): void {
    if (willSend) return;
    willSend = true;
    setImmediate(sendAll);
  }

  function settle(): void {
    if (isOver) return;
    const reading = [...places.values()].filter((place) => !place.isLate);
    const behind = Math.max(0, ...reading.map((place) => kept.end - place.seen));
    kept.trim(terminalBytes, Math.min(kept.end, ...reading.map((place) => place.sent)));
    for (const place of reading) if (kept.end - place.seen > window) place.stopWaiting ??= giveTime(place);
    // Hysteresis: without it, the program would pause and resume with every line.
    const wasHigh = isHigh;
    isHigh = behind > (wasHigh ? window / 2 : window);
    if (isHigh !== wasHigh) onPressure(isHigh);
  }

  function giveTime(place: Place): () => void {
    return clock.after(terminalPatience, () => {
      place.isLate = true;
      place.stopWaiting = undefined;
      settle();
    });
  }

  return {
    add(text) {
      kept.add(text);
      settle();
      sendSoon();
    },
    join(reader, from) {
      const place: Place = { sent: 0, seen: 0, isLate: false, stopWaiting: undefined, mute: createMute() };
      const begun = start(place, from);
      places.set(reader, place);
      beginAt(reader, begun);
      sendSoon();
      return begun.isWhole;
    },
    leave(reader) {
      places.get(reader)?.stopWaiting?.();
      places.delete(reader);
      settle();
    },
    seen(reader, at) {
      const place = places.get(reader);
      if (!place || at <= place.seen || at > place.sent) return;
      place.seen = at;
      place.isLate = false;
      place.stopWaiting?.();
      place.stopWaiting = undefined;
      settle();
      sendSoon();
    },
    finish() {
      isOver = true;
      for (const [reader, place] of places) {
        place.stopWaiting?.();
        sendTo(reader, place);
      }
    },
  };
}

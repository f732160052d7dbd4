// What one pseudo terminal prints, for all who read it, each at its own pace. The program waits for whoever reads, and
// not for whoever has stopped: nobody who reads misses anything. It knows nothing of sockets.
import type { Clock } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import { createKeptOutput } from "./kept-output.ts";
import { createMute } from "./mute.ts";
import type { Mute } from "./mute.ts";
import { unfinishedPart } from "./unfinished-part.ts";

/** Whoever shows a stream. */
export interface Reader {
  /** Output comes next that begins here, and not where the reader left. */
  begin(at: number): void;
  output(at: number, text: string): void;
  /** Whether this is the one that answers what programs ask of a terminal. */
  readonly answers: boolean;
}

export interface Stream {
  add(text: string): void;
  /** From where it was read before, if it was. Says whether the reader gets all that it has not seen. */
  join(reader: Reader, from: number | undefined): boolean;
  leave(reader: Reader): void;
  /** The reader has shown what came before. */
  seen(reader: Reader, at: number): void;
  /** Gives everybody all that there is: nothing follows. */
  finish(): void;
}

export interface StreamOptions {
  readonly limits: Pick<Limits, "terminalBytes" | "terminalUnseenBytes" | "terminalPatience">;
  readonly clock: Clock;
  /** The program shall wait, or go on. */
  readonly onPressure: (isHigh: boolean) => void;
}

interface Place {
  sent: number;
  seen: number;
  /** Has been behind for so long that nobody waits for it any more. */
  isLate: boolean;
  stopWaiting: (() => void) | undefined;
  mute: Mute;
}

/** How much goes into one frame. */
const frameSize = 65_536;

export function createStream({ limits, clock, onPressure }: StreamOptions): Stream {
  const { terminalBytes, terminalUnseenBytes: window, terminalPatience } = limits;
  const kept = createKeptOutput();
  const places = new Map<Reader, Place>();
  /** Up to here somebody has answered what was asked. */
  let answered = 0;
  let isHigh = false;
  let willSend = false;
  /** Nothing follows: all that there is can be sent, and there is nobody to wait for. */
  let isOver = false;

  /** Reads from here, where that is still kept, else from the start of what is. */
  function start(place: Place, from: number | undefined) {
    const isKept = from !== undefined && from >= kept.start && from <= kept.end;
    // It stands for the last part of what is lost, and is no longer than that was.
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

  /** What begins here, but for the last command where its end has not come: half of it would be nobody's or everybody's. */
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

  /** What comes in one turn leaves in one frame. */
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
    // Half of it must be seen before more comes, or the program would stop and go with every line.
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

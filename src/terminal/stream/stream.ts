// Delivers the output of one pseudo terminal to many readers, each at its own pace. Active readers get everything,
// because they apply backpressure to the program; stalled ones do not. Independent of sockets.
import type { Clock } from "../../link/index.ts";
import type { Limits } from "../../wire/index.ts";
import { RequestFilter, StickyModes, unfinishedPart } from "./escape-sequences.ts";

export interface Reader {
  /** The next output starts at this position, and not where the reader stopped. */
  begin(at: number): void;
  output(at: number, text: string): void;
  /** Whether this reader answers the queries of programs. */
  readonly answers: boolean;
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
  filter: RequestFilter;
}

/** Max characters in one frame. */
const frameSize = 65_536;

export class Stream {
  readonly #limits: StreamOptions["limits"];
  readonly #clock: Clock;
  readonly #onPressure: StreamOptions["onPressure"];
  readonly #kept = new KeptOutput();
  readonly #places = new Map<Reader, Place>();
  /** Queries before this position have been answered. */
  #answered = 0;
  #isHigh = false;
  #willSend = false;
  /** The stream ended: send everything, without backpressure. */
  #isOver = false;

  constructor({ limits, clock, onPressure }: StreamOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onPressure = onPressure;
  }

  add(text: string): void {
    this.#kept.add(text);
    this.#settle();
    this.#sendSoon();
  }

  /** Joins from an earlier position, if given. Returns whether the reader misses nothing. */
  join(reader: Reader, from: number | undefined): boolean {
    const place = { sent: 0, seen: 0, isLate: false, stopWaiting: undefined, filter: new RequestFilter() };
    this.#places.set(reader, place);
    const isWhole = this.#start(reader, place, from);
    this.#sendSoon();
    return isWhole;
  }

  leave(reader: Reader): void {
    this.#places.get(reader)?.stopWaiting?.();
    this.#places.delete(reader);
    this.#settle();
  }

  /** The reader has displayed everything before this position. */
  seen(reader: Reader, at: number): void {
    const place = this.#places.get(reader);
    if (!place || at <= place.seen || at > place.sent) return;
    place.seen = at;
    place.isLate = false;
    place.stopWaiting?.();
    place.stopWaiting = undefined;
    this.#settle();
    this.#sendSoon();
  }

  /** Delivers all remaining output, at the end of the stream. */
  finish(): void {
    this.#isOver = true;
    for (const [reader, place] of this.#places) {
      place.stopWaiting?.();
      this.#sendTo(reader, place);
    }
  }

  /** Starts at a position, or at the start of the kept text if that is newer. Returns whether nothing is missing. */
  #start(reader: Reader, place: Place, from: number | undefined): boolean {
    const { start, end } = this.#kept;
    const isKept = from !== undefined && from >= start && from <= end;
    // The modes replace the last dropped text, and must not be longer.
    const preface = isKept ? "" : this.#kept.preface().slice(0, start);
    const at = isKept ? from : start - preface.length;
    place.sent = at + preface.length;
    place.seen = at;
    place.filter = new RequestFilter();
    reader.begin(at);
    if (preface !== "") reader.output(at, preface);
    return isKept || start === 0;
  }

  #sendTo(reader: Reader, place: Place): void {
    if (place.sent < this.#kept.start) this.#start(reader, place, undefined);
    const window = this.#limits.terminalUnseenBytes;
    while (place.sent < this.#kept.end && (this.#isOver || place.sent - place.seen < window)) {
      const { sent, filter } = place;
      const isRaw = reader.answers && sent >= this.#answered && !filter.isWithin;
      const text = this.#read(sent, sent < this.#answered ? Math.min(frameSize, this.#answered - sent) : frameSize);
      if (text === "") return;
      place.sent += text.length;
      if (isRaw) this.#answered = place.sent;
      reader.output(sent, isRaw ? text : filter.strip(text));
    }
  }

  /** The text from a position, without an incomplete escape sequence at its end, which cannot be stripped yet. */
  #read(at: number, max: number): string {
    const text = this.#kept.read(at, max);
    const whole = text.slice(0, text.length - unfinishedPart(text).length);
    const isLast = this.#isOver || at + text.length < this.#kept.end;
    return whole === "" && isLast ? text : whole;
  }

  /** Sends the output of one turn of the event loop in one frame. */
  #sendSoon(): void {
    if (this.#willSend) return;
    this.#willSend = true;
    setImmediate(() => {
      this.#willSend = false;
      for (const [reader, place] of this.#places) if (!place.isLate) this.#sendTo(reader, place);
      this.#settle();
    });
  }

  #settle(): void {
    if (this.#isOver) return;
    const { terminalBytes, terminalUnseenBytes: window } = this.#limits;
    const { end } = this.#kept;
    const reading = [...this.#places.values()].filter((place) => !place.isLate);
    const behind = Math.max(0, ...reading.map((place) => end - place.seen));
    this.#kept.trim(terminalBytes, Math.min(end, ...reading.map((place) => place.sent)));
    for (const place of reading) if (end - place.seen > window) place.stopWaiting ??= this.#awaitAck(place);
    // Hysteresis: without it, the program would pause and resume with every line.
    const wasHigh = this.#isHigh;
    this.#isHigh = behind > (wasHigh ? window / 2 : window);
    if (this.#isHigh !== wasHigh) this.#onPressure(this.#isHigh);
  }

  #awaitAck(place: Place): () => void {
    return this.#clock.after(this.#limits.terminalPatience, () => {
      place.isLate = true;
      place.stopWaiting = undefined;
      this.#settle();
    });
  }
}

/** Small parts are joined to limit their number. */
const blockSize = 16_384;

/** The tail of a stream of text. Positions are in UTF-16 units from the start of the stream. */
export class KeptOutput {
  readonly #blocks: { readonly at: number; text: string }[] = [];
  readonly #modes = new StickyModes();
  #end = 0;

  get start(): number {
    return this.#blocks[0]?.at ?? this.#end;
  }

  get end(): number {
    return this.#end;
  }

  add(text: string): void {
    if (text === "") return;
    const last = this.#blocks.at(-1);
    if (last && last.text.length + text.length <= blockSize) last.text += text;
    else this.#blocks.push({ at: this.#end, text });
    this.#end += text.length;
  }

  /** The text from a position, up to a max length; never splits a character. */
  read(at: number, max: number): string {
    const parts: string[] = [];
    let left = max;
    // Most reads are near the end.
    const first = this.#blocks.findLastIndex((block) => block.at <= at);
    for (const block of this.#blocks.slice(Math.max(0, first))) {
      if (left <= 0) break;
      const from = Math.max(0, at - block.at);
      const part = block.text.slice(from, from + left);
      left -= part.length;
      parts.push(part);
    }
    return wholeCharacters(parts.join(""));
  }

  /** Drops the oldest text beyond `max`, but nothing from `needed` on. */
  trim(max: number, needed: number): void {
    let count = 0;
    for (const { at, text } of this.#blocks) {
      if (this.#end - at <= max || at + text.length > needed) break;
      this.#modes.pass(text);
      count++;
    }
    this.#blocks.splice(0, count);
  }

  /** The modes at the start of the kept text. */
  preface(): string {
    return this.#modes.text();
  }
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 && text.length > 1 ? text.slice(0, -1) : text;
}

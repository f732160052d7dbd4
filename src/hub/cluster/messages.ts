// The form of messages between hubs: one line of words, then the body as its author wrote it. Words are the kind, the sender,
// the sender's time, the number of the message among the sender's to this subject, and what the kind needs. A message that is
// too long for the bus travels in parts, each with a number. What is sent to a subject in one turn of the event loop travels as
// one message, a batch: its entries have lines of their own, with the kind, the bytes of the body, and the words.
import type { Message } from "../../wire/index.ts";
import type { Bus } from "./bus.ts";

export interface Received {
  readonly kind: string;
  /** The sending hub. */
  readonly from: string;
  /** The sender's clock. */
  readonly at: number;
  readonly number: number;
  readonly words: readonly string[];
  readonly body: Buffer;
}

/** The kind, and the words that it needs: no word has a space or a line break. */
export type Head = readonly [kind: string, ...words: (string | number)[]];

export interface Sender {
  /** Sends it at the end of this turn, or drops it while the bus is down. */
  send(subject: string, head: Head, body?: Message): void;
  /** Sends what waits for the end of the turn. */
  flush(): void;
  /** The last number at each subject, of all that was sent so far. */
  counts(): Readonly<Record<string, number>>;
  /** A subject that gets no more messages. */
  forget(subject: string): void;
}

interface SenderOptions {
  readonly id: string;
  readonly now: () => number;
  /** The beginning of all subjects. */
  readonly prefix: string;
}

interface Entry {
  readonly head: Head;
  readonly body: Message;
}

/** The messages to a subject in this turn. */
interface Turn {
  entries: Entry[];
  bytes: number;
}

const partHeadBytes = 128;
const mostLine = 128;
/** A larger batch would be copied for little. */
const batchBytes = 64 * 1024;
const maxHeadBytes = 1024;
const hubForm = /^[\w-]{22}$/;

export function createSender(bus: Bus, { id, now, prefix }: SenderOptions): Sender {
  const counts = new Map<string, number>();
  const turns = new Map<string, Turn>();
  let parts = 0;

  function inParts(subject: string, whole: Buffer): boolean {
    const size = bus.maxBytes - partHeadBytes;
    const part = ++parts;
    const count = Math.ceil(whole.length / size);
    for (let index = 0; index < count; index++) {
      const slice = whole.subarray(index * size, (index + 1) * size);
      const head = headLine(["part", part, index, count], next(subject));
      if (!publish(subject, Buffer.concat([Buffer.from(head), slice]))) return false;
    }
    return true;
  }

  const next = (subject: string) => (counts.get(subject) ?? 0) + 1;

  /** A message that is dropped here has no number: the bus is down, and all is asked for again. */
  function publish(subject: string, message: Uint8Array): boolean {
    const isSent = bus.publish(prefix + subject, message);
    if (isSent) counts.set(subject, next(subject));
    return isSent;
  }

  function headLine([kind, ...words]: Head, number: number): string {
    return `${[kind, id, Math.round(now()), number, ...words].join(" ")}\n`;
  }

  function sendTurn(subject: string, { entries }: Turn): void {
    const [first, ...more] = entries;
    if (!first) return;
    if (more.length > 0)
      return void publish(subject, joined(headLine(["batch"], next(subject)), entries.flatMap(inBatch)));
    const message = joined(headLine(first.head, next(subject)), [first.body]);
    if (message.length <= bus.maxBytes) publish(subject, message);
    else inParts(subject, message);
  }

  function flush(): void {
    const due = [...turns];
    turns.clear();
    for (const [subject, turn] of due) sendTurn(subject, turn);
  }

  return {
    send(subject, head, body = "") {
      if (!bus.isUp) return;
      if (turns.size === 0) bus.afterTurn(flush);
      const bytes = Buffer.byteLength(body) + mostLine;
      let turn = turns.get(subject);
      if (!turn) turns.set(subject, (turn = { entries: [], bytes: 0 }));
      if (turn.bytes + bytes > Math.min(batchBytes, bus.maxBytes)) {
        sendTurn(subject, turn);
        turn.entries = [];
        turn.bytes = 0;
      }
      turn.entries.push({ head, body });
      turn.bytes += bytes;
    },
    flush,
    counts() {
      flush();
      return Object.fromEntries(counts);
    },
    forget: (subject) => void counts.delete(subject),
  };
}

const inBatch = ({ head: [kind, ...words], body }: Entry): readonly Message[] => [
  `${[kind, Buffer.byteLength(body), ...words].join(" ")}\n`,
  body,
];

function joined(line: string, rest: readonly Message[]): Buffer {
  if (rest.every((each) => typeof each === "string")) return Buffer.from(line + rest.join(""));
  return Buffer.concat([line, ...rest].map((each) => (typeof each === "string" ? Buffer.from(each) : each)));
}

/** The messages in one of the bus; none, if it is not ours. */
export function parseMessages(bytes: Uint8Array): readonly Received[] {
  const message = parseMessage(bytes);
  if (!message) return [];
  return message.kind === "batch" ? entriesOf(message) : [message];
}

function parseMessage(bytes: Uint8Array): Received | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = whole.indexOf("\n");
  if (end < 0 || end > maxHeadBytes) return undefined;
  const [kind = "", from = "", time = "", count = "", ...words] = whole.toString("utf8", 0, end).split(" ");
  const [at, number] = [Number(time), Number(count)];
  if (!hubForm.test(from) || !Number.isFinite(at) || !Number.isSafeInteger(number)) return undefined;
  return { kind, from, at, number, words, body: whole.subarray(end + 1) };
}

function entriesOf({ from, at, number, body }: Received): readonly Received[] {
  const entries: Received[] = [];
  for (let start = 0; start < body.length;) {
    const end = body.indexOf("\n", start);
    if (end < 0 || end - start > maxHeadBytes) break;
    const [kind = "", size = "", ...words] = body.toString("utf8", start, end).split(" ");
    const next = end + 1 + Number(size);
    if (!(next > end && next <= body.length)) break;
    entries.push({ kind, from, at, number, words, body: body.subarray(end + 1, next) });
    start = next;
  }
  return entries;
}

interface Pending {
  readonly number: string | undefined;
  readonly chunks: Buffer[];
  bytes: number;
}

export interface Reader {
  /** The message, once it is complete. */
  read(message: Received): Received | undefined;
  /** Drops the parts of a hub that is gone. */
  forget(hub: string): void;
}

/** Joins parts, up to `maxBytes` of one message; a hub sends the parts of a message one after the other. */
export function createReader(maxBytes: number): Reader {
  const pending = new Map<string, Pending>();
  return {
    read(message) {
      if (message.kind !== "part") return message;
      const { from, words, body } = message;
      const [number, index, count] = words;
      if (index === "0") pending.set(from, { number, chunks: [], bytes: 0 });
      const known = pending.get(from);
      // A part was lost, with the broker perhaps.
      if (known?.number !== number || known?.chunks.length !== Number(index)) return void pending.delete(from);
      known.bytes += body.length;
      if (known.bytes > maxBytes) return void pending.delete(from);
      known.chunks.push(body);
      if (known.chunks.length < Number(count)) return undefined;
      pending.delete(from);
      const joined = parseMessage(Buffer.concat(known.chunks));
      return joined?.from === from && joined.kind !== "part" ? joined : undefined;
    },
    forget: (hub) => void pending.delete(hub),
  };
}

/** A page's socket sends bytes as a binary message, and small frames as text. */
export function bodyOf(body: Buffer): Message {
  return body.length <= maxText ? body.toString() : body;
}

const maxText = 4096;

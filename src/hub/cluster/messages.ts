// The form of messages between hubs: one line of words, then the body as its author wrote it. Words are the kind, the sender,
// the sender's time, the number of the message among the sender's to this subject, and what the kind needs. A message that is
// too long for the bus travels in parts, each with a number.
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
  /** Returns whether it was sent. */
  send(subject: string, head: Head, body?: Message): boolean;
  /** The last number at each subject. */
  counts(): Readonly<Record<string, number>>;
  /** A subject that gets no more messages. */
  forget(subject: string): void;
}

interface SenderOptions {
  readonly id: string;
  readonly now: () => number;
  /** What all subjects begin with. */
  readonly prefix: string;
}

const partHeadBytes = 128;
const maxHeadBytes = 1024;
const hubForm = /^[\w-]{22}$/;

export function createSender(bus: Bus, { id, now, prefix }: SenderOptions): Sender {
  const counts = new Map<string, number>();
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

  /** What is dropped here has no number: the bus is down, and all is asked for again. */
  function publish(subject: string, message: Uint8Array): boolean {
    const isSent = bus.publish(prefix + subject, message);
    if (isSent) counts.set(subject, next(subject));
    return isSent;
  }

  function headLine([kind, ...words]: Head, number: number): string {
    return `${[kind, id, Math.round(now()), number, ...words].join(" ")}\n`;
  }

  return {
    send(subject, head, body = "") {
      const line = headLine(head, next(subject));
      const message = typeof body === "string" ? Buffer.from(line + body) : Buffer.concat([Buffer.from(line), body]);
      return message.length <= bus.maxBytes ? publish(subject, message) : inParts(subject, message);
    },
    counts: () => Object.fromEntries(counts),
    forget: (subject) => void counts.delete(subject),
  };
}

/** Undefined for what is no message of ours. */
export function parseMessage(bytes: Uint8Array): Received | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = whole.indexOf("\n");
  if (end < 0 || end > maxHeadBytes) return undefined;
  const [kind = "", from = "", time = "", count = "", ...words] = whole.toString("utf8", 0, end).split(" ");
  const [at, number] = [Number(time), Number(count)];
  if (!hubForm.test(from) || !Number.isFinite(at) || !Number.isSafeInteger(number)) return undefined;
  return { kind, from, at, number, words, body: whole.subarray(end + 1) };
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

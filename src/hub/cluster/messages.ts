// The form of messages between hubs: one line of words, then the body as its author wrote it. Words are the kind, the sender,
// the sender's time, the number of the message among the sender's to this subject, and what the kind needs. A message that is
// too long travels in parts, each with a number. What is sent to a subject in one turn of the event loop travels as
// one message, a batch: its entries have lines of their own, with the kind, the bytes of the body, and the words.
import type { Message } from "../../wire/index.ts";

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

/** The kind, and the words that it needs: all in ASCII, without spaces and line breaks. */
export type Head = readonly [kind: string, ...words: (string | number)[]];

/** A hub that gets a message, and the lane in which it waits if the hub has no room for it yet. */
export type To = string | { readonly hub: string; readonly lane: string; readonly onLate?: () => void };

export type Post = (to: To, head: Head, body?: Message) => void;

/** Messages that wait for other hubs. */
export interface Room {
  /** Whether what can be refused is still to be sent. */
  hasRoom(hub: string, lane: string): boolean;
  /** Runs it once nothing of a lane waits; returns whether it has to wait, and does not run it if not. */
  isWaiting(lane: { readonly hub: string; readonly lane: string }, run: () => void): boolean;
}

/** The line that a message of the bus begins with. */
export interface Line {
  readonly head: Head;
  readonly id: string;
  readonly at: number;
  readonly number: number;
}

const maxHeadBytes = 1024;
const lineEnd = 10;
const hubForm = /^[\w-]{22}$/;

export function lineOf({ head: [kind, ...words], id, at, number }: Line): string {
  return `${[kind, id, Math.round(at), number, ...words].join(" ")}\n`;
}

/** A message within a batch. */
export function inBatch({
  head: [kind, ...words],
  body,
}: {
  readonly head: Head;
  readonly body: Message;
}): readonly Message[] {
  return [`${[kind, Buffer.byteLength(body), ...words].join(" ")}\n`, body];
}

export function joined(line: string, rest: readonly Message[]): Buffer {
  const parts = [line, ...rest];
  const all = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) {
    if (typeof part === "string") end += all.write(part, end);
    else {
      all.set(part, end);
      end += part.length;
    }
  }
  return all;
}

/** The messages in one of the bus; none, if it is not ours. */
export function parseMessages(bytes: Uint8Array): readonly Received[] {
  const message = parseMessage(bytes);
  if (!message) return [];
  return message.kind === "batch" ? entriesOf(message) : [message];
}

function parseMessage(bytes: Uint8Array): Received | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = whole.indexOf(lineEnd);
  if (end < 0 || end > maxHeadBytes) return undefined;
  const words = whole.toString("latin1", 0, end).split(" ");
  const [kind = "", from = "", time = "", count = ""] = words;
  const [at, number] = [Number(time), Number(count)];
  if (!hubForm.test(from) || !Number.isFinite(at) || !Number.isSafeInteger(number)) return undefined;
  return { kind, from, at, number, words: words.slice(4), body: whole.subarray(end + 1) };
}

function entriesOf({ from, at, number, body }: Received): readonly Received[] {
  const entries: Received[] = [];
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(lineEnd, start);
    if (end < 0 || end - start > maxHeadBytes) break;
    const words = body.toString("latin1", start, end).split(" ");
    const [kind = "", size = ""] = words;
    const next = end + 1 + Number(size);
    if (!(next > end && next <= body.length)) break;
    entries.push({ kind, from, at, number, words: words.slice(2), body: body.subarray(end + 1, next) });
    start = next;
  }
  return entries;
}

interface Pending {
  readonly chunks: Buffer[];
  bytes: number;
}

export interface Reader {
  /** The message, once it is complete. */
  read(message: Received): Received | undefined;
  /** Drops the parts of a hub that is gone. */
  forget(hub: string): void;
}

/** Joins parts, up to `maxBytes` of one message; those of several messages of a hub may come by turns. */
export function createReader(maxBytes: number): Reader {
  const pending = new Map<string, Map<string, Pending>>();
  return {
    read(message) {
      if (message.kind !== "part") return message;
      const { from, words, body } = message;
      const [number = "", index, count] = words;
      const ofHub = pending.get(from) ?? new Map<string, Pending>();
      pending.set(from, ofHub);
      if (index === "0") ofHub.set(number, { chunks: [], bytes: 0 });
      const known = ofHub.get(number);
      // A part was lost, with the broker perhaps.
      if (known?.chunks.length !== Number(index)) return void ofHub.delete(number);
      known.bytes += body.length;
      if (known.bytes > maxBytes) return void ofHub.delete(number);
      known.chunks.push(body);
      if (known.chunks.length < Number(count)) return undefined;
      ofHub.delete(number);
      const whole = parseMessage(Buffer.concat(known.chunks));
      return whole?.from === from && whole.kind !== "part" ? { ...whole, at: message.at } : undefined;
    },
    forget: (hub) => void pending.delete(hub),
  };
}

/** A page's socket sends bytes as a binary message, and small frames as text. */
export function bodyOf(body: Buffer): Message {
  return body.length <= maxText ? body.toString() : body;
}

const maxText = 4096;

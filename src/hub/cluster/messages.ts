// The form of messages between hubs: one line of words, then the body as its author wrote it. Words are the kind, the sender,
// the sender's time, and what the kind needs. A message that is too long for the bus travels in parts.
import type { Message } from "../../wire/index.ts";
import type { Bus } from "./bus.ts";

export interface Received {
  readonly kind: string;
  /** The sending hub. */
  readonly from: string;
  /** The sender's clock. */
  readonly at: number;
  readonly words: readonly string[];
  readonly body: Buffer;
}

/** The kind, and the words that it needs: no word has a space or a line break. */
export type Head = readonly [kind: string, ...words: (string | number)[]];

export interface Sender {
  /** Returns whether it was sent. */
  send(subject: string, head: Head, body?: Message): boolean;
}

const partHeadBytes = 128;
const maxHeadBytes = 1024;
const hubForm = /^[\w-]{22}$/;

export function createSender(bus: Bus, { id, now }: { readonly id: string; readonly now: () => number }): Sender {
  let parts = 0;

  function inParts(subject: string, whole: Buffer): boolean {
    const size = bus.maxBytes - partHeadBytes;
    const number = ++parts;
    const count = Math.ceil(whole.length / size);
    for (let index = 0; index < count; index++) {
      const head = Buffer.from(headLine(["part", number, index, count]));
      const slice = whole.subarray(index * size, (index + 1) * size);
      if (!bus.publish(subject, Buffer.concat([head, slice]))) return false;
    }
    return true;
  }

  function headLine([kind, ...words]: Head): string {
    return `${[kind, id, Math.round(now()), ...words].join(" ")}\n`;
  }

  return {
    send(subject, head, body = "") {
      const line = headLine(head);
      const message = typeof body === "string" ? Buffer.from(line + body) : Buffer.concat([Buffer.from(line), body]);
      return message.length <= bus.maxBytes ? bus.publish(subject, message) : inParts(subject, message);
    },
  };
}

/** Undefined for what is no message of ours. */
function parseMessage(bytes: Uint8Array): Received | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = whole.indexOf("\n");
  if (end < 0 || end > maxHeadBytes) return undefined;
  const [kind = "", from = "", time = "", ...words] = whole.toString("utf8", 0, end).split(" ");
  const at = Number(time);
  if (!hubForm.test(from) || !Number.isFinite(at)) return undefined;
  return { kind, from, at, words, body: whole.subarray(end + 1) };
}

interface Pending {
  readonly number: string | undefined;
  readonly chunks: Buffer[];
  bytes: number;
}

export interface Reader {
  /** The message, once it is complete. */
  read(bytes: Uint8Array): Received | undefined;
  /** Drops the parts of a hub that is gone. */
  forget(hub: string): void;
}

/** Joins parts, up to `maxBytes` of one message; a hub sends the parts of a message one after the other. */
export function createReader(maxBytes: number): Reader {
  const pending = new Map<string, Pending>();
  return {
    read(bytes) {
      const message = parseMessage(bytes);
      if (message?.kind !== "part") return message;
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

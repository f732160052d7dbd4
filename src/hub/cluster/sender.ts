// Sends messages to subjects of the bus. What is sent to a subject in one turn of the event loop travels as one message, a
// batch; what is too long travels in parts. What another hub has no room for yet waits in its outbox.
import type { Limits, Message } from "../../wire/index.ts";
import type { Bus } from "./bus.ts";
import { inBatch, joined, lineOf } from "./messages.ts";
import type { Head } from "./messages.ts";
import { Outbox } from "./outbox.ts";

export interface Sent {
  readonly head: Head;
  readonly body?: Message | undefined;
  /** The lane, in an outbox. */
  readonly lane?: string | undefined;
  /** Called instead of sending it, where it has waited too long. */
  readonly onLate?: (() => void) | undefined;
}

interface Entry {
  readonly head: Head;
  readonly body: Message;
  readonly bytes: number;
  /** When it was given to the sender. */
  readonly at: number;
  readonly onLate: (() => void) | undefined;
  /** The same for all parts of one message. */
  readonly message: { isDropped?: true };
}

/** The messages to a subject in this turn. */
interface Turn {
  entries: Entry[];
  bytes: number;
}

export interface SenderOptions {
  readonly bus: Bus;
  readonly id: string;
  readonly now: () => number;
  /** The beginning of all subjects. */
  readonly prefix: string;
  /** Whether a subject is the inbox of another hub that is there. */
  readonly isInbox: (subject: string) => boolean;
  readonly limits: Pick<Limits, "queuedBytesPerPrincipal" | "queuedBytesInAll">;
  /** There was no room for what cannot be refused: all that waited for this subject, which had the most, was dropped. */
  readonly onOver: (subject: string) => void;
}

/** The bytes of a line, at most. */
const mostLine = 256;
/** A larger batch would be copied for little. */
const batchBytes = 64 * 1024;
const partBytes = 256 * 1024;
/** A message with `onLate` waits no longer than this: its receiver would not take it. */
const lateTime = 2000;
/** Messages of a batch have one time, which is wrong by no more than this. */
const batchTime = 20;
/** These do not wait: without them nothing else would go on. */
const urgent: readonly string[] = ["read", "probe"];

export class Sender {
  readonly #options: SenderOptions;
  readonly #counts = new Map<string, number>();
  readonly #turns = new Map<string, Turn>();
  readonly #outboxes = new Map<string, Outbox<Entry>>();
  #parted = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends it at the end of this turn, or when there is room; drops it while the bus is down. */
  send(subject: string, sent: Sent): void {
    const { bus, now, isInbox } = this.#options;
    if (!bus.isUp) return;
    const { head, body = "", lane = "", onLate } = sent;
    const entry = { head, body, onLate, at: now(), bytes: Buffer.byteLength(body) + mostLine, message: {} };
    const parts = this.#partsOf(entry);
    if (!isInbox(subject) || urgent.includes(head[0])) return this.#writeAll(subject, parts);
    const outbox = this.#outboxOf(subject);
    if (outbox.isOpen && outbox.isEmpty && parts.length === 1) return this.#writeAll(subject, parts);
    for (const part of parts) outbox.push(lane, part);
    this.#pump(subject, outbox);
    this.#dropMost();
  }

  /** Whether what can be refused is still to be sent. */
  hasRoom(subject: string, lane: string): boolean {
    const { queuedBytesPerPrincipal, queuedBytesInAll } = this.#options.limits;
    const outbox = this.#outboxes.get(subject);
    return !outbox || (outbox.bytesOf(lane) < queuedBytesPerPrincipal && this.#waiting < queuedBytesInAll);
  }

  /** Runs it once nothing of a lane waits; returns whether it has to wait, and does not run it if not. */
  isWaiting(subject: string, lane: string, run: () => void): boolean {
    return this.#outboxes.get(subject)?.isWaiting(lane, run) ?? false;
  }

  /** Another hub has read bytes of what it was sent. */
  read(subject: string, bytes: number): void {
    const outbox = this.#outboxes.get(subject);
    outbox?.read(bytes);
    if (outbox) this.#pump(subject, outbox);
  }

  /** All that was sent to a hub before counts for nothing. */
  restart(subject: string): void {
    this.#outboxes.get(subject)?.clear();
  }

  /** Sends what waits for the end of the turn. */
  flush(): void {
    for (const subject of [...this.#turns.keys()]) this.#sendTurn(subject);
  }

  /** Sends all that waits. */
  end(): void {
    for (const [subject, outbox] of this.#outboxes)
      for (let all = outbox.take(); all.length > 0; all = outbox.take()) this.#writeAll(subject, all);
    this.flush();
  }

  /** The last number at each subject, of all that was sent so far. */
  counts(): Readonly<Record<string, number>> {
    this.flush();
    return Object.fromEntries(this.#counts);
  }

  /** A subject that gets no more messages. */
  forget(subject: string): void {
    this.#counts.delete(subject);
    this.#outboxes.delete(subject);
  }

  /** The bytes that wait for all hubs. */
  get #waiting(): number {
    let sum = 0;
    for (const { bytes } of this.#outboxes.values()) sum += bytes;
    return sum;
  }

  /** Small things that cannot be refused may be many. */
  #dropMost(): void {
    const { limits, bus, onOver } = this.#options;
    if (this.#waiting <= 2 * limits.queuedBytesInAll) return;
    const [most] = [...this.#outboxes].toSorted(([, one], [, other]) => other.bytes - one.bytes);
    if (!most) return;
    const [subject, outbox] = most;
    outbox.clear();
    bus.afterTurn(() => onOver(subject));
  }

  #outboxOf(subject: string): Outbox<Entry> {
    const outbox = this.#outboxes.get(subject) ?? new Outbox();
    this.#outboxes.set(subject, outbox);
    return outbox;
  }

  #pump(subject: string, outbox: Outbox<Entry>): void {
    const { now } = this.#options;
    while (outbox.isOpen && !outbox.isEmpty) {
      for (const entry of outbox.take()) {
        const { onLate, at, message } = entry;
        if (onLate && now() - at > lateTime) {
          message.isDropped = true;
          queueMicrotask(onLate);
        } else if (!message.isDropped) this.#write(subject, entry);
      }
      this.#sendTurn(subject);
    }
  }

  #writeAll(subject: string, entries: readonly Entry[]): void {
    for (const entry of entries) this.#write(subject, entry);
  }

  #write(subject: string, entry: Entry): void {
    const { bus } = this.#options;
    if (this.#turns.size === 0) bus.afterTurn(() => this.flush());
    const before = this.#turns.get(subject);
    const [first = entry] = before?.entries ?? [];
    const isFull = before && before.bytes + entry.bytes > Math.min(batchBytes, bus.maxBytes);
    if (isFull || entry.at - first.at > batchTime) this.#sendTurn(subject);
    const turn = this.#turns.get(subject) ?? { entries: [], bytes: mostLine };
    this.#turns.set(subject, turn);
    turn.entries.push(entry);
    turn.bytes += entry.bytes;
  }

  #sendTurn(subject: string): void {
    const { id } = this.#options;
    const [first, ...more] = this.#turns.get(subject)?.entries ?? [];
    this.#turns.delete(subject);
    if (!first) return;
    const { head, at, body } = first;
    const line = { id, at, number: (this.#counts.get(subject) ?? 0) + 1 };
    if (more.length === 0) return this.#publish(subject, joined(lineOf({ ...line, head }), [body]));
    this.#publish(subject, joined(lineOf({ ...line, head: ["batch"] }), [first, ...more].flatMap(inBatch)));
  }

  /** A message that is dropped here has no number: the bus is down, and all is asked for again. */
  #publish(subject: string, message: Uint8Array): void {
    const { bus, prefix } = this.#options;
    if (!bus.publish(prefix + subject, message)) return;
    this.#counts.set(subject, (this.#counts.get(subject) ?? 0) + 1);
    const outbox = this.#outboxes.get(subject);
    if (outbox) outbox.unread += message.length;
  }

  #partsOf(entry: Entry): readonly Entry[] {
    const { bus, id, now } = this.#options;
    const size = Math.min(partBytes, bus.maxBytes) - mostLine;
    const { head, at, bytes, onLate } = entry;
    if (bytes - mostLine <= size) return [entry];
    const whole = joined(lineOf({ head, at, id, number: 0 }), [entry.body]);
    const part = ++this.#parted;
    const count = Math.ceil(whole.length / size);
    const message = {};
    return Array.from({ length: count }, (_, index) => {
      const body = whole.subarray(index * size, (index + 1) * size);
      const shared = { head: ["part", part, index, count] as Head, body, bytes: body.length + mostLine, message };
      if (index === 0) return { ...shared, at, onLate };
      return {
        ...shared,
        onLate: undefined,
        get at() {
          return now();
        },
      };
    });
  }
}

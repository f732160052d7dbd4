// Batches records for the store, in order. While the store rejects them they are queued up to a limit; beyond it they are
// counted, and the count is recorded as a gap.
import { messageOf } from "../../wire/index.ts";
import type { Limits, Payload } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { AuditRecord, Store, Undigested } from "../store/index.ts";
import { createPayloadRoom } from "./payload-room.ts";
import type { PayloadRoom } from "./payload-room.ts";

export interface RecorderOptions {
  readonly store: Pick<Store, "addAudit">;
  readonly limits: Pick<Limits, "auditBatchTime" | "auditWaiting" | "auditDigestBytes">;
  readonly note: Note;
  /** The HMAC key of digests. */
  readonly key: string;
  /** Called for each lost record. */
  readonly onLost: () => void;
  /** The first records, which depend on what the store has. */
  readonly first: () => Promise<readonly AuditRecord[]>;
}

interface Batch {
  readonly records: readonly AuditRecord[];
  readonly undigested: Undigested | undefined;
  readonly weight: number;
}

/** Max records in a batch. */
const maxAtOnce = 250;
/** A record with this many bytes of contents counts as two. */
const weightBytes = 1024;
/** Retry interval while the store rejects records, and the timeout of a stopping hub. */
const retryTime = 1000;
const closeTime = 5000;

export function createRecorder(options: RecorderOptions): Recorder {
  return new Recorder(options);
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #room: PayloadRoom;
  readonly #batches: Batch[] = [];
  #gathered: AuditRecord[] = [];
  /** The length of `#batches` in records, and the bytes of contents in the open batch. */
  #weight = 0;
  #contentBytes = 0;
  #lost: { readonly from: string; until: string; count: number } | undefined;
  #isFailing = false;
  #hasFirst = false;
  #writing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#room = createPayloadRoom(options.key, options.limits.auditDigestBytes);
    this.#writeLater(options.limits.auditBatchTime);
  }

  add(record: AuditRecord): void {
    if (this.makeRoom(record.at)) this.push(record);
  }

  /**
   * Reserves room for a record with these payloads. Returns a function that takes them, in the order of the record's fields;
   * undefined if there is no room, in which case the record counts as lost.
   */
  makeRoom(at: string, ...payloads: readonly (Payload | undefined)[]): PayloadRoom["put"] | undefined {
    const waiting = this.#weight + this.#gathered.length + weightOf(this.#contentBytes);
    if (this.#lost || waiting >= this.#options.limits.auditWaiting) {
      this.#lost ??= { from: at, until: at, count: 0 };
      this.#lost.until = at;
      this.#lost.count++;
      this.#options.onLost();
      return undefined;
    }
    if (this.#gathered.length >= maxAtOnce || !this.#room.has(...payloads)) this.#closeBatch();
    return this.#room.put;
  }

  /** Adds a record for which room was reserved. */
  push(record: AuditRecord): void {
    this.#gathered.push(record);
    if (record.details) this.#contentBytes += contentsOf(record.details);
    const isMuch = this.#batches.length > 0 || this.#gathered.length >= maxAtOnce;
    if (isMuch && !this.#isFailing && !this.#writing) this.#writeNow();
    else this.#writeLater(this.#options.limits.auditBatchTime);
  }

  /** Resolves when all records are written, or cannot be. */
  async close(): Promise<void> {
    const aborting = new AbortController();
    const timeout = setTimeout(() => aborting.abort(), closeTime);
    const { signal } = aborting;
    do {
      this.#writeNow();
      await Promise.race([this.#writing, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    } while (!this.#isEmpty() && !this.#isFailing && !signal.aborted);
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(timeout);
    const waiting = this.#batches.reduce((sum, { records }) => sum + records.length, this.#gathered.length);
    const count = waiting + (this.#lost?.count ?? 0);
    if (count > 0) this.#options.note("error", "audit-lost", { count });
  }

  #isEmpty(): boolean {
    return this.#batches.length === 0 && this.#gathered.length === 0;
  }

  #writeLater(time: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => this.#writeNow(), time);
  }

  #writeNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (!this.#isEmpty()) this.#writeLater(this.#isFailing ? retryTime : this.#options.limits.auditBatchTime);
    });
  }

  async #write(): Promise<void> {
    const { first, note } = this.#options;
    // While batches are queued, a small batch keeps filling.
    const isBehind = this.#batches.length > 0;
    try {
      if (!this.#hasFirst) this.#batches.unshift({ records: await first(), undigested: undefined, weight: 0 });
      this.#hasFirst = true;
      if (!isBehind) this.#closeBatch();
      while (this.#batches.length > 0) await this.#writeBatch();
      if (this.#isFailing) note("info", "audit-goes-on");
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) note("error", "audit-not-saved", { message: messageOf(error) });
      this.#isFailing = true;
    }
  }

  async #writeBatch(): Promise<void> {
    const [batch] = this.#batches;
    if (!batch) return;
    await this.#options.store.addAudit(batch.records, batch.undigested);
    this.#batches.shift();
    this.#weight -= batch.weight;
    if (batch.undigested) this.#room.giveBack(batch.undigested);
    if (!this.#lost) return;
    const { from, until, count } = this.#lost;
    this.#lost = undefined;
    this.push(gap(until, "not-saved", { from, until, count }));
  }

  #closeBatch(): void {
    if (this.#gathered.length === 0) return;
    const undigested = this.#room.take();
    const bytes = this.#contentBytes + (undigested?.bytes.length ?? 0);
    const weight = this.#gathered.length + weightOf(bytes);
    this.#batches.push({ records: this.#gathered, undigested, weight });
    this.#weight += weight;
    this.#gathered = [];
    this.#contentBytes = 0;
  }
}

function weightOf(bytes: number): number {
  return Math.floor(bytes / weightBytes);
}

/** The size of the contents that a record keeps. */
function contentsOf(details: NonNullable<AuditRecord["details"]>): number {
  const { arguments: given, result } = details;
  return lengthOf(given) + lengthOf(result);
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

export function gap(
  at: string,
  name: "not-saved" | "killed",
  details: NonNullable<AuditRecord["details"]>,
): AuditRecord {
  return { at, kind: "gap", principal: "", name, details };
}

// Batches records for the store, in order. While the store rejects them they are queued up to a limit; beyond it they are
// counted, and the count is recorded as a gap.
import { messageOf } from "../../wire/index.ts";
import type { Limits, Payload } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { AuditRecord, Store, Undigested } from "../store/index.ts";
import { createPayloadRoom } from "./payload-room.ts";
import type { PayloadRoom } from "./payload-room.ts";

export interface Recorder {
  add(record: AuditRecord): void;
  /**
   * Reserves room for a record with these payloads. Returns a function that takes them, in the order of the record's fields;
   * undefined if there is no room, in which case the record counts as lost.
   */
  makeRoom(at: string, ...payloads: readonly (Payload | undefined)[]): PayloadRoom["put"] | undefined;
  /** Adds a record for which room was reserved. */
  push(record: AuditRecord): void;
  /** Resolves when all records are written, or cannot be. */
  close(): Promise<void>;
}

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
  const { store, limits, note, key, onLost, first } = options;
  const room = createPayloadRoom(key, limits.auditDigestBytes);
  const batches: Batch[] = [];
  let gathered: AuditRecord[] = [];
  /** The queue's length in records, and the bytes of contents in the open batch. */
  let weight = 0;
  let beside = 0;
  let lost: { readonly from: string; until: string; count: number } | undefined;
  let isFailing = false;
  let hasFirst = false;
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  const isEmpty = () => batches.length === 0 && gathered.length === 0;

  function writeLater(time: number): void {
    if (!isClosed) timer ??= setTimeout(writeNow, time);
  }

  function writeNow(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
      if (!isEmpty()) writeLater(isFailing ? retryTime : limits.auditBatchTime);
    });
  }

  async function write(): Promise<void> {
    // While batches are queued, a small batch keeps filling.
    const isBehind = batches.length > 0;
    try {
      if (!hasFirst) batches.unshift({ records: await first(), undigested: undefined, weight: 0 });
      hasFirst = true;
      if (!isBehind) closeBatch();
      while (batches.length > 0) await writeBatch();
      if (isFailing) note("info", "audit-goes-on");
      isFailing = false;
    } catch (error) {
      if (!isFailing) note("error", "audit-not-saved", { message: messageOf(error) });
      isFailing = true;
    }
  }

  async function writeBatch(): Promise<void> {
    const [batch] = batches;
    if (!batch) return;
    await store.addAudit(batch.records, batch.undigested);
    batches.shift();
    weight -= batch.weight;
    if (batch.undigested) room.giveBack(batch.undigested);
    if (!lost) return;
    const { from, until, count } = lost;
    lost = undefined;
    push(gap(until, "not-saved", { from, until, count }));
  }

  /** Closes the open batch. */
  function closeBatch(): void {
    if (gathered.length === 0) return;
    const undigested = room.take();
    const own = gathered.length + weightOf(beside + (undigested?.bytes.length ?? 0));
    batches.push({ records: gathered, undigested, weight: own });
    weight += own;
    gathered = [];
    beside = 0;
  }

  function makeRoom(at: string, ...payloads: readonly (Payload | undefined)[]): PayloadRoom["put"] | undefined {
    if (lost || weight + gathered.length + weightOf(beside) >= limits.auditWaiting) {
      lost ??= { from: at, until: at, count: 0 };
      lost.until = at;
      lost.count++;
      onLost();
      return undefined;
    }
    if (gathered.length >= maxAtOnce || !room.has(...payloads)) closeBatch();
    return room.put;
  }

  function push(record: AuditRecord): void {
    gathered.push(record);
    if (record.details) beside += contentsOf(record.details);
    const isMuch = batches.length > 0 || gathered.length >= maxAtOnce;
    if (isMuch && !isFailing && !writing) writeNow();
    else writeLater(limits.auditBatchTime);
  }

  writeLater(limits.auditBatchTime);

  return {
    makeRoom,
    push,
    add(record) {
      if (makeRoom(record.at)) push(record);
    },
    async close() {
      const givenUp = new AbortController();
      const patience = setTimeout(() => givenUp.abort(), closeTime);
      const { signal } = givenUp;
      do {
        writeNow();
        await Promise.race([writing, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      } while (!isEmpty() && !isFailing && !signal.aborted);
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(patience);
      const waiting = batches.reduce((sum, { records }) => sum + records.length, gathered.length);
      const count = waiting + (lost?.count ?? 0);
      if (count > 0) note("error", "audit-lost", { count });
    },
  };
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

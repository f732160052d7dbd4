// Gathers records and gives them to the store, many at a time and in their order. Where the store does not take them they
// wait, as many as the limit lets; of more it keeps only how many there were, and records that as a gap.
import { messageOf } from "../../wire/index.ts";
import type { Limits, Payload } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { AuditRecord, Store, Undigested } from "../store/index.ts";
import { createPayloadRoom } from "./payload-room.ts";
import type { PayloadRoom } from "./payload-room.ts";

export interface Recorder {
  add(record: AuditRecord): void;
  /**
   * Makes room for a record with these payloads; gives what takes them, in the order of the record's fields, before the
   * record is added. Undefined where there is none, and the record is counted as lost.
   */
  makeRoom(at: string, ...payloads: readonly (Payload | undefined)[]): PayloadRoom["put"] | undefined;
  /** Adds a record for which room was made. */
  push(record: AuditRecord): void;
  /** Resolves when all is written that was added by now and can be. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly store: Pick<Store, "addAudit">;
  readonly limits: Pick<Limits, "auditBatchTime" | "auditWaiting" | "auditDigestBytes">;
  readonly note: Note;
  /** What digests are made with. */
  readonly key: string;
  /** Hears of each record that is lost. */
  readonly onLost: () => void;
  /** What comes before all others, once the store can be asked for it. */
  readonly first: () => Promise<readonly AuditRecord[]>;
}

interface Batch {
  readonly records: readonly AuditRecord[];
  readonly undigested: Undigested | undefined;
  readonly weight: number;
}

/** So many are given to the store at a time. */
const mostAtOnce = 250;
/** A record with so much beside it takes the room of two. */
const weightBytes = 1024;
/** How long a store that does not take records has until it is asked again, and until a hub that stops gives up. */
const retryTime = 1000;
const closeTime = 5000;

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, limits, note, key, onLost, first } = options;
  const room = createPayloadRoom(key, limits.auditDigestBytes);
  const batches: Batch[] = [];
  let gathered: AuditRecord[] = [];
  /** How much waits, in records; and how much that was gathered has beside it. */
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
    // While others wait, what is not much yet is gathered further.
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

  /** What was gathered becomes a batch, and what comes next another. */
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
    if (gathered.length >= mostAtOnce || !room.has(...payloads)) closeBatch();
    return room.put;
  }

  function push(record: AuditRecord): void {
    gathered.push(record);
    if (record.details) beside += contentsOf(record.details);
    const isMuch = batches.length > 0 || gathered.length >= mostAtOnce;
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

/** How long arguments and results are that are kept themselves. */
function contentsOf(details: NonNullable<AuditRecord["details"]>): number {
  const { arguments: given, result } = details;
  return lengthOf(given) + lengthOf(result);
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

/** A record of records that are missing. */
export function gap(
  at: string,
  name: "not-saved" | "killed",
  details: NonNullable<AuditRecord["details"]>,
): AuditRecord {
  return { at, kind: "gap", principal: "", name, details };
}

// Gathers records and gives them to the store, many at a time and in their order. Where the store does not take them they
// wait, as many as the limit lets; of more it keeps only how many there were, and records that as a gap.
import { messageOf } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { Note } from "../log.ts";
import type { AuditRecord, Store } from "../store/index.ts";

export interface Recorder {
  add(record: AuditRecord): void;
  /** Resolves when all is written that was added by now and can be. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly store: Pick<Store, "addAudit">;
  readonly limits: Pick<Limits, "auditBatchTime" | "auditWaiting">;
  readonly note: Note;
  /** What comes before all others, once the store can be asked for it. */
  readonly first: () => Promise<readonly AuditRecord[]>;
}

/** So many are given to the store at a time. */
const mostAtOnce = 500;
/** How long a store that does not take records has until it is asked again, and until a hub that stops gives up. */
const retryTime = 1000;
const closeTime = 5000;

export function createRecorder({ store, limits, note, first }: RecorderOptions): Recorder {
  const waiting: AuditRecord[] = [];
  let weight = 0;
  let lost: { readonly from: string; until: string; count: number } | undefined;
  let isFailing = false;
  let hasFirst = false;
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function writeLater(time: number): void {
    if (!isClosed) timer ??= setTimeout(writeNow, time);
  }

  function writeNow(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
      if (waiting.length > 0) writeLater(isFailing ? retryTime : limits.auditBatchTime);
    });
  }

  async function write(): Promise<void> {
    try {
      if (!hasFirst) {
        const before = await first();
        waiting.unshift(...before);
        weight += before.length;
        hasFirst = true;
      }
      // What comes meanwhile waits for the next time, unless it is much.
      do await writeSome();
      while (waiting.length >= mostAtOnce);
      if (isFailing) note("info", "audit-goes-on");
      isFailing = false;
    } catch (error) {
      if (!isFailing) note("error", "audit-not-saved", { message: messageOf(error) });
      isFailing = true;
    }
  }

  async function writeSome(): Promise<void> {
    const batch = waiting.slice(0, mostAtOnce);
    await store.addAudit(batch);
    for (const record of waiting.splice(0, batch.length)) weight -= weightOf(record);
    if (!lost) return;
    const { from, until, count } = lost;
    lost = undefined;
    put(gap(until, "not-saved", { from, until, count }));
  }

  function put(record: AuditRecord): void {
    waiting.push(record);
    weight += weightOf(record);
  }

  writeLater(limits.auditBatchTime);

  return {
    add(record) {
      if (lost || weight >= limits.auditWaiting) {
        lost ??= { from: record.at, until: record.at, count: 0 };
        lost.until = record.at;
        lost.count++;
        return;
      }
      put(record);
      if (waiting.length === mostAtOnce && !isFailing) writeNow();
      else writeLater(limits.auditBatchTime);
    },
    async close() {
      const givenUp = new AbortController();
      const patience = setTimeout(() => givenUp.abort(), closeTime);
      const { signal } = givenUp;
      do {
        writeNow();
        await Promise.race([writing, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      } while (waiting.length > 0 && !isFailing && !signal.aborted);
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(patience);
      const count = waiting.length + (lost?.count ?? 0);
      if (count > 0) note("error", "audit-lost", { count });
    },
  };
}

/** One with contents counts as several. */
function weightOf({ details }: AuditRecord): number {
  const { arguments: given, result } = details ?? {};
  return 1 + Math.floor((lengthOf(given) + lengthOf(result)) / 1024);
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

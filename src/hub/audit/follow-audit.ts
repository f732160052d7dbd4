// Reads the audit in its order, and goes on with new records as they are written, by whichever hub.
import type { AuditQuery, KeptAuditRecord } from "../store/index.ts";

interface Reader {
  audit(query: AuditQuery): Promise<readonly KeptAuditRecord[]>;
}

export type AuditFilter = Omit<AuditQuery, "before" | "after" | "limit">;

/** How often new records are looked for, in milliseconds. */
const lookTime = 500;
/** How many of the last records are read again: hubs that share a database may write in another order than they numbered. */
const lookBack = 200;

/** All records after one with this number, a few at a time. */
export async function* readAudit(
  reader: Reader,
  filter: AuditFilter,
  { from = 0, atOnce = 2000 }: { readonly from?: number; readonly atOnce?: number } = {},
): AsyncGenerator<readonly KeptAuditRecord[]> {
  for (let after = from; ;) {
    const records = await reader.audit({ ...filter, after, limit: atOnce });
    const last = records.at(-1);
    if (!last) return;
    yield records;
    after = last.sequence;
  }
}

export interface Following {
  readonly filter: AuditFilter;
  /** The number of the last known record. */
  readonly from: number;
  /** Whether a record up to there is known, too; by default all are. */
  readonly isKnown?: (record: KeptAuditRecord) => boolean;
  readonly atOnce?: number;
  readonly signal: AbortSignal;
}

/** The records after one, until it is aborted. None is given twice. */
export async function* followAudit(
  reader: Reader,
  { filter, from, isKnown = () => true, atOnce, signal }: Following,
): AsyncGenerator<readonly KeptAuditRecord[]> {
  const pages = atOnce === undefined ? {} : { atOnce };
  /** Of those that are read again. */
  const seen = new Set<number>();
  const forget = (last: number) => {
    for (const sequence of seen) if (sequence <= last - lookBack) seen.delete(sequence);
  };
  let last = from;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const newest = await newestIn(reader);
    for await (const records of readAudit(reader, filter, { from: Math.max(0, last - lookBack), ...pages })) {
      const news = records.filter(
        (one) => !seen.has(one.sequence) && !(isFirst && one.sequence <= from && isKnown(one)),
      );
      for (const { sequence } of records) seen.add(sequence);
      if (news.length > 0) yield news;
      if (signal.aborted) return;
      forget(Math.min(newest, records.at(-1)?.sequence ?? 0));
    }
    last = Math.max(last, newest);
    forget(last);
    await pause(signal);
  }
}

/** The number of the newest record, or zero. */
export async function newestIn(reader: Reader): Promise<number> {
  return (await reader.audit({ limit: 1 }))[0]?.sequence ?? 0;
}

/** Waits for the next look, or until the wait is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, lookTime);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

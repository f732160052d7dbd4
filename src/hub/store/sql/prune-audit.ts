import type { Session } from "./session.ts";
import { agesAgo } from "./store-time.ts";

const most = 500;

interface AuditDay {
  readonly day: string;
  readonly hub: string;
  readonly records: number;
  readonly bytes: number;
}

interface Size {
  readonly bytes: number;
  readonly newest: string;
}

const selectOldest = `select day, hub, records, bytes from "auditDays" order by day, hub limit 1`;
const selectSize = `select sum(bytes) as bytes, max(day) as newest from "auditDays"`;
/** Until it is done nobody else takes from this day. */
const takeDay = `update "auditDays" set day = day where day = ? and hub = ? returning day, hub, records, bytes`;
const selectFirst = `select sequence, bytes, hash from audit where day = ? and hub = ? order by sequence limit ${most}`;
const deleteFirst = `delete from audit where day = ? and hub = ? and sequence <= ?`;
const moveAnchor = `update chains set anchor = ? where hub = ?`;
const discount = `update "auditDays" set records = ?, bytes = ? where day = ? and hub = ?`;
const deleteDay = `delete from "auditDays" where day = ? and hub = ?`;

/**
 * Takes away the first records of the oldest day, where that is too old or all of it is too much: whole days, but for the
 * newest, of which the first part goes. Where the chain begins then is known, so that it can be verified. Returns how many.
 */
export async function pruneAudit(session: Session): Promise<number> {
  const { text, limits, time } = session;
  const [oldest] = (await text<AuditDay>(selectOldest, [])).rows;
  if (!oldest) return 0;
  const first = new Date(agesAgo(time, limits.auditTime)).toISOString().slice(0, 10);
  const [{ bytes, newest } = { bytes: 0, newest: "" }] = (await text<Size>(selectSize, [])).rows;
  if (oldest.day >= first && bytes <= limits.auditBytes) return 0;
  return removeFrom(session, oldest, oldest.day < newest);
}

async function removeFrom({ text }: Session, { day, hub }: AuditDay, isWhole: boolean): Promise<number> {
  const [known] = (await text<AuditDay>(takeDay, [day, hub])).rows;
  const { rows } = await text<{ sequence: number; bytes: number; hash: string }>(selectFirst, [day, hub]);
  const last = rows.at(-1);
  if (!known || !last || rows.length >= known.records) await text(deleteDay, [day, hub]);
  if (!known || !last) return 1;
  await text(deleteFirst, [day, hub, last.sequence]);
  await text(moveAnchor, [last.hash, hub]);
  // A day that goes counts until it is gone, so that no part of it stays.
  const bytes = isWhole ? 0 : rows.reduce((sum, row) => sum + row.bytes, 0);
  await text(discount, [known.records - rows.length, known.bytes - bytes, day, hub]);
  return rows.length;
}

// Removes what is too old or beyond its limit, in small transactions, so that other operations do not wait long.
import type { Transact } from "./import-files.ts";
import { makeRoom, removeConversations } from "./conversations.ts";
import { knownTime } from "./keys.ts";
import type { Session } from "./session.ts";
import { homeTime } from "../port/store.ts";
import { agesAgo } from "./store-time.ts";

/** The number of removed items. Outcomes are those of keys that are kept. */
export type Pruned = Readonly<Record<keyof typeof tasks, number>>;

const maxAtOnce = 500;
const maxConversations = 20;

const tasks = { conversations, records, usage, outcomes, keys, homes, audit: pruneAudit };

/** Repeats each task until it removes nothing. */
export async function pruneAll(transact: Transact): Promise<Pruned> {
  const pruned: [string, number][] = [];
  for (const [name, task] of Object.entries(tasks)) {
    let sum = 0;
    for (let removed = 1; removed > 0; sum += removed) {
      removed = await transact(task);
      // Lets other operations run.
      await new Promise(setImmediate);
    }
    pruned.push([name, sum]);
  }
  return Object.fromEntries(pruned) as Pruned;
}

async function conversations(session: Session): Promise<number> {
  const { build, run, limits, time } = session;
  const old = build
    .selectFrom("conversations")
    .select("number")
    .where("changed", "<", agesAgo(time, limits.conversationAge))
    .limit(maxConversations);
  const numbers = (await run(old)).rows.map(({ number }) => number);
  await removeConversations(session, numbers);
  if (numbers.length > 0) return numbers.length;
  const much = build
    .selectFrom("conversations")
    .select("principal")
    .groupBy("principal")
    .having(({ eb, fn, or }) =>
      or([
        eb(fn.countAll<number>(), ">", limits.conversationsPerPrincipal),
        eb(fn.sum<number>("bytes"), ">", limits.conversationBytesPerPrincipal),
      ]),
    )
    .limit(1);
  const [row] = (await run(much)).rows;
  return row ? makeRoom(session, row.principal) : 0;
}

async function records({ build, run, time }: Session): Promise<number> {
  const old = build.selectFrom("records").select(["kind", "key"]).where("forgetAt", "<=", time.now()).limit(maxAtOnce);
  const { rows } = await run(old);
  for (const { kind, key } of rows)
    await run(build.deleteFrom("records").where("kind", "=", kind).where("key", "=", key));
  return rows.length;
}

async function usage({ build, run, limits, time }: Session): Promise<number> {
  const first = new Date(agesAgo(time, limits.usageTime)).toISOString().slice(0, 10);
  return (await run(build.deleteFrom("usage").where("day", "<", first))).changes;
}

async function outcomes({ text, limits, time }: Session): Promise<number> {
  const expire = `update keys set outcome = null, payload = null, bytes = 0 where (principal, "key") in
    (select principal, "key" from keys where outcome is not null and ended < ? limit ${maxAtOnce})`;
  return (await text(expire, [agesAgo(time, limits.keyTime)])).changes;
}

async function keys({ text, limits, time, onOver }: Session): Promise<number> {
  const remove = (which: string) => `delete from keys where (principal, "key") in (${which})`;
  const old = remove(`select principal, "key" from keys where used < ? limit ${maxAtOnce}`);
  const { changes } = await text(old, [agesAgo(time, knownTime(limits))]);
  if (changes > 0) return changes;
  const much = `select principal, count(*) as count from keys group by principal having count(*) > ? limit 1`;
  const [row] = (await text<{ principal: string; count: number }>(much, [limits.usedKeysPerPrincipal])).rows;
  if (!row) return 0;
  const excess = row.count - limits.usedKeysPerPrincipal;
  onOver?.("usedKeysPerPrincipal");
  const oldest = `select principal, "key" from keys where principal = ? order by used limit ?`;
  return (await text(remove(oldest), [row.principal, excess])).changes;
}

async function homes({ text, time }: Session): Promise<number> {
  const remove = `delete from homes where name in (select name from homes where used < ? limit ${maxAtOnce})`;
  return (await text(remove, [agesAgo(time, homeTime)])).changes;
}

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
const takeDay = `update "auditDays" set day = day where day = ? and hub = ? returning day, hub, records, bytes`;
const selectFirst = `select sequence, bytes, hash from audit where day = ? and hub = ? order by sequence limit ${maxAtOnce}`;
const deleteFirst = `delete from audit where day = ? and hub = ? and sequence <= ?`;
const moveAnchor = `update chains set anchor = ? where hub = ?`;
const discount = `update "auditDays" set records = ?, bytes = ? where day = ? and hub = ?`;
const deleteDay = `delete from "auditDays" where day = ? and hub = ?`;

/**
 * Removes the first records of the oldest day, if it is too old or the audit is too large. Whole days are removed, except the
 * newest. The chain's new start is stored, so that it can still be verified. Returns the number of records.
 */
async function pruneAudit(session: Session): Promise<number> {
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
  // A day's bytes count until it is removed completely, so that no part of it stays.
  const bytes = isWhole ? 0 : rows.reduce((sum, row) => sum + row.bytes, 0);
  await text(discount, [known.records - rows.length, known.bytes - bytes, day, hub]);
  return rows.length;
}

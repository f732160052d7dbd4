// Removes what is too old, or too much. Little at a time, each in a transaction of its own, so that nobody waits long.
import type { Transact } from "./import-files.ts";
import { makeRoom, removeConversations } from "./conversations.ts";
import { knownTime } from "./keys.ts";
import { pruneAudit } from "./prune-audit.ts";
import type { Session } from "./session.ts";
import { agesAgo } from "./store-time.ts";

/** How many of each were removed; outcomes are those of keys that are still known. */
export type Pruned = Readonly<Record<keyof typeof tasks, number>>;

const most = 500;
/** Each may be large. */
const mostConversations = 20;

const tasks = { conversations, records, usage, outcomes, keys, audit: pruneAudit };

/** Each task takes some away and tells how many, until there is nothing left to take. */
export async function pruneAll(transact: Transact): Promise<Pruned> {
  const pruned: [string, number][] = [];
  for (const [name, task] of Object.entries(tasks)) {
    let sum = 0;
    for (let removed = 1; removed > 0; sum += removed) {
      removed = await transact(task);
      // Others come between.
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
    .limit(mostConversations);
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
  const old = build.selectFrom("records").select(["kind", "key"]).where("forgetAt", "<=", time.now()).limit(most);
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
    (select principal, "key" from keys where outcome is not null and ended < ? limit ${most})`;
  return (await text(expire, [agesAgo(time, limits.keyTime)])).changes;
}

async function keys({ text, limits, time, onOver }: Session): Promise<number> {
  const remove = (which: string) => `delete from keys where (principal, "key") in (${which})`;
  const old = remove(`select principal, "key" from keys where used < ? limit ${most}`);
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

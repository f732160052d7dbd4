import type { AuditQuery, AuditRecord, Undigested } from "../port/store.ts";
import { digestRecords, chainLink, chainStart } from "../port/audit-chain.ts";
import type { ChainEnd } from "../port/audit-chain.ts";
import { defineOperation } from "./session.ts";
import type { Session } from "./session.ts";
import { organisationOf } from "../../common/principals.ts";
import { storedName } from "./schema.ts";

/** A record in the chain, still as JSON. */
export interface KeptAuditText {
  readonly sequence: number;
  readonly day: string;
  readonly hub: string;
  readonly previous: string;
  readonly hash: string;
  readonly record: string;
}

const insertRecord = `insert into audit
  (hub, day, at, kind, principal, name, agent, origin, outcome, organisation, record, bytes, previous, hash)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const beginChain = `insert into chains (hub, day, hash, anchor) values (?, '', '', '') on conflict do nothing`;
const countDay = `insert into "auditDays" (day, hub, records, bytes) values (?, ?, ?, ?)
  on conflict (day, hub) do update set records = "auditDays".records + excluded.records, bytes = "auditDays".bytes + excluded.bytes`;
/** Locks the chain until its end is updated. */
const takeChain = `update chains set day = day where hub = ? returning day, hash`;
const moveChain = `update chains set day = ?, hash = ? where hub = ?`;

const maxRecords = 10_000;

export const auditOperations = {
  /** Adds records, given as a JSON list, with their undigested payloads. */
  addAudit: defineOperation({
    isAtomic: true,
    lane: () => "audit",
    async run(session, [texts, undigested]: readonly [string, Undigested | undefined]): Promise<void> {
      const { hub, text } = session;
      let end = await endOfChain(session);
      const days = new Map<string, { readonly records: number; readonly bytes: number }>();
      for (const record of recordsIn(texts, undigested)) {
        const link = chainLink(end, hub, record);
        const row = rowOf(record);
        await text(insertRecord, [
          hub,
          link.day,
          ...row.names,
          row.organisation,
          row.record,
          row.bytes,
          link.previous,
          link.hash,
        ]);
        const { records, bytes } = days.get(link.day) ?? { records: 0, bytes: 0 };
        days.set(link.day, { records: records + 1, bytes: bytes + row.bytes });
        end = link;
      }
      for (const [day, { records, bytes }] of days) await text(countDay, [day, hub, records, bytes]);
      await text(moveChain, [end.day, end.hash, hub]);
    },
  }),
  audit: defineOperation({
    isReading: true,
    async run({ build, run, hub }, [query]: readonly [AuditQuery]): Promise<readonly KeptAuditText[]> {
      const { kinds, since, until, after, before, limit } = query;
      let found = build
        .selectFrom("audit")
        .select(["sequence", "day", "hub", "previous", "hash", "record"])
        .orderBy("sequence", after === undefined ? "desc" : "asc")
        .limit(Math.min(limit, maxRecords));
      for (const column of ["organisation", "principal", "name", "agent", "origin", "outcome"] as const) {
        const value = query[column];
        if (value !== undefined) found = found.where(column, "=", storedName(value));
      }
      if (query.isFailure) found = found.where("outcome", "<>", "ok");
      if (query.isOwn) found = found.where("hub", "=", hub);
      if (kinds) found = kinds.length === 0 ? found.where("kind", "=", "") : found.where("kind", "in", kinds);
      if (since !== undefined) found = found.where("at", ">=", Date.parse(since));
      if (until !== undefined) found = found.where("at", "<=", Date.parse(until));
      if (after !== undefined) found = found.where("sequence", ">", after);
      if (before !== undefined) found = found.where("sequence", "<", before);
      return (await run(found)).rows;
    },
  }),
  /** The bounds of each hub's chain. */
  chains: defineOperation({
    isReading: true,
    async run({ build, run }) {
      return (await run(build.selectFrom("chains").selectAll().orderBy("hub"))).rows;
    },
  }),
};

function recordsIn(texts: string, undigested: Undigested | undefined): readonly AuditRecord[] {
  const records = JSON.parse(texts) as readonly AuditRecord[];
  return undigested ? digestRecords(records, undigested) : records;
}

async function endOfChain({ text, hub }: Session): Promise<ChainEnd> {
  const known = async () => (await text<ChainEnd>(takeChain, [hub])).rows[0];
  const end = await known();
  if (end) return end;
  await text(beginChain, [hub]);
  return (await known()) ?? chainStart;
}

function rowOf(record: AuditRecord) {
  const { at, kind, principal, name = "", agent = "", origin = "", outcome = "" } = record;
  const text = JSON.stringify(record);
  const names = [Date.parse(at) || 0, kind, ...[principal, name, agent, origin, outcome].map(storedName)];
  const organisation = organisationOf(principal);
  return {
    ...{ names, record: text, bytes: Buffer.byteLength(text) },
    organisation: organisation === undefined ? null : storedName(organisation),
  };
}

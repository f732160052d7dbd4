import { chainLink, chainStart } from "./audit-chain.ts";
import type { ChainEnd } from "./audit-chain.ts";
import { digestRecords } from "./audit-digests.ts";
import type { AuditQuery, AuditRecord, KeptAuditRecord, Store, Undigested } from "./store.ts";

/** So many records are kept, and so much of what they lack digests of; the oldest makes room. */
const most = 1000;
const mostBytes = 1024 * 1024;

const fields = ["principal", "name", "agent", "origin", "outcome"] as const;

interface Batch {
  readonly records: readonly AuditRecord[];
  readonly undigested: Undigested | undefined;
}

/** An audit that ends with the process. It is worked out when somebody asks: few do, of a store that keeps nothing. */
export function createMemoryAudit(): Pick<Store, "addAudit" | "audit"> {
  const batches: Batch[] = [];
  let kept = 0;
  let bytes = 0;
  let dropped = 0;

  function makeRoom(): void {
    while (batches.length > 1 && (kept > most || bytes > mostBytes)) {
      const { records, undigested } = batches.shift() ?? { records: [], undigested: undefined };
      kept -= records.length;
      dropped += records.length;
      bytes -= undigested?.bytes.length ?? 0;
    }
  }

  function chain(): readonly KeptAuditRecord[] {
    let end: ChainEnd = chainStart;
    const records = batches.flatMap(({ records, undigested }) =>
      undigested ? digestRecords(records, undigested) : records,
    );
    return records.map((record, at) => {
      const link = chainLink(end, "memory", record);
      end = link;
      // As JSON has it, so that nobody changes what is kept.
      const copy = JSON.parse(JSON.stringify(record)) as AuditRecord;
      return { ...copy, ...link, hub: "memory", sequence: dropped + at + 1 };
    });
  }

  return {
    async addAudit(records, undigested) {
      batches.push({ records, undigested: undigested && { ...undigested, bytes: undigested.bytes.slice() } });
      kept += records.length;
      bytes += undigested?.bytes.length ?? 0;
      makeRoom();
    },
    async audit(query) {
      const found = chain().filter((record) => isAskedFor(record, query));
      return (query.after === undefined ? found.reverse() : found).slice(0, query.limit);
    },
  };
}

/** All is the hub's own here. */
function isAskedFor(record: KeptAuditRecord, { kinds, since, until, after = 0, ...query }: AuditQuery): boolean {
  const at = Date.parse(record.at);
  return (
    record.sequence > after &&
    (kinds === undefined || kinds.includes(record.kind)) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at <= Date.parse(until)) &&
    fields.every((field) => query[field] === undefined || query[field] === (record[field] ?? ""))
  );
}

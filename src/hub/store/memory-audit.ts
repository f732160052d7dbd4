import { chainLink, chainStart } from "./audit-chain.ts";
import type { ChainEnd } from "./audit-chain.ts";
import type { AuditQuery, AuditRecord, KeptAuditRecord, Store } from "./store.ts";

/** So many records are kept; the oldest makes room. */
const most = 10_000;

const fields = ["principal", "name", "agent", "origin", "outcome"] as const;

/** An audit that ends with the process. */
export function createMemoryAudit(): Pick<Store, "addAudit" | "audit"> {
  const kept: KeptAuditRecord[] = [];
  let end: ChainEnd = chainStart;
  let sequence = 0;
  return {
    async addAudit(records) {
      for (const record of records) {
        const link = chainLink(end, "memory", record);
        // As JSON has it, so that nobody changes what is kept.
        kept.push({
          ...(JSON.parse(JSON.stringify(record)) as AuditRecord),
          ...link,
          hub: "memory",
          sequence: ++sequence,
        });
        end = link;
      }
      kept.splice(0, Math.max(0, kept.length - most));
    },
    async audit(query) {
      const found = kept.filter((record) => isAskedFor(record, query));
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

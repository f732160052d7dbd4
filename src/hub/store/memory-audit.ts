import { chainLink, chainStart } from "./audit-chain.ts";
import type { ChainEnd } from "./audit-chain.ts";
import type { AuditQuery, AuditRecord, KeptAuditRecord, Store } from "./store.ts";

/** So many records are kept; the oldest makes room. */
const most = 1000;

const fields = ["principal", "name", "agent", "origin", "outcome"] as const;

/** An audit that ends with the process. The chain is made when somebody asks: few do, of a store that keeps nothing. */
export function createMemoryAudit(): Pick<Store, "addAudit" | "audit"> {
  let kept: readonly AuditRecord[] = [];
  let dropped = 0;

  function chain(): readonly KeptAuditRecord[] {
    let end: ChainEnd = chainStart;
    return kept.map((record, at) => {
      const link = chainLink(end, "memory", record);
      end = link;
      // As JSON has it, so that nobody changes what is kept.
      const copy = JSON.parse(JSON.stringify(record)) as AuditRecord;
      return { ...copy, ...link, hub: "memory", sequence: dropped + at + 1 };
    });
  }

  return {
    async addAudit(records) {
      const surplus = Math.max(0, kept.length + records.length - most);
      kept = [...kept, ...records].slice(surplus);
      dropped += surplus;
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

import type { AuditReader, KeptAuditRecord } from "../../hub/index.ts";
import type { AuditFilter } from "./read-query.ts";

/** So many are read at a time. */
const atOnce = 2000;

/** All records of a kind, in their order, a few at a time. */
export async function* readAll(
  reader: Pick<AuditReader, "audit">,
  filter: AuditFilter,
  from = 0,
): AsyncGenerator<readonly KeptAuditRecord[], number> {
  let after = from;
  for (;;) {
    const records = await reader.audit({ ...filter, after, limit: atOnce });
    const last = records.at(-1);
    if (!last) return after;
    yield records;
    after = last.sequence;
  }
}

/** The latest records, in their order. */
export async function readLatest(
  reader: Pick<AuditReader, "audit">,
  filter: AuditFilter,
  limit: number,
): Promise<readonly KeptAuditRecord[]> {
  return (await reader.audit({ ...filter, limit })).toReversed();
}

// A store that returns the audit records that it received.
import { digestRecords } from "../../store/port/audit-chain.ts";
import { createMemoryStore } from "../../store/index.ts";
import type { AuditRecord, KeptAuditRecord, Store } from "../../store/index.ts";

export interface AuditedStore extends Store {
  readonly added: readonly AuditRecord[];
  /** The records of one kind, each reduced to the named fields. */
  of(kind: AuditRecord["kind"], ...fields: readonly (keyof AuditRecord)[]): readonly unknown[];
}

export function createAuditedStore(): AuditedStore {
  const added: AuditRecord[] = [];
  return {
    ...createMemoryStore(),
    added,
    of(kind, ...fields) {
      const found = added.filter((record) => record.kind === kind);
      return found.map((record) => fields.map((field) => record[field]));
    },
    async addAudit(records, undigested) {
      const whole = undigested ? digestRecords(records, undigested) : records;
      added.push(...(JSON.parse(JSON.stringify(whole)) as AuditRecord[]));
    },
    async audit({ limit }) {
      const place = { sequence: 1, day: "", hub: "", previous: "", hash: "" };
      return added.slice(-limit).map((record): KeptAuditRecord => ({ ...record, ...place }));
    },
  };
}

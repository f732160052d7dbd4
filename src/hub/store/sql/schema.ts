// The tables, the same for both databases. Untrusted text in compared or indexed columns goes through `storedName`. Times are
// milliseconds since 1970 by `StoreTime`.
import type { Generated } from "kysely";

export interface Tables {
  readonly conversations: ConversationTable;
  readonly messages: MessageTable;
  readonly records: RecordTable;
  readonly usage: UsageTable;
  readonly keys: KeyTable;
  readonly audit: AuditTable;
  readonly auditDays: AuditDayTable;
  readonly chains: ChainTable;
  readonly meta: MetaTable;
}

interface ConversationTable {
  readonly number: Generated<number>;
  readonly principal: string;
  readonly id: string;
  readonly origin: string | null;
  readonly title: string;
  /** The index of the message that gives the title; -1 for none. */
  readonly titleAt: number;
  readonly messages: number;
  readonly bytes: number;
  readonly changed: number;
}

interface MessageTable {
  readonly conversation: number;
  readonly position: number;
  /** As JSON. */
  readonly text: string;
  readonly bytes: number;
}

interface RecordTable {
  readonly kind: string;
  readonly key: string;
  readonly principal: string;
  /** As JSON. */
  readonly value: string;
  readonly changed: number;
  readonly forgetAt: number | null;
}

interface UsageTable {
  readonly principal: string;
  readonly day: string;
  readonly tokens: number;
}

interface KeyTable {
  readonly principal: string;
  readonly key: string;
  readonly call: string;
  readonly fingerprint: string;
  readonly tab: string;
  readonly epoch: string | null;
  readonly used: number;
  readonly ended: number | null;
  /** The outcome without its payload, as JSON; null before the call ends, and after it was dropped. */
  readonly outcome: string | null;
  readonly payload: Uint8Array | null;
  readonly bytes: number;
}

interface AuditTable {
  readonly sequence: Generated<number>;
  readonly hub: string;
  readonly day: string;
  readonly at: number;
  readonly kind: string;
  readonly principal: string;
  readonly name: string;
  readonly agent: string;
  readonly origin: string;
  readonly outcome: string;
  /** The record, as JSON. */
  readonly record: string;
  readonly bytes: number;
  readonly previous: string;
  readonly hash: string;
}

/** The size of each day of the audit, because counting it would take long. */
interface AuditDayTable {
  readonly day: string;
  readonly hub: string;
  readonly records: number;
  readonly bytes: number;
}

/** The end of each hub's audit chain, and the hash before its first record after pruning. */
interface ChainTable {
  readonly hub: string;
  readonly day: string;
  readonly hash: string;
  readonly anchor: string;
}

interface MetaTable {
  readonly name: string;
  readonly value: string;
}

// The tables, the same for both databases. Untrusted text in compared or indexed columns goes through `storedName`. Times are
// milliseconds since 1970 by `StoreTime`.
import type { Generated } from "kysely";
import { createHash } from "node:crypto";

const longest = 200;

/** Characters that one of the databases would alter: NUL and lone surrogates. */
const unfit = /[\0\p{Surrogate}]/u;

/**
 * The value of a text in a compared or indexed column: the text itself, or its digest if it is long, has characters that
 * PostgreSQL cannot store, or looks like a digest.
 */
export function storedName(text: string): string {
  if (text.length <= longest && !text.startsWith("sha256:") && !unfit.test(text)) return text;
  // As UTF-16, which distinguishes lone surrogates.
  return `sha256:${createHash("sha256").update(text, "utf16le").digest("hex")}`;
}

/** A text for people to read, with characters replaced that a database cannot store. */
export function fitText(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}

export interface Tables {
  readonly conversations: ConversationTable;
  readonly messages: MessageTable;
  readonly records: RecordTable;
  readonly usage: UsageTable;
  readonly keys: KeyTable;
  readonly audit: AuditTable;
  readonly auditDays: AuditDayTable;
  readonly chains: ChainTable;
  readonly homes: HomeTable;
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
  readonly text: string;
  readonly bytes: number;
}

interface RecordTable {
  readonly kind: string;
  readonly key: string;
  readonly principal: string;
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
  /** The principal's organisation; null if it has none. */
  readonly organisation: string | null;
  readonly name: string;
  readonly agent: string;
  readonly origin: string;
  readonly outcome: string;
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

/** Which of several hubs has a thing. */
interface HomeTable {
  readonly name: string;
  readonly hub: string;
  readonly used: number;
}

interface MetaTable {
  readonly name: string;
  readonly value: string;
}

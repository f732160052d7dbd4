// What a hub remembers beyond its own life: conversations, tokens used on a day, records by name, what became of calls
// with a key, and the audit. It knows neither models nor what a message means: a message is a JSON object that is given
// back as it came.
import { randomBytes } from "node:crypto";
import type { KeyLedger, KeyUse, UsedKey } from "../../../switchboard/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject, OnOver, Ran } from "../../../wire/index.ts";

export type { KeyLedger, KeyUse, UsedKey };

/** A conversation of a principal's. Nothing that is asked with another principal's name finds it. */
export interface ConversationKey {
  readonly principal: string;
  readonly id: string;
}

export interface StoredConversation {
  readonly messages: readonly JsonObject[];
  /** The origin of the page that began it; undefined where a program did. */
  readonly origin?: string | undefined;
}

/** One change of a conversation: its first messages stay, and others follow. */
export interface ConversationChange {
  readonly keep: number;
  readonly messages: readonly JsonObject[];
  /** For the first change, which makes the conversation. */
  readonly origin?: string | undefined;
}

export interface ConversationInfo {
  readonly id: string;
  /** The beginning of what was said first. */
  readonly title: string;
  /** The origin of the page that began it; undefined where a program did. */
  readonly origin?: string | undefined;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** What is kept by name beside conversations: who is signed in to the hub's own pages, what was allowed for always, tools as they were first seen, terminals. */
export type RecordKind = "app-sessions" | "consents" | "pins" | "terminals";

/** A record of a principal's. */
export type StoredRecord = JsonObject & {
  readonly principal: string;
  /** From when on the store may forget it, in milliseconds since 1970; without it, never. */
  readonly forgetAt?: number;
};

/** One thing that happened, as the audit keeps it. Times are ISO texts. */
export interface AuditRecord {
  readonly at: string;
  /** A call of a tool, or what else there is a record of. */
  readonly kind: AuditKind;
  /** "" for what concerns the whole hub. */
  readonly principal: string;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly door?: string | undefined;
  readonly tab?: string | undefined;
  readonly origin?: string | undefined;
  readonly app?: string | undefined;
  /** What was called, asked, allowed, opened. */
  readonly name?: string | undefined;
  /** Digest of the tool's definition. */
  readonly definition?: string | undefined;
  readonly argumentsDigest?: string | undefined;
  readonly argumentsBytes?: number | undefined;
  readonly resultDigest?: string | undefined;
  readonly resultBytes?: number | undefined;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly ran?: Ran | undefined;
  readonly milliseconds?: number | undefined;
  /** Who or what allowed it, or decided. */
  readonly decidedBy?: string | undefined;
  /** Digest of the idempotency key. */
  readonly key?: string | undefined;
  readonly trace?: string | undefined;
  /** What else there is to say; arguments and results only where the hub's owner has asked for them. */
  readonly details?: JsonObject | undefined;
}

/**
 * What records lack digests of, which are made where no call waits for that: HMAC-SHA256 in hex. A record has "" for each
 * of `argumentsDigest`, `resultDigest` and `key` that it lacks.
 */
export interface Undigested {
  readonly key: string;
  /** How long each is, in the order of the records and of these fields; below zero, -1 - length, where it was cut off. */
  readonly lengths: readonly number[];
  /** All of them, one behind the other, in memory that others write to once the records are added. */
  readonly bytes: Uint8Array;
}

export type AuditKind = "call" | "question" | "consent" | "sign-in" | "token" | "policy" | "terminal" | "hub" | "gap";

/** A record with its place in the hub's chain: `hash` is the digest of `previous` and the record. */
export interface KeptAuditRecord extends AuditRecord {
  readonly sequence: number;
  /** The day (UTC) whose chain it is in. */
  readonly day: string;
  /** The hub that wrote it. */
  readonly hub: string;
  readonly previous: string;
  readonly hash: string;
}

export interface AuditQuery {
  /** Only of this principal; of all by default. */
  readonly principal?: string;
  readonly kinds?: readonly AuditKind[];
  readonly name?: string;
  readonly agent?: string;
  readonly origin?: string;
  readonly outcome?: string;
  /** Only what this hub has written, where several share a database. */
  readonly isOwn?: true;
  /** ISO text: nothing before. */
  readonly since?: string;
  readonly until?: string;
  /** Nothing up to this sequence number, in ascending order; without it the latest, in descending order. */
  readonly after?: number;
  readonly limit: number;
}

/** How a store stands. */
export interface StoreHealth {
  readonly isOk: boolean;
  /** Why not, in words for the hub's owner. */
  readonly problem?: string;
  /** The same for everybody, where the store knows it. */
  readonly reason?: StoreReason;
}

/** Why a store fails: its disk is full or read-only, its database is away, or what it kept is damaged. */
export type StoreReason = "full" | "read-only" | "away" | "damaged";

/**
 * Where a hub keeps what must outlive it. What a promise was resolved for is there after `kill -9`. Rejects with named
 * errors: `not-saved` where a write was not kept, or a read not possible, for the moment; `store-damaged` for good.
 */
export interface Store {
  /** Undefined where the principal has no such conversation. */
  read(key: ConversationKey): Promise<StoredConversation | undefined>;
  /** Changes a conversation, wholly or not at all; with `keep: 0` it need not be there. */
  write(key: ConversationKey, change: ConversationChange): Promise<void>;
  /** A principal's conversations in which something was said, the one that was changed last first. */
  list(principal: string): Promise<readonly ConversationInfo[]>;
  remove(key: ConversationKey): Promise<void>;
  /** The tokens that a principal used on a day, which is written as 2026-01-31. */
  tokens(principal: string, day: string): Promise<number>;
  addTokens(principal: string, day: string, tokens: number): Promise<void>;
  /** A record by its key, whosever it is. Keys of a kind are digests, no two principals have the same. */
  record(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  /** A principal's records of a kind by their keys, the one that was set last comes last. */
  records(kind: RecordKind, principal: string): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Keeps a record, or with undefined forgets it. */
  setRecord(kind: RecordKind, key: string, record: StoredRecord | undefined): Promise<void>;
  /** Undefined where keys are not kept beyond the process. */
  readonly keys: KeyLedger | undefined;
  /** Adds to the audit, in this order. */
  addAudit(records: readonly AuditRecord[], undigested?: Undigested): Promise<void>;
  audit(query: AuditQuery): Promise<readonly KeptAuditRecord[]>;
  /** As the last try left it. */
  health(): StoreHealth;
  /** Hears that it stands otherwise. A store without this shows it by what it answers. */
  onHealth?(listener: () => void): void;
  /** Hears of each thing that makes room because a principal is at a budget. */
  onOver?(listener: OnOver): void;
  /** Waits for what is being written. Can be called twice. */
  close(): Promise<void>;
}

const idPattern = /^[0-9a-f]{32}$/;

/** An id that nobody can guess. */
export function newConversationId(): string {
  return randomBytes(16).toString("hex");
}

/** Whether a stranger's text has the form of an id; only then does it become part of a file's name. */
export function isConversationId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

export function notFound(): PagewireError {
  return new PagewireError("conversation-not-found", "There is no such conversation any more. Begin a new one.");
}

export function tooLarge(most: number): PagewireError {
  return new PagewireError(
    "conversation-full",
    `This conversation is larger than the limit conversationBytes of ${most} bytes. Begin a new one.`,
  );
}

/** Why is for the hub's owner: nobody else is told where the hub keeps things. */
export function notSaved(why: string): PagewireError {
  return new PagewireError("not-saved", why);
}

// The interface of persistent storage: conversations, tokens used per day, records by key, outcomes of keyed calls, and the
// audit. Messages are opaque JSON objects.
import { randomBytes } from "node:crypto";
import type { KeyLedger, KeyUse, UsedKey } from "../../../switchboard/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject, OnOver, Ran } from "../../../wire/index.ts";

const reasons: Readonly<Record<string, StoreReason>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read-only",
  EACCES: "read-only",
  EPERM: "read-only",
};

export function systemReason(error: unknown): StoreReason {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const reason = "code" in one && typeof one.code === "string" ? reasons[one.code] : undefined;
    if (reason) return reason;
  }
  return "away";
}

const words: Readonly<Record<StoreReason, string>> = {
  full: "the hub's disk is full",
  "read-only": "the hub cannot write to its disk",
  away: "the hub's database does not answer",
  damaged: "what the hub has kept is damaged",
};

/** The reason as the end of a sentence for any user, without paths or names. Empty if it is unknown. */
export function reasonWords(reason: StoreReason | undefined): string {
  return reason === undefined ? "" : `: ${words[reason]}`;
}

export type { KeyLedger, KeyUse, UsedKey };

/** Conversations are isolated by principal. */
export interface ConversationKey {
  readonly principal: string;
  readonly id: string;
}

export interface StoredConversation {
  readonly messages: readonly JsonObject[];
  /** The origin of the page that started it; undefined for a program. */
  readonly origin?: string | undefined;
}

/** A change of a conversation: the first `keep` messages stay, and others follow. */
export interface ConversationChange {
  readonly keep: number;
  readonly messages: readonly JsonObject[];
  /** For the change that creates the conversation. */
  readonly origin?: string | undefined;
  /** The hub that makes the change: it is refused with `going-away` if another has the conversation, which else it takes. */
  readonly hub?: string;
}

/** The name of a conversation's home. */
export function homeOf({ principal, id }: ConversationKey): string {
  return `conversation ${id} ${principal}`;
}

/** The home of a conversation that was removed at another hub. */
export const nobody = "";

export interface ConversationInfo {
  readonly id: string;
  readonly title: string;
  /** The origin of the page that started it; undefined for a program. */
  readonly origin?: string | undefined;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/**
 * Sign-ins, permanent decisions about tools, pinned tools, terminals, the settings that hubs share, their sessions of MCP; and in
 * team mode people, who of them is blocked, service accounts, when their keys were used, settings of organisations, and who is
 * signed in.
 */
export type RecordKind =
  | "app-sessions"
  | "consents"
  | "pins"
  | "terminals"
  | "settings"
  | "mcp-sessions"
  | "people"
  | "access"
  | "services"
  | "service-uses"
  | "organisations"
  | "sign-ins"
  | "sign-in-names";

export type StoredRecord = JsonObject & {
  readonly principal: string;
  /** When the store may delete it, in milliseconds since 1970; never if missing. */
  readonly forgetAt?: number;
};

/**
 * The hub, of several, that has a thing which lives at one of them. Rows that were not used for `homeTime` are deleted: a hub
 * takes again what it still has.
 */
export interface HomeStore {
  /**
   * Takes a thing if it is free, or if this hub or `from` has it; resolves with the hub that has it then. Of several hubs at
   * one time, one gets it.
   */
  take(name: string, hub: string, from?: string): Promise<string>;
  /** The hub that has it; undefined if it is free. */
  find(name: string): Promise<string | undefined>;
  /** Frees it, if this hub has it. */
  leave(name: string, hub: string): Promise<void>;
}

/** One week, in milliseconds. */
export const homeTime = 7 * 24 * 60 * 60 * 1000;

/** A record that another hub has set or, without a principal, deleted. */
export interface RecordChange {
  readonly kind: string;
  readonly key: string;
  readonly principal?: string | undefined;
}

export interface RecordPage {
  readonly after: string | undefined;
  readonly limit: number;
}

/** Undefined for no record: before it is made, and once it is removed. */
export interface RecordReplacement {
  readonly before: StoredRecord | undefined;
  readonly after: StoredRecord | undefined;
}

/** An event in the audit. Times are ISO texts. */
export interface AuditRecord {
  readonly at: string;
  readonly kind: AuditKind;
  /** "" for events of the whole hub. */
  readonly principal: string;
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly door?: string | undefined;
  readonly tab?: string | undefined;
  readonly origin?: string | undefined;
  readonly app?: string | undefined;
  /** The subject: the tool, question, permission or terminal. */
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
  readonly decidedBy?: string | undefined;
  /** Digest of the idempotency key. */
  readonly key?: string | undefined;
  readonly trace?: string | undefined;
  /** The id of the call in its events. */
  readonly call?: string | undefined;
  readonly steps?: CallSteps | undefined;
  /** Arguments and results are included only if the hub's owner has asked for them. */
  readonly details?: JsonObject | undefined;
}

/** The times of a call's steps, in milliseconds since its acceptance. */
export interface CallSteps {
  /** How long it had waited before that: for a person, or, if it never began or repeats another, for what it needed. */
  readonly waited?: number | undefined;
  readonly sent?: number | undefined;
  readonly resent?: number | undefined;
  readonly acked?: number | undefined;
  readonly progress?: StepSpan | undefined;
  readonly questions?: StepSpan | undefined;
  readonly ended?: number | undefined;
}

/** Something that happens several times: how often, and when for the first and the last time. */
export interface StepSpan {
  readonly count: number;
  readonly first: number;
  readonly last?: number | undefined;
}

/**
 * Payloads whose digests (HMAC-SHA256 in hex) are computed later, off the path of calls. A record has "" for each missing one
 * of `argumentsDigest`, `resultDigest` and `key`.
 */
export interface Undigested {
  readonly key: string;
  /** The length of each, in the order of records and fields; -1 - length if it was truncated. */
  readonly lengths: readonly number[];
  /** All of them, concatenated, in a buffer that is reused once the records are added. */
  readonly bytes: Uint8Array;
}

export type AuditKind =
  | "call"
  | "question"
  | "consent"
  | "sign-in"
  | "token"
  | "policy"
  | "person"
  | "terminal"
  | "hub"
  | "gap";

/** A record in the hub's chain: `hash` covers `previous` and the record. */
export interface KeptAuditRecord extends AuditRecord {
  readonly sequence: number;
  /** The day (UTC) of the record. */
  readonly day: string;
  readonly hub: string;
  readonly previous: string;
  readonly hash: string;
}

export interface AuditQuery {
  /** All principals by default. */
  readonly principal?: string;
  /** Only records of principals of this organisation. */
  readonly organisation?: string;
  readonly kinds?: readonly AuditKind[];
  readonly name?: string;
  readonly agent?: string;
  readonly origin?: string;
  readonly outcome?: string;
  /** Only records with another outcome than ok. */
  readonly isFailure?: true;
  /** Only records of this hub, if several share a database. */
  readonly isOwn?: true;
  /** ISO text, inclusive. */
  readonly since?: string;
  readonly until?: string;
  /** With it, the records after this sequence number in ascending order; without it, the latest in descending order. */
  readonly after?: number;
  /** Only records before this sequence number. */
  readonly before?: number;
  readonly limit: number;
}

export interface StoreHealth {
  readonly isOk: boolean;
  /** The problem, for the hub's owner. */
  readonly problem?: string;
  /** The kind of problem, for everybody, if it is known. */
  readonly reason?: StoreReason;
}

/** "away" means that the database cannot be reached. */
export type StoreReason = "full" | "read-only" | "away" | "damaged";

/**
 * Persistent storage. A resolved write survives `kill -9`. Rejects with `not-saved` if a write or read is temporarily
 * impossible, and with `store-damaged` if permanently.
 */
export interface Store {
  /** Undefined if the principal has no such conversation. */
  read(key: ConversationKey): Promise<StoredConversation | undefined>;
  /** Changes a conversation atomically; with `keep: 0` it need not exist. */
  write(key: ConversationKey, change: ConversationChange): Promise<void>;
  /** A principal's non-empty conversations, the most recently changed first. */
  list(principal: string): Promise<readonly ConversationInfo[]>;
  /** With a hub, the home of the conversation is freed if another hub has it, so that this one saves it no more. */
  remove(key: ConversationKey, hub?: string): Promise<void>;
  /** The tokens that a principal has used since a day such as 2026-01-31, at most a month ago. */
  tokens(principal: string, since: string): Promise<number>;
  addTokens(principal: string, day: string, tokens: number): Promise<void>;
  /** A record of any principal by its key. Keys are digests, unique across principals. */
  record(kind: RecordKind, key: string): Promise<StoredRecord | undefined>;
  /** A principal's records of a kind by key, the most recently set last. */
  records(kind: RecordKind, principal: string): Promise<ReadonlyMap<string, StoredRecord>>;
  /** A page of a principal's records of a kind, in the order of their keys: those after a key. */
  recordsAfter(kind: RecordKind, principal: string, page: RecordPage): Promise<ReadonlyMap<string, StoredRecord>>;
  /** Sets a record, or deletes it with undefined. */
  setRecord(kind: RecordKind, key: string, record: StoredRecord | undefined): Promise<void>;
  /** Makes, replaces or removes a record if it is still as it was read; returns whether it was. */
  replaceRecord(kind: RecordKind, key: string, change: RecordReplacement): Promise<boolean>;
  /** Subscribes to records that other hubs change; without a change, any may be another. Missing in a hub alone. */
  onChanged?(listener: (change: RecordChange | undefined) => void): void;
  /** Undefined if idempotency keys are not persisted. */
  readonly keys: KeyLedger | undefined;
  readonly homes: HomeStore;
  addAudit(records: readonly AuditRecord[], undigested?: Undigested): Promise<void>;
  audit(query: AuditQuery): Promise<readonly KeptAuditRecord[]>;
  /** The health after the last operation. */
  health(): StoreHealth;
  /** Subscribes to changes of health. Without it, health shows only in results. */
  onHealth?(listener: () => void): void;
  /** Subscribes to evictions caused by a principal's budget. */
  onOver?(listener: OnOver): void;
  /** Waits for pending writes. Can be called twice. */
  close(): Promise<void>;
}

const idPattern = /^[0-9a-f]{32}$/;

export function newConversationId(): string {
  return randomBytes(16).toString("hex");
}

/** Whether untrusted text has the form of an id. */
export function isConversationId(value: unknown): value is string {
  return typeof value === "string" && idPattern.test(value);
}

export function notFound(): PagewireError {
  return new PagewireError("conversation-not-found", "There is no such conversation any more. Begin a new one.");
}

export function tooLarge(max: number): PagewireError {
  return new PagewireError(
    "conversation-full",
    `This conversation is larger than the limit conversationBytes of ${max} bytes. Begin a new one.`,
  );
}

export function isElsewhere(): PagewireError {
  return new PagewireError("going-away", "Another hub has this conversation now. Come again.", { retryAfter: 1000 });
}

/** The message may name paths: it is for the hub's owner only. */
export function notSaved(why: string): PagewireError {
  return new PagewireError("not-saved", why);
}

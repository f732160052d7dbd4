// What a hub remembers beyond its own life: conversations, and how many tokens each principal used on a day.
// It knows neither models nor what a message means: a message is a JSON object that is given back as it came.
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../wire/index.ts";

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

/** What is kept by name beside conversations: who is signed in to the hub's own pages, what was allowed for always, terminals. */
export type RecordKind = "app-sessions" | "consents" | "terminals";

/** Where a hub keeps what must outlive it. Rejects with named errors. */
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
  /** All records of a kind, by their keys. */
  records(kind: RecordKind): Promise<ReadonlyMap<string, JsonObject>>;
  /** Keeps a record, or with undefined forgets it. */
  setRecord(kind: RecordKind, key: string, record: JsonObject | undefined): Promise<void>;
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

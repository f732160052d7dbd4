// An operation's access to either database: through Kysely, or SQL text with ? placeholders.
import type { Compilable, Kysely } from "kysely";
import type { Limits, OnOver } from "../../../wire/index.ts";
import type { StoreTime } from "./store-time.ts";
import type { Tables } from "./schema.ts";

export type StoreLimits = Pick<
  Limits,
  | "conversationBytes"
  | "conversationsPerPrincipal"
  | "conversationAge"
  | "conversationBytesPerPrincipal"
  | "keyTime"
  | "keyBytes"
  | "usedKeyTime"
  | "usedKeysPerPrincipal"
  | "usageTime"
  | "auditTime"
  | "auditBytes"
  | "pruneTime"
  | "storeTime"
  | "storeOperations"
  | "storeBytes"
>;

/** The thread's context, shared by its operations. */
export interface Context {
  /** Only builds queries; a session runs them. */
  readonly build: Kysely<Tables>;
  readonly limits: StoreLimits;
  readonly time: StoreTime;
  /** The hub's name in the audit. */
  readonly hub: string;
  /** Called for each eviction caused by a principal's budget. */
  readonly onOver?: OnOver | undefined;
}

export interface Changed<Row> {
  readonly rows: readonly Row[];
  /** The number of changed rows, for statements that return none. */
  readonly changes: number;
}

export interface Session extends Context {
  run<Row>(query: Compilable<Row>): Promise<Changed<Row>>;
  /** For statements on the call path: compiled once. */
  text<Row>(sql: string, values: readonly SqlValue[]): Promise<Changed<Row>>;
}

export type SqlValue = string | number | null | Uint8Array;

export interface Operation<Given extends readonly unknown[] = never, Value = unknown> {
  readonly run: (session: Session, given: Given) => Promise<Value>;
  /** Runs in a transaction. */
  readonly isAtomic?: true;
  /** Read-only. */
  readonly isReading?: true;
  /** Operations of one lane run in order; without a lane, concurrently. */
  readonly lane?: (given: readonly string[]) => string;
}

/** Declares an operation with inferred types. */
export function defineOperation<Given extends readonly unknown[], Value>(
  operation: Operation<Given, Value>,
): Operation<Given, Value> {
  return operation;
}

// What an operation has of the database, whichever it is: the queries are Kysely's, or texts of SQL with ? for values.
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

/** What the operations of a thread have in common. */
export interface Context {
  /** Builds queries; only a session runs them. */
  readonly build: Kysely<Tables>;
  readonly limits: StoreLimits;
  readonly time: StoreTime;
  /** Whose chain of audit records it writes. */
  readonly hub: string;
  /** Hears of each thing that makes room because a principal is at a budget. */
  readonly onOver?: OnOver | undefined;
}

export interface Changed<Row> {
  readonly rows: readonly Row[];
  /** How many rows a statement changed that returns none. */
  readonly changes: number;
}

export interface Session extends Context {
  run<Row>(query: Compilable<Row>): Promise<Changed<Row>>;
  /** For statements on the way of a call: compiled once. */
  text<Row>(sql: string, values: readonly SqlValue[]): Promise<Changed<Row>>;
}

export type SqlValue = string | number | null | Uint8Array;

/** One thing that the thread is asked for. */
export interface Operation<Given extends readonly unknown[] = never, Value = unknown> {
  readonly run: (session: Session, given: Given) => Promise<Value>;
  /** Changes several rows, all of them or none. */
  readonly isAtomic?: true;
  /** Writes nothing. */
  readonly isReading?: true;
  /** Operations of one lane run one after the other; without it beside all others. */
  readonly lane?: (given: readonly string[]) => string;
}

/** Declares an operation, so that its types are known where it is asked for. */
export function defineOperation<Given extends readonly unknown[], Value>(
  operation: Operation<Given, Value>,
): Operation<Given, Value> {
  return operation;
}

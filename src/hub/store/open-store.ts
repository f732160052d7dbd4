import type { Limits } from "../../wire/index.ts";
import { parseDatabase, storeLimits } from "./port/database-address.ts";
import { startStoreThread } from "./store-thread.ts";
import type { Store } from "./port/store.ts";
import { createThreadStore } from "./thread-store.ts";

export interface StoreOptions {
  /** The path of a file for SQLite, or an address such as postgres://user@host/name. */
  readonly database: string;
  readonly limits?: Partial<Limits>;
  /** The hub's name in its audit; by default a name stored in the SQLite file, or with PostgreSQL the machine's. */
  readonly hub?: string;
  /** The folder with an older hub's files, which is imported once and then renamed. */
  readonly importFrom?: string;
  /** Called with messages for the hub's owner about the database and about skipped imports. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Opens a store in a database, which is created if needed. Rejects if only the owner can help: a driver is missing, the
 * address is malformed, or another hub uses the file. If the database is temporarily unavailable it is retried; meanwhile all
 * operations reject, and `health()` has the reason.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const address = parseDatabase(options.database);
  const limits = storeLimits(options.limits);
  const { hub, importFrom, onProblem = () => {} } = options;
  return createThreadStore(await startStoreThread({ address, limits, hub, importFrom, onProblem }));
}

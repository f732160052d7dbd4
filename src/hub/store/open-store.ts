import type { Limits } from "../../wire/index.ts";
import { parseDatabase, storeLimits } from "./port/database-address.ts";
import { startStoreThread } from "./store-thread.ts";
import type { Store } from "./port/store.ts";
import { createThreadStore } from "./thread-store.ts";

export interface StoreOptions {
  /** The path of a file for SQLite, or an address such as postgres://user@host/name. */
  readonly database: string;
  readonly limits?: Partial<Limits>;
  /** The hub's name in its audit; by default one that belongs to the file, or at PostgreSQL the machine's. */
  readonly hub?: string;
  /** The folder in which an older hub kept its files: it is read in, once, and put aside under another name. */
  readonly importFrom?: string;
  /** Hears, in words for the hub's owner, how the database stands and what was left out. */
  readonly onProblem?: (message: string) => void;
}

/**
 * Opens a store in a database, which is made where there is none. Rejects where only its owner can help: a driver is
 * missing, the address is malformed, another hub has the file. A database that cannot be used for the moment is tried
 * again until it can; meanwhile what is asked of the store rejects, and `health()` says why.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const address = parseDatabase(options.database);
  const limits = storeLimits(options.limits);
  const { hub, importFrom, onProblem = () => {} } = options;
  return createThreadStore(await startStoreThread({ address, limits, hub, importFrom, onProblem }));
}

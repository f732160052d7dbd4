// Loaded only to read or change a store beside a running hub.
import type { PagewireError } from "../../../wire/index.ts";
import type { DatabaseAddress } from "../port/database-address.ts";
import type { ThreadData } from "./messages.ts";
import { databaseError } from "./open-to-read.ts";
import { openPostgres } from "./postgres-database.ts";
import type { StoreLimits } from "./session.ts";
import { openSqlite } from "./sqlite-database.ts";
import type { ThreadDatabase } from "./thread-database.ts";

export { exportAll } from "./export.ts";
export { openToRead } from "./open-to-read.ts";
export { pruneAll } from "./prune.ts";

/** Opens a database in this process, to change it while a hub may be writing to it. */
export async function openToChange(
  address: DatabaseAddress,
  limits: StoreLimits,
): Promise<Pick<ThreadDatabase, "transact" | "close">> {
  const data: ThreadData = { address, limits, hub: undefined, importFrom: undefined, isReplaced: false };
  const open = address.kind === "sqlite" ? openSqlite : openPostgres;
  const named = (error: unknown): PagewireError => databaseError(error, address);
  try {
    const database = await open(data, { answer: () => {}, onTrouble: () => {}, onOver: () => {} });
    return {
      transact: (work) =>
        database.transact(work).catch((error: unknown) => {
          throw named(error);
        }),
      close: () => database.close(),
    };
  } catch (error) {
    throw named(error);
  }
}

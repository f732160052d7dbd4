// Reads a database in the process that asks, while a hub may be writing to it. It makes no tables and takes no lock.
import { resolveLimits } from "../../../wire/index.ts";
import type { DatabaseAddress } from "../database-address.ts";
import { operations } from "./operations.ts";
import type { Given, OperationName, Value } from "./operations.ts";
import type { Operation, Session } from "./session.ts";
import { loadSqlite } from "./sqlite-driver.ts";
import { createRunSql, createSqliteSession, sqliteKysely } from "./sqlite-session.ts";
import { createStoreTime } from "./store-time.ts";

/** How long a hub that opens or closes the file may hold it, in milliseconds. */
const busyTime = 2000;

export interface DatabaseReader {
  readonly ask: <Name extends OperationName>(name: Name, given: Given<Name>) => Promise<Value<Name>>;
  close(): Promise<void>;
}

export async function openToRead({ place }: DatabaseAddress): Promise<DatabaseReader> {
  const { DatabaseSync } = await loadSqlite();
  const connection = new DatabaseSync(place, { readOnly: true, timeout: busyTime });
  const build = sqliteKysely(connection);
  const context = { build, limits: resolveLimits(), time: createStoreTime({ latest: 0 }), hub: "" };
  const session = createSqliteSession(context, createRunSql(connection));
  return { ask: askerOf(session), close: async () => connection.close() };
}

function askerOf(session: Session): DatabaseReader["ask"] {
  return async <Name extends OperationName>(name: Name, given: Given<Name>) => {
    const operation: Operation = operations[name];
    return (await operation.run(session, given as never)) as Value<Name>;
  };
}

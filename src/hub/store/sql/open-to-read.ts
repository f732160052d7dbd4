// Opens a database for reading, in any process, while a hub may be writing to it. It creates nothing and takes no lock.
import { Kysely, PostgresDialect } from "kysely";
import { PagewireError, messageOf, resolveLimits } from "../../../wire/index.ts";
import type { DatabaseAddress } from "../port/database-address.ts";
import { operations } from "./operations.ts";
import type { Given, OperationName, Value } from "./operations.ts";
import { sessionOn } from "./postgres-database.ts";
import { createPool, postgresTrouble } from "./postgres-driver.ts";
import type { Tables } from "./schema.ts";
import type { Context, Operation, Session } from "./session.ts";
import { loadSqlite, createRunSql, createSqliteSession, sqliteKysely } from "./sqlite-session.ts";
import { sqliteTrouble } from "./sqlite-trouble.ts";
import { createStoreTime } from "./store-time.ts";

/** How long to wait for a hub that is opening or closing the file, in milliseconds. */
const busyTime = 2000;

export interface DatabaseReader {
  readonly session: Session;
  /** Rejects with a named error. */
  readonly ask: <Name extends OperationName>(name: Name, given: Given<Name>) => Promise<Value<Name>>;
  close(): Promise<void>;
}

type Open = (address: DatabaseAddress) => Promise<{ readonly session: Session; close(): Promise<void> }>;

export async function openToRead(address: DatabaseAddress): Promise<DatabaseReader> {
  const open = address.kind === "sqlite" ? openFile : openServer;
  const refuse = (error: unknown): never => {
    throw databaseError(error, address);
  };
  const { session, close } = await open(address).catch(refuse);
  return {
    session,
    async ask<Name extends OperationName>(name: Name, given: Given<Name>) {
      const operation: Operation = operations[name];
      return (await operation.run(session, given as never).catch(refuse)) as Value<Name>;
    },
    close,
  };
}

const openFile: Open = async ({ place }) => {
  const { DatabaseSync } = await loadSqlite();
  const connection = new DatabaseSync(place, { readOnly: true, timeout: busyTime });
  const context = contextWith(sqliteKysely(connection));
  return { session: createSqliteSession(context, createRunSql(connection)), close: async () => connection.close() };
};

const openServer: Open = async ({ place }) => {
  const { storeTime } = resolveLimits();
  const pool = await createPool({
    connectionString: place,
    max: 1,
    application_name: "pagewire",
    connectionTimeoutMillis: storeTime / 2,
    query_timeout: storeTime,
  });
  const context = contextWith(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));
  return { session: sessionOn(context, pool), close: () => pool.end() };
};

function contextWith(build: Context["build"]): Context {
  return { build, limits: resolveLimits(), time: createStoreTime({ latest: 0 }), hub: "" };
}

export function databaseError(error: unknown, { kind, place, shown }: DatabaseAddress): PagewireError {
  if (PagewireError.isInstance(error)) return error;
  const trouble = kind === "sqlite" ? sqliteTrouble(error, place) : postgresTrouble(error, shown);
  const message = trouble?.message ?? `The database ${shown} cannot be read: ${messageOf(error)}`;
  return new PagewireError(trouble?.code ?? "store-damaged", message, { cause: error });
}

import { Kysely, SqliteDialect } from "kysely";
import type { SqliteDatabase } from "kysely";
import type { Changed, Context, Session, SqlValue } from "./session.ts";
import type { Tables } from "./schema.ts";
import { PagewireError } from "../../../wire/index.ts";

interface Prepared {
  readonly statement: SqliteStatement;
  readonly hasRows: boolean;
}

const maxStatements = 200;

/** Runs statements, with prepared ones cached. */
export type RunSql = <Row>(sql: string, values: readonly unknown[]) => Changed<Row>;

export function createRunSql(connection: SqliteConnection): RunSql {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size >= maxStatements) prepared.clear();
    const made = { statement: connection.prepare(sql), hasRows: hasRows(sql) };
    prepared.set(sql, made);
    return made;
  }

  return <Row>(sql: string, values: readonly unknown[]) => {
    const { statement, hasRows: isAsking } = prepare(sql);
    if (isAsking) return { rows: statement.all(...values) as Row[], changes: 0 };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  };
}

/** Kysely over a connection: it runs the migrations, and builds all other queries. */
export function sqliteKysely(connection: SqliteConnection): Kysely<Tables> {
  const database: SqliteDatabase = {
    prepare(sql) {
      const statement = connection.prepare(sql);
      return {
        reader: hasRows(sql),
        all: (values) => statement.all(...values),
        run: (values) => statement.run(...values),
        iterate: () => {
          throw new Error("Nothing is read row by row.");
        },
      };
    },
    close: () => connection.close(),
  };
  return new Kysely({ dialect: new SqliteDialect({ database }) });
}

export function createSqliteSession(context: Context, runSql: RunSql): Session {
  return {
    ...context,
    async run<Row>(query: { compile(): { readonly sql: string; readonly parameters: readonly unknown[] } }) {
      const { sql, parameters } = query.compile();
      return runSql<Row>(sql, parameters);
    },
    text: async <Row>(sql: string, values: readonly SqlValue[]) => runSql<Row>(sql, values),
  };
}

function hasRows(sql: string): boolean {
  return /^\s*(select|with|pragma)|\sreturning\s/i.test(sql);
}

interface SqliteStatement {
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
}

export interface SqliteConnection {
  readonly isTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly timeout?: number; readonly readOnly?: boolean },
  ) => SqliteConnection;
}

export async function loadSqlite(): Promise<SqliteModule> {
  const own = process.getBuiltinModule?.("node:sqlite") as SqliteModule | undefined;
  if (own) return own;
  try {
    // Typed here, because the package is optional.
    const name: string = "@photostructure/sqlite";
    return (await import(name)) as SqliteModule;
  } catch (error) {
    throw new PagewireError(
      "options-invalid",
      `This Node (${process.version}) has no SQLite. Install the package @photostructure/sqlite, or use Node 22.13 or newer.`,
      { cause: error },
    );
  }
}

// SQLite by the API of node:sqlite: Node's own where it has one, else a package with the same.
import { PagewireError } from "../../../wire/index.ts";

export interface SqliteStatement {
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
    // Its types need not be there where it is not.
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

// The database of a run's hub.
import { createRequire } from "node:module";
import { join } from "node:path";
import { startPostgres } from "../../support/start-postgres.ts";

export const databaseKinds = ["sqlite", "postgres"] as const;

export type DatabaseKind = (typeof databaseKinds)[number];

export interface ChaosDatabase {
  readonly hubArgs: readonly string[];
  /** What is wrong with the database of a hub that has ended, with its state in this folder. */
  damage(home: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openChaosDatabase(kind: DatabaseKind): Promise<ChaosDatabase> {
  if (kind === "sqlite")
    return { hubArgs: [], damage: async (home) => damageOf(join(home, "pagewire.db")), close: async () => {} };
  const server = await startPostgres();
  const address = await server.newDatabase();
  return { hubArgs: ["--database", address], damage: async () => [], close: () => server.close() };
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => {
    prepare(sql: string): { all(): readonly { readonly integrity_check: string }[] };
    close(): void;
  };
}

function damageOf(path: string): readonly string[] {
  const { DatabaseSync } = createRequire(import.meta.url)("@photostructure/sqlite") as Sqlite;
  const database = new DatabaseSync(path);
  try {
    const said = database
      .prepare("PRAGMA integrity_check")
      .all()
      .map((row) => row.integrity_check);
    return said.join() === "ok" ? [] : [`The database is damaged: ${said.join("; ")}`];
  } finally {
    database.close();
  }
}

// The database of a run's hub.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startPostgres } from "../../support/start-postgres.ts";

export const databaseKinds = ["sqlite", "postgres"] as const;

export type DatabaseKind = (typeof databaseKinds)[number];

export interface ChaosDatabase {
  readonly hubArgs: readonly string[];
  /** Damage to the database of a hub that has ended, with its state in this folder. */
  damage(home: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openChaosDatabase(kind: DatabaseKind): Promise<ChaosDatabase> {
  if (kind === "sqlite") {
    const damage = async (home: string) => [...damageOf(join(home, "pagewire.db")), ...(await auditDamage(home))];
    return { hubArgs: [], damage, close: async () => {} };
  }
  const server = await startPostgres();
  const hubArgs = ["--database", await server.newDatabase()];
  return { hubArgs, damage: (home) => auditDamage(home, hubArgs), close: () => server.close() };
}

const command = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

/** The command's findings about the audit's chain. */
async function auditDamage(home: string, args: readonly string[] = []): Promise<readonly string[]> {
  const env = { ...process.env, PAGEWIRE_HOME: home };
  return promisify(execFile)(process.execPath, [command, "audit", "verify", ...args], { env }).then(
    () => [],
    (error: unknown) => [`The audit is damaged: ${String(error)}`],
  );
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

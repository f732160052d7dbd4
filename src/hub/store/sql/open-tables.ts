// What is done once with a database, whichever it is, before anything is asked of it.
import { Migrator } from "kysely";
import type { Kysely } from "kysely";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { DatabaseKind } from "../database-address.ts";
import { migrationsFor } from "./migrations.ts";
import type { Tables } from "./schema.ts";

/** Brings the tables up to date; tells whether there were none. */
export async function migrate(database: Kysely<Tables>, kind: DatabaseKind, shown: string): Promise<boolean> {
  const migrations = migrationsFor(kind);
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.some(({ migrationName }) => migrationName === Object.keys(migrations)[0]);
  if (!/previously executed migration .* is missing/.test(messageOf(error))) throw error;
  throw new PagewireError(
    "options-invalid",
    `The database ${shown} was written by a newer version of Pagewire. Update Pagewire, or use another database.`,
    { cause: error },
  );
}

/** The latest time that stands in it, so that none is given twice; and its own id. */
export async function readLatest(database: Kysely<Tables>): Promise<{ readonly latest: number; readonly id: string }> {
  const { fn } = database;
  const latest = async (query: { execute(): Promise<readonly { latest: number | null }[]> }) =>
    (await query.execute())[0]?.latest ?? 0;
  const times = [
    await latest(database.selectFrom("conversations").select(fn.max("changed").as("latest"))),
    await latest(database.selectFrom("records").select(fn.max("changed").as("latest"))),
    await latest(database.selectFrom("keys").select(fn.max("used").as("latest"))),
  ];
  const [row] = await database.selectFrom("meta").select("value").where("name", "=", "id").execute();
  return { latest: Math.max(...times), id: row?.value ?? "" };
}

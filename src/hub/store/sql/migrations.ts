// The migrations of the tables. A released migration is never changed: add another.
import { sql, Migrator } from "kysely";
import type { Kysely, Migration, RawBuilder, SchemaModule } from "kysely";
import { randomBytes } from "node:crypto";
import type { DatabaseKind } from "../port/database-address.ts";
import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Tables } from "./schema.ts";

function migrationsFor(kind: DatabaseKind): Readonly<Record<string, Migration>> {
  return {
    "0001-first": { up: (database) => makeFirst(database, kind) },
    "0002-homes": { up: makeHomes },
    "0003-organisations": { up: addOrganisations },
  };
}

async function makeFirst(database: Kysely<unknown>, kind: DatabaseKind): Promise<void> {
  const { schema } = database;
  const bytes = sql.raw(kind === "postgres" ? "bytea" : "blob");
  const numbered = sql.raw(kind === "postgres" ? "bigserial primary key" : "integer primary key autoincrement");
  const statements = [
    schema
      .createTable("meta")
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("value", "text", (column) => column.notNull()),
    ...conversationTables(schema, numbered),
    ...recordTables(schema),
    ...keyTables(schema, bytes),
    ...auditTables(schema, numbered),
    sql`insert into meta (name, value) values ('id', ${randomBytes(12).toString("hex")})`,
  ];
  for (const statement of statements) await statement.execute(database);
}

function conversationTables(schema: SchemaModule, numbered: RawBuilder<unknown>) {
  return [
    schema
      .createTable("conversations")
      .addColumn("number", sql`${numbered}`)
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("origin", "text")
      .addColumn("title", "text", (column) => column.notNull())
      .addColumn("titleAt", "integer", (column) => column.notNull())
      .addColumn("messages", "integer", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addColumn("changed", "bigint", (column) => column.notNull()),
    schema.createIndex("conversations_id").unique().on("conversations").columns(["principal", "id"]),
    schema.createIndex("conversations_changed").on("conversations").columns(["principal", "changed", "bytes"]),
    schema.createIndex("conversations_age").on("conversations").column("changed"),
    schema
      .createTable("messages")
      .addColumn("conversation", "bigint", (column) => column.notNull())
      .addColumn("position", "integer", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("messages_position", ["conversation", "position"]),
  ];
}

function recordTables(schema: SchemaModule) {
  return [
    schema
      .createTable("records")
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("value", "text", (column) => column.notNull())
      .addColumn("changed", "bigint", (column) => column.notNull())
      .addColumn("forgetAt", "bigint")
      .addPrimaryKeyConstraint("records_key", ["kind", "key"]),
    schema.createIndex("records_principal").on("records").columns(["kind", "principal", "changed"]),
    schema.createIndex("records_changed").on("records").column("changed"),
    schema.createIndex("records_forget").on("records").column("forgetAt").where(sql.ref("forgetAt"), "is not", null),
    schema
      .createTable("usage")
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("day", "text", (column) => column.notNull())
      .addColumn("tokens", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("usage_day", ["day", "principal"]),
  ];
}

function keyTables(schema: SchemaModule, bytes: RawBuilder<unknown>) {
  return [
    schema
      .createTable("keys")
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("call", "text", (column) => column.notNull())
      .addColumn("fingerprint", "text", (column) => column.notNull())
      .addColumn("tab", "text", (column) => column.notNull())
      .addColumn("epoch", "text")
      .addColumn("used", "bigint", (column) => column.notNull())
      .addColumn("ended", "bigint")
      .addColumn("outcome", "text")
      .addColumn("payload", sql`${bytes}`)
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("keys_key", ["principal", "key"]),
    schema.createIndex("keys_used").on("keys").column("used"),
    // It contains only the keys of the last minutes.
    schema
      .createIndex("keys_kept")
      .on("keys")
      .columns(["principal", "ended", "bytes"])
      .where(sql.ref("outcome"), "is not", null),
    schema.createIndex("keys_ended").on("keys").column("ended").where(sql.ref("outcome"), "is not", null),
  ];
}

function auditTables(schema: SchemaModule, numbered: RawBuilder<unknown>) {
  return [
    schema
      .createTable("audit")
      .addColumn("sequence", sql`${numbered}`)
      .addColumn("hub", "text", (column) => column.notNull())
      .addColumn("day", "text", (column) => column.notNull())
      .addColumn("at", "bigint", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("agent", "text", (column) => column.notNull())
      .addColumn("origin", "text", (column) => column.notNull())
      .addColumn("outcome", "text", (column) => column.notNull())
      .addColumn("record", "text", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addColumn("previous", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull()),
    schema.createIndex("audit_day").on("audit").columns(["day", "hub", "sequence"]),
    schema
      .createTable("auditDays")
      .addColumn("day", "text", (column) => column.notNull())
      .addColumn("hub", "text", (column) => column.notNull())
      .addColumn("records", "bigint", (column) => column.notNull())
      .addColumn("bytes", "bigint", (column) => column.notNull())
      .addPrimaryKeyConstraint("audit_days", ["day", "hub"]),
    ...["at", "kind", "principal", "name", "agent", "origin", "outcome"].map((column) =>
      schema.createIndex(`audit_${column}`).on("audit").columns([column, "sequence"]),
    ),
    schema
      .createTable("chains")
      .addColumn("hub", "text", (column) => column.primaryKey())
      .addColumn("day", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .addColumn("anchor", "text", (column) => column.notNull()),
  ];
}

async function makeHomes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("homes")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("hub", "text", (column) => column.notNull())
    .addColumn("used", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("homes_used").on("homes").column("used").execute();
}

/** Few hubs have organisations: others have no entry in the index. */
async function addOrganisations(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("audit").addColumn("organisation", "text").execute();
  const indexed = sql`create index "audit_organisation" on audit (organisation, sequence) where organisation is not null`;
  await indexed.execute(database);
}

/** Brings the tables up to date; returns whether the database was empty. */
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

/** The latest stored time, so that times stay unique; and the database's id. */
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

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { newDatabase } from "../../../test/support/start-postgres.ts";
import { createChainCheck } from "./port/audit-chain.ts";
import { openAudit, openStoreTools } from "./open-store-tools.ts";
import type { StoreTools } from "./open-store-tools.ts";
import type { AuditRecord, Store } from "./port/store.ts";
import {
  databaseKinds,
  makeFolder,
  newKey,
  openTestStore,
  say,
  textsOf,
} from "./test-support/store-contract.test-helper.ts";

const paid = { outcome: "ok", ran: "yes", payload: '{"content":[]}' } as const;
const dayLength = 24 * 60 * 60 * 1000;
const today = () => new Date().toISOString().slice(0, 10);

/** An audit record that is `days` days old. */
const daysAgo = (days: number, name = "pay"): AuditRecord => ({
  at: new Date(Date.now() - days * dayLength).toISOString(),
  kind: "call",
  principal: "ada",
  name,
});

async function openTools(database: string): Promise<StoreTools> {
  const tools = await openStoreTools(database);
  onTestFinished(() => tools.close());
  return tools;
}

async function endKey(store: Store, principal: string, key: string): Promise<void> {
  await store.keys?.use(principal, key, { call: "c", fingerprint: "f", tab: "t", epoch: "e" });
  await store.keys?.end(principal, key, paid);
}

/** Some data of every kind, of two principals. */
async function fill(store: Store) {
  const [mine, other] = [newKey("ada"), newKey("bob\0")];
  await store.write(mine, { keep: 0, messages: say("What sells best?"), origin: "https://shop.example" });
  await store.write(other, { keep: 0, messages: say("b") });
  await store.setRecord("consents", "c", { principal: "ada", approved: true });
  await store.setRecord("app-sessions", "s", { principal: "bob\0", forgetAt: Date.now() - 1 });
  await store.addTokens("ada", today(), 5);
  await store.addTokens("ada", "2020-01-01", 7);
  await endKey(store, "ada", "k1");
  await store.keys?.use("bob\0", "k2", { call: "c", fingerprint: "f", tab: "t", epoch: undefined });
  await store.addAudit([daysAgo(0), { ...daysAgo(0), principal: "bob\0" }]);
  return { mine, other };
}

const noRemoval = { conversations: 0, records: 0, usage: 0, outcomes: 0, keys: 0, homes: 0, audit: 0 };

test.each(databaseKinds)(
  "of what is in %s the status tells how much, and from when to when, while a hub has it",
  async (kind, make) => {
    const database = await make();
    const store = await openTestStore(database);
    const tools = await openTools(database);
    const none = { count: 0, bytes: 0, oldest: undefined, newest: undefined };
    expect((await tools.status()).tables).toMatchObject({ conversations: none, outcomes: none, audit: none });
    await fill(store);
    const { tables, bytes, database: shown } = await tools.status();
    const some = (count: number) => ({ count, oldest: expect.stringContaining(today()) as string });
    expect(tables).toMatchObject({
      conversations: some(2),
      records: some(2),
      usage: { count: 2, oldest: "2020-01-01", newest: today() },
      keys: some(2),
      outcomes: some(1),
      audit: some(2),
    });
    expect(tables.conversations.bytes).toBe(JSON.stringify([...say("What sells best?"), ...say("b")]).length - 3);
    expect(bytes).toBeGreaterThan(10_000);
    expect(shown).toContain(kind === "SQLite" ? "hub.db" : "postgres://hub@127.0.0.1");
  },
);

test.each(databaseKinds)("what is too old is removed from %s, and nothing else", async (_, make) => {
  const database = await make();
  const store = await openTestStore(database);
  const { mine } = await fill(store);
  const tools = await openTools(database);
  expect(await tools.prune()).toEqual({ ...noRemoval, usage: 1, records: 1 });
  expect(await tools.prune()).toEqual(noRemoval);
  expect(await textsOf(store, mine)).toEqual(["What sells best?"]);
  expect(await tools.prune({ keyTime: 0 })).toEqual({ ...noRemoval, outcomes: 1 });
  expect(await store.keys?.find("ada", "k1", "f")).toMatchObject({ call: "c", outcome: "expired" });
  expect(await tools.prune({ keyTime: 0, usedKeyTime: 0 })).toEqual({ ...noRemoval, keys: 2 });
  expect(await store.keys?.find("ada", "k1", "f")).toBeUndefined();
  expect(await tools.prune({ conversationAge: 0 })).toEqual({ ...noRemoval, conversations: 2 });
  expect([await store.read(mine), await store.list("ada")]).toEqual([undefined, []]);
  expect([...(await store.records("consents", "ada")).keys()]).toEqual(["c"]);
  expect((await tools.status()).tables.audit.count).toBe(2);
});

test.each(databaseKinds)("what is too much of a principal's is removed from %s, the oldest first", async (_, make) => {
  const database = await make();
  const store = await openTestStore(database);
  const keys = [newKey(), newKey(), newKey(), newKey("bob")];
  for (const key of keys) await store.write(key, { keep: 0, messages: say("x".repeat(1000)) });
  for (const name of ["k1", "k2", "k3"]) await endKey(store, "ada", name);
  await endKey(store, "bob", "k1");
  const tools = await openTools(database);
  const limits = { conversationBytesPerPrincipal: 2200, usedKeysPerPrincipal: 1 };
  expect(await tools.prune(limits)).toEqual({ ...noRemoval, conversations: 1, keys: 2 });
  expect(await tools.prune(limits)).toEqual(noRemoval);
  expect(await Promise.all(keys.map(async (key) => (await store.read(key)) !== undefined))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(await store.keys?.find("ada", "k3", "f")).toMatchObject({ outcome: paid });
  expect(await store.keys?.find("ada", "k2", "f")).toBeUndefined();
  expect(await tools.prune({ conversationsPerPrincipal: 1 })).toEqual({ ...noRemoval, conversations: 1 });
});

/** The names of the remaining audit records; throws unless they form a chain from its known start to its known end. */
async function namesLeft(database: string): Promise<readonly (string | undefined)[]> {
  const reader = await openAudit(database);
  const check = createChainCheck(await reader.bounds());
  const all = await reader.audit({ after: 0, limit: 10_000 });
  expect([...all.flatMap((record) => check.add(record)), ...check.end()]).toEqual([]);
  await reader.close();
  return [...new Set(all.map(({ name }) => name))];
}

test.each(databaseKinds)(
  "of an audit in %s whole days go that are too old, and what is left is a chain",
  async (_, make) => {
    const database = await make();
    const store = await openTestStore(database);
    for (const days of [100, 95, 91, 5, 0])
      for (const size of [600, 1]) await store.addAudit(Array.from({ length: size }, () => daysAgo(days, `${days}`)));
    const tools = await openTools(database);
    await vi.waitFor(async () => expect(await tools.prune()).toEqual(noRemoval));
    expect(await namesLeft(database)).toEqual(["5", "0"]);
    await store.addAudit([daysAgo(0, "next")]);
    expect(await namesLeft(database)).toEqual(["5", "0", "next"]);
    expect((await tools.prune({ auditTime: 0 })).audit).toBe(601);
    expect(await namesLeft(database)).toEqual(["0", "next"]);
  },
);

test.each(databaseKinds)(
  "of an audit in %s that is too large the oldest days go whole, and of the newest its beginning",
  async (_, make) => {
    const database = await make();
    const store = await openTestStore(database);
    for (const days of [3, 2, 1]) await store.addAudit(Array.from({ length: 700 }, () => daysAgo(days, `${days}`)));
    await store.addAudit(Array.from({ length: 1200 }, (__, at) => daysAgo(0, at < 1100 ? "begun" : "last")));
    const tools = await openTools(database);
    const { bytes, count } = (await tools.status()).tables.audit;
    const each = bytes / count;
    expect((await tools.prune({ auditBytes: each * 3250 })).audit).toBe(700);
    expect(await namesLeft(database)).toEqual(["2", "1", "begun", "last"]);
    expect((await tools.prune({ auditBytes: each * 1300 })).audit).toBe(1400);
    expect((await tools.prune({ auditBytes: each * 900 })).audit).toBe(500);
    expect((await tools.status()).tables.audit.count).toBe(700);
    await tools.prune({ auditBytes: 0 });
    expect(await namesLeft(database)).toEqual([]);
    await store.addAudit([daysAgo(0, "next")]);
    expect(await namesLeft(database)).toEqual(["next"]);
  },
);

test.each(databaseKinds)("a hub removes what is too old from %s by itself, when it starts", async (_, make) => {
  const database = await make();
  const before = await openTestStore(database);
  await before.addTokens("ada", "2020-01-01", 7);
  await before.close();
  const store = await openTestStore(database, { limits: { pruneTime: 1000 } });
  await vi.waitFor(async () => expect(await store.tokens("ada", "2020-01-01")).toBe(0));
});

test("a backup is made of a database that a hub writes to, for its owner only, and over no other file", async () => {
  const folder = makeFolder();
  const database = join(folder, "hub.db");
  const store = await openTestStore(database);
  const { mine } = await fill(store);
  const writes = Array.from({ length: 200 }, (_, at) => store.setRecord("consents", `${at}`, { principal: "ada", at }));
  const tools = await openTools(database);
  const copy = join(folder, "it's a copy.db");
  await tools.backup(copy);
  await Promise.all(writes);
  expect(statSync(copy).mode & 0o077).toBe(0);
  const refused = {
    code: "options-invalid",
    message: expect.stringContaining("Name a file that is not there") as string,
  };
  await expect(tools.backup(copy)).rejects.toMatchObject(refused);
  await expect(tools.backup(join(folder, "nowhere", "copy.db"))).rejects.toMatchObject(refused);
  const restored = await openTestStore(copy);
  expect(await textsOf(restored, mine)).toEqual(["What sells best?"]);
  expect(await restored.keys?.find("ada", "k1", "f")).toMatchObject({ outcome: paid });
});

test("of a database of PostgreSQL's a backup is PostgreSQL's to make", async () => {
  const database = await newDatabase();
  await openTestStore(database);
  const tools = await openTools(database);
  await expect(tools.backup(join(makeFolder(), "x"))).rejects.toThrow("pg_dump");
});

test("without a store the tools fail with that reason, and create nothing", async () => {
  const database = join(makeFolder(), "hub.db");
  await expect(openStoreTools(database)).rejects.toThrow("no hub has kept anything there");
  expect(existsSync(database)).toBe(false);
});

test.each(databaseKinds)("an export of %s has everything that is kept, of all or of one principal", async (_, make) => {
  const database = await make();
  const store = await openTestStore(database);
  const { mine, other } = await fill(store);
  for (let at = 0; at < 450; at++) {
    const writes = [
      store.setRecord("consents", `many ${at}`, { principal: "carl", at }),
      endKey(store, "carl", `k${at}`),
    ];
    await Promise.all(writes);
  }
  const tools = await openTools(database);
  const linesOf = async (principal?: string) => {
    const lines: Record<string, unknown>[] = [];
    for await (const line of tools.export(principal)) lines.push(line);
    return lines;
  };
  const ada = await linesOf("ada");
  expect(ada).toMatchObject([
    {
      kind: "conversation",
      id: mine.id,
      title: "What sells best?",
      origin: "https://shop.example",
      messages: say("What sells best?"),
    },
    { kind: "record", record: "consents", key: "c", value: { principal: "ada", approved: true } },
    { kind: "usage", day: "2020-01-01", tokens: 7 },
    { kind: "usage", day: today(), tokens: 5 },
    { kind: "key", key: "k1", call: "c", outcome: { outcome: "ok" }, result: paid.payload },
    { kind: "audit", event: "call", principal: "ada", sequence: 1 },
  ]);
  expect(await linesOf("bob\0")).toMatchObject([
    { kind: "conversation", id: other.id, messages: say("b") },
    { kind: "record", record: "app-sessions", key: "s" },
    { kind: "key", key: "k2" },
    { kind: "audit", principal: "bob\0" },
  ]);
  const carl = await linesOf("carl");
  expect(new Set(carl.map(({ kind, key }) => `${String(kind)} ${String(key)}`)).size).toBe(900);
  expect((await linesOf()).length).toBe(ada.length + 4 + 900);
});

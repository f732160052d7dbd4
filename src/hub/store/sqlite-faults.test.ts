import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";
import { makeFolder, newKey, openTestStore, say, textsOf } from "./store-contract.test-helper.ts";

const isWell = (store: Store) => vi.waitFor(() => expect(store.health()).toEqual({ isOk: true }));

const damage = (database: string) => writeFileSync(database, "damaged".repeat(1000));

/** A database with one conversation, in a folder of its own, and a backup of it. */
async function makeDatabase() {
  const database = join(makeFolder(), "hub.db");
  const key = newKey();
  const store = await openStore({ database });
  await store.write(key, { keep: 0, messages: say("a") });
  await store.close();
  const backup = `${database}.backup`;
  copyFileSync(database, backup);
  return { database, key, backup };
}

test("HS11: a hub starts with a damaged database, names it, and begins a new one only when that was moved away", async () => {
  const { database, key } = await makeDatabase();
  damage(database);
  const problems: string[] = [];
  const store = await openTestStore(database, { onProblem: (problem) => problems.push(problem) });
  const damaged = `The database ${database} is damaged. Put a backup in its place, or move it away to begin a new one.`;
  expect(store.health()).toEqual({ isOk: false, reason: "damaged", problem: damaged });
  const refused = { code: "store-damaged", message: damaged };
  await expect(store.read(key)).rejects.toMatchObject(refused);
  await expect(store.write(key, { keep: 0, messages: say("b") })).rejects.toMatchObject(refused);
  await expect(
    store.keys?.use("ada", "k", { call: "c", fingerprint: "f", tab: "t", epoch: "e" }),
  ).rejects.toMatchObject(refused);
  renameSync(database, `${database}.damaged`);
  await isWell(store);
  expect(store.keys?.isNew).toBe(true);
  expect(await store.read(key)).toBeUndefined();
  await store.write(key, { keep: 0, messages: say("b") });
  expect(problems).toEqual([damaged, expect.stringContaining("can be used again")]);
});

test.each([
  ["copied over", (from: string, to: string) => copyFileSync(from, to)],
  ["moved to its place", (from: string, to: string) => renameSync(from, to)],
])("HS11: a backup that is %s a database that was damaged while the hub runs is used at once", async (_, put) => {
  const { database, key, backup } = await makeDatabase();
  const store = await openTestStore(database);
  for (let keep = 1; keep < 5; keep++) await store.write(key, { keep, messages: say("later") });
  rmSync(`${database}-wal`);
  damage(database);
  await vi.waitFor(async () => {
    await expect(store.write(newKey(), { keep: 0, messages: say("x".repeat(5000)) })).rejects.toThrow();
    expect(store.health().isOk).toBe(false);
  });
  put(backup, database);
  await isWell(store);
  expect(await textsOf(store, key)).toEqual(["a"]);
  await store.write(key, { keep: 1, messages: say("b") });
  await store.close();
  expect(await textsOf(await openTestStore(database), key)).toEqual(["a", "b"]);
});

test("a database that is moved away while the hub runs is not written to any more, and the owner is told", async () => {
  const { database, key } = await makeDatabase();
  const problems: string[] = [];
  const store = await openTestStore(database, { onProblem: (problem) => problems.push(problem) });
  renameSync(database, `${database}.away`);
  await vi.waitFor(async () => {
    await expect(store.write(newKey(), { keep: 0, messages: say("x") })).rejects.toMatchObject({ code: "not-saved" });
  });
  await vi.waitFor(() => expect(problems).toHaveLength(2));
  expect(await store.read(key)).toBeUndefined();
  expect(problems).toEqual([
    `The database ${database} was moved away, or replaced.`,
    expect.stringContaining("can be used again"),
  ]);
});

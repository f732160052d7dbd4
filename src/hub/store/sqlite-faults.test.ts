import { execFileSync } from "node:child_process";
import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { bundleProgram } from "./test-support/bundle-program.test-helper.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./port/store.ts";
import { loadSqlite } from "./sql/sqlite-session.ts";
import { makeFolder, newKey, openTestStore, say, textsOf } from "./test-support/store-contract.test-helper.ts";

const isWell = (store: Store) => vi.waitFor(() => expect(store.health()).toEqual({ isOk: true }));

const damage = (database: string) => writeFileSync(database, "damaged".repeat(1000));

/** A database with one conversation, in its own folder, and a backup of it. */
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

test("a hub starts with a damaged database, names it, and begins a new one only when that was moved away", async () => {
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
  expect(problems).toEqual([damaged, expect.stringContaining("can be used again: it is a new one.")]);
});

test.each([
  ["copied over", (from: string, to: string) => copyFileSync(from, to)],
  ["moved to its place", (from: string, to: string) => renameSync(from, to)],
])("a backup that is %s a database that was damaged while the hub runs is used at once", async (_, put) => {
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

test("a database that is moved while the hub runs is no longer written to, and its owner is notified", async () => {
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

test("on a full disk, and in a file that can only be read, what is not written is said at once, and all goes on by itself", async () => {
  const program = await bundleProgram("disk-faults");
  const isolated = ["--user", "--map-root-user", "--mount", process.execPath, program, makeFolder()];
  const seen = JSON.parse(execFileSync("unshare", isolated, { encoding: "utf8" })) as Record<string, unknown>;
  const refused = (reason: string, problem: string) => ({
    ...{ write: "not-saved", use: "not-saved", audit: "not-saved", read: "done" },
    health: { isOk: false, reason, problem: expect.stringContaining(problem) as string },
  });
  const well = { write: "done", use: "done", audit: "done", read: "done", health: { isOk: true } };
  expect(seen).toMatchObject({ said: "not-saved", lost: [], emptied: well, writable: well });
  expect(seen["full"]).toEqual(refused("full", "is full"));
  expect(seen["readOnly"]).toEqual(refused("read-only", "can only be read"));
  expect(seen["readOnlyDisk"]).toMatchObject({ isOk: false, reason: "read-only" });
  const observed = `${String(seen["kept"])} acknowledged writes, all there`;
  for (const fault of ["disk full and emptied", "database read-only and writable again"])
    recordFault("store", { fault: `SQLite: ${fault}`, count: 1, expected: "refused at once, nothing lost", observed });
});

test("while another process holds the database, what waits too long or is too much is refused, and none of it is done later", async () => {
  const { database, key } = await makeDatabase();
  const store = await openTestStore(database, { limits: { storeTime: 1500, storeOperations: 3 } });
  await isWell(store);
  const { DatabaseSync } = await loadSqlite();
  const other = new DatabaseSync(database, { timeout: 5000 });
  other.exec("begin immediate");
  const waiting = [1, 2, 3].map((at) => store.addTokens("ada", "2026-11-27", at));
  const tooMuch = store.addTokens("ada", "2026-11-27", 4);
  const refused = (words: string) => ({ code: "not-saved", message: expect.stringContaining(words) as string });
  await expect(tooMuch).rejects.toMatchObject(refused("limit storeOperations"));
  for (const one of waiting) await expect(one).rejects.toMatchObject(refused("limit storeTime of 1500 ms"));
  expect(store.health()).toMatchObject({ isOk: false, reason: "away" });
  other.exec("rollback");
  other.close();
  await isWell(store);
  await vi.waitFor(async () => expect(await textsOf(store, key)).toEqual(["a"]));
  expect(await store.tokens("ada", "2026-11-27")).toBe(0);
});

test("no more waits for a database than storeBytes, but for one thing alone, however large", async () => {
  const { database, key } = await makeDatabase();
  const store = await openTestStore(database, { limits: { storeBytes: 1000 } });
  const write = (keep: number, size: number) => store.write(key, { keep, messages: say("x".repeat(size)) });
  const waiting = [write(1, 2000), write(2, 100)];
  await expect(waiting[1]).rejects.toMatchObject({ code: "not-saved", message: expect.stringContaining("storeBytes") });
  await waiting[0];
  await Promise.all([write(2, 300), write(3, 300)]);
  expect(await textsOf(store, key)).toHaveLength(4);
});

test("a store whose thread ends refuses what it was asked, and begins another one", async () => {
  const { database, key } = await makeDatabase();
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on("worker", note);
  const problems: string[] = [];
  const store = await openTestStore(database, { onProblem: (problem) => problems.push(problem) });
  const asked = [1, 2, 3].map(() => store.read(key));
  // Nothing that it expects.
  workers[0]?.postMessage(7);
  const ended = new Promise((resolve) => workers[0]?.once("exit", resolve));
  for (const one of asked) await expect(one).rejects.toMatchObject({ code: "not-saved" });
  await ended;
  await expect(store.read(key)).rejects.toMatchObject({ code: "not-saved" });
  await isWell(store);
  expect(await textsOf(store, key)).toEqual(["a"]);
  expect(problems).toEqual([expect.stringContaining("The store failed"), expect.stringContaining("used again")]);
  process.off("worker", note);
});

test("what was asked before a store was closed is answered, and what is asked after that is refused", async () => {
  const { database, key } = await makeDatabase();
  const store = await openStore({ database });
  const writes = [1, 2, 3].map((keep) => store.write(key, { keep, messages: say(`${keep}`) }));
  await Promise.all([store.close(), store.close()]);
  await Promise.all(writes);
  await expect(store.read(key)).rejects.toMatchObject({ code: "not-saved", message: "The store is closed." });
  expect(await textsOf(await openTestStore(database), key)).toEqual(["a", "1", "2", "3"]);
});

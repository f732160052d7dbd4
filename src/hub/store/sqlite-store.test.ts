import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "./open-store.ts";
import { loadSqlite } from "./sql/sqlite-session.ts";
import {
  databaseKinds,
  makeFolder,
  newKey,
  openTestStore,
  say,
  textsOf,
} from "./test-support/store-contract.test-helper.ts";

const paid = { outcome: "ok", ran: "yes", payload: "{}" } as const;

test.each(databaseKinds)(
  "what was written to %s is there after the store was closed and opened again",
  async (_, make) => {
    const database = await make();
    const key = newKey();
    const before = await openStore({ database });
    await before.write(key, { keep: 0, messages: say("a"), origin: "https://shop.example" });
    await before.addTokens("ada", "2026-11-21", 7);
    await before.setRecord("consents", "c", { principal: "ada", n: 1 });
    await before.keys?.use("ada", "k", { call: "c1", fingerprint: "f", tab: "t", epoch: undefined });
    await before.keys?.end("ada", "k", paid);
    await before.addAudit([{ at: "2026-11-27T10:00:00.000Z", kind: "call", principal: "ada" }]);
    await before.close();
    await before.close();
    const after = await openTestStore(database);
    await after.write(key, { keep: 1, messages: say("b") });
    expect(await after.read(key)).toEqual({ messages: say("a", "b"), origin: "https://shop.example" });
    expect(await after.tokens("ada", "2026-11-21")).toBe(7);
    expect(await after.record("consents", "c")).toEqual({ principal: "ada", n: 1 });
    expect(after.keys?.isNew).toBe(false);
    expect(await after.keys?.find("ada", "k", "f")).toMatchObject({ call: "c1", outcome: paid });
    expect(await after.audit({ limit: 10 })).toMatchObject([{ principal: "ada" }]);
  },
);

test("only its owner can read the database, and no file name contains a principal's name", async () => {
  const folder = makeFolder();
  const store = await openTestStore(join(folder, "hub.db"));
  const names = ["../../../evil", "a/b", "C:\\x", "\0", "x".repeat(10_000), "CON", "..", "\uD800"];
  for (const principal of names) {
    const key = newKey(principal);
    await store.write(key, { keep: 0, messages: say(principal) });
    await store.addTokens(principal, "2026-11-21", 1);
    expect(await textsOf(store, key)).toEqual([principal]);
  }
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(["hub.db", "hub.db-shm", "hub.db-wal", "hub.db.lock"]);
  for (const name of files) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
});

test("an id that has not the form of one finds nothing", async () => {
  const store = await openTestStore(join(makeFolder(), "hub.db"));
  for (const id of ["../../evil", "", "' or 1=1 --", "lock"]) {
    const key = { principal: "ada", id };
    expect(await store.read(key)).toBeUndefined();
    const refused = { code: "conversation-not-found" };
    await expect(store.write(key, { keep: 0, messages: say("x") })).rejects.toMatchObject(refused);
    await store.remove(key);
  }
});

test("one process has a file: a second store in it is refused, and one whose process has ended is not", async () => {
  const folder = makeFolder();
  const database = join(folder, "hub.db");
  const lock = `${database}.lock`;
  const store = await openStore({ database });
  const refused = { code: "options-invalid", message: expect.stringContaining(`(process ${process.pid})`) as string };
  for (const place of [database, relative(process.cwd(), database)])
    await expect(openStore({ database: place })).rejects.toMatchObject(refused);
  await store.close();
  expect(existsSync(lock)).toBe(false);
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  for (const owner of [String(ended.pid), String(process.pid), "", "no process"]) {
    writeFileSync(lock, owner);
    await (await openStore({ database })).close();
  }
  writeFileSync(lock, String(process.ppid));
  await expect(openStore({ database })).rejects.toThrow(`(process ${process.ppid})`);
  // The process id was reused after the first process had ended.
  writeFileSync(lock, JSON.stringify({ pid: process.ppid, started: "at another time" }));
  await (await openStore({ database })).close();
});

test("a database of a newer version is refused by name, and left as it is", async () => {
  const database = join(makeFolder(), "hub.db");
  await (await openStore({ database })).close();
  const { DatabaseSync } = await loadSqlite();
  const newer = new DatabaseSync(database, {});
  newer.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')");
  newer.close();
  const refused = { code: "options-invalid", message: expect.stringContaining("newer version of Pagewire") as string };
  await expect(openStore({ database })).rejects.toMatchObject(refused);
});

test("what is no place for a database is refused by name, without a password", async () => {
  for (const database of ["", "mysql://ada:secret@host/x", "postgres://ada:secret@:99999/x", "postgres://[secret"]) {
    const error = await openStore({ database }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "options-invalid",
      message: expect.stringContaining("postgres://user@host/name"),
    });
    expect(String(error)).not.toContain("secret");
  }
});

test("an older hub's files are imported once and renamed; unreadable ones are reported", async () => {
  const folder = makeFolder();
  const old = join(folder, "store");
  const lines = (...values: readonly unknown[]) =>
    values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
  const [whole, torn] = [newKey(), newKey("bob")];
  for (const name of ["conversations/x", "conversations/y", "records", "usage"])
    mkdirSync(join(old, name), { recursive: true });
  writeFileSync(
    join(old, "conversations/x", `${whole.id}.jsonl`),
    lines(
      { conversationOf: "ada", origin: "https://shop.example", title: "a" },
      { keep: 0, messages: say("a", "b") },
      { keep: 1, messages: say("c") },
    ),
  );
  writeFileSync(
    join(old, "conversations/y", `${torn.id}.jsonl`),
    `${lines({ conversationOf: "bob", title: "a" }, { keep: 0, messages: say("a") }, '{"keep":1,"mess')}{"keep":1`,
  );
  const consent = { principal: "ada", approved: true };
  writeFileSync(
    join(old, "records", "consents.jsonl"),
    lines({ key: "one", record: consent }, { key: "two", record: consent }, { key: "two" }, { key: 7 }),
  );
  const terminal = { principal: "ada", digest: "d1", name: "t" };
  writeFileSync(join(old, "records", "terminals.jsonl"), lines({ key: "t1", record: terminal }));
  const tokens = [
    { principal: "ada", tokens: 5 },
    { principal: "ada", tokens: 6 },
  ];
  writeFileSync(join(old, "usage", "2026-11-21.jsonl"), lines(...tokens, '{"principal'));
  const problems: string[] = [];
  const options = { importFrom: old, onProblem: (problem: string) => problems.push(problem) };
  const database = join(folder, "hub.db");
  for (let turn = 0; turn < 2; turn++) {
    const store = await openStore({ database, ...options });
    expect(await store.read(whole)).toEqual({ messages: say("a", "c"), origin: "https://shop.example" });
    expect(await textsOf(store, torn)).toEqual(["a"]);
    expect(await store.list("ada")).toMatchObject([{ id: whole.id, title: "a" }]);
    expect([...(await store.records("consents", "ada"))]).toEqual([["one", consent]]);
    expect([...(await store.records("terminals", "ada"))]).toEqual([["d1", { id: "t1", ...terminal }]]);
    expect(await store.tokens("ada", "2026-11-21")).toBe(11);
    await store.close();
  }
  expect(readdirSync(folder)).toContain("store.imported");
  expect(existsSync(old)).toBe(false);
  expect(problems).toEqual([
    expect.stringMatching(`Line 3 of .*${torn.id}`),
    expect.stringMatching(`Line 4 of .*${torn.id}`),
    expect.stringMatching("A record in .*consents.jsonl is left out"),
    expect.stringMatching("Line 3 of .*2026-11-21.jsonl"),
  ]);
});

test("an import that was cut off before the files were put aside counts nothing twice", async () => {
  const folder = makeFolder();
  const [database, old] = [join(folder, "hub.db"), join(folder, "store")];
  mkdirSync(join(old, "usage"), { recursive: true });
  writeFileSync(join(old, "usage", "2026-11-21.jsonl"), '{"principal":"ada","tokens":5}\n');
  await (await openStore({ database, importFrom: old })).close();
  renameSync(`${old}.imported`, old);
  const { DatabaseSync } = await loadSqlite();
  const half = new DatabaseSync(database, {});
  half.exec("insert into meta (name, value) values ('imported', '')");
  half.close();
  const store = await openTestStore(database, { importFrom: old });
  expect(await store.tokens("ada", "2026-11-21")).toBe(5);
  expect(existsSync(old)).toBe(false);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { createFileStore } from "./file-store.ts";
import { makeFolder, newKey, openFiles, say, textsOf } from "./store-contract.test-helper.ts";
import type { ConversationKey } from "./store.ts";

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const pathOf = (folder: string, { id }: ConversationKey) =>
  filesBelow(folder).find((path) => path.endsWith(`${id}.jsonl`)) ?? "";

test("HS9: what was written is there after the store was closed and opened again", async () => {
  const folder = makeFolder();
  const key = newKey();
  const before = createFileStore({ directory: folder });
  await before.write(key, { keep: 0, messages: say("a"), origin: "https://shop.example" });
  await before.addTokens("ada", "2026-11-21", 7);
  await before.close();
  await before.close();
  const after = openFiles(folder);
  await after.write(key, { keep: 1, messages: say("b") });
  expect(await after.read(key)).toEqual({ messages: say("a", "b"), origin: "https://shop.example" });
  expect(await after.tokens("ada", "2026-11-21")).toBe(7);
});

test("HS9: what was written is there after the process was killed with kill -9", async () => {
  const folder = makeFolder();
  const program = fileURLToPath(new URL("../../../.cache/write-until-killed.mjs", import.meta.url));
  const entryPoints = [fileURLToPath(new URL("write-until-killed.test-program.ts", import.meta.url))];
  await build({ entryPoints, outfile: program, bundle: true, packages: "external", platform: "node", format: "esm" });
  const child = spawn(process.execPath, [program, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  const { key, written } = JSON.parse(first.toString().split("\n")[0] ?? "") as {
    key: ConversationKey;
    written: number;
  };
  const texts = await textsOf(openFiles(folder), key);
  expect(texts?.length).toBeGreaterThanOrEqual(written);
  expect(texts).toEqual(texts?.map((_, at) => `message ${at}`));
});

test("HS6: of conversations in files, the one that was not changed for longest makes room", async () => {
  const folder = makeFolder();
  const store = openFiles(folder, { limits: { conversationBytes: 1000, conversationsPerPrincipal: 2 } });
  const [first, second, third] = [newKey(), newKey(), newKey()];
  for (const key of [first, second]) await store.write(key, { keep: 0, messages: say("x") });
  utimesSync(pathOf(folder, second), 1, 1);
  await store.write(third, { keep: 0, messages: say("z") });
  const left = (await store.list("ada")).map(({ id }) => id);
  expect(new Set(left)).toEqual(new Set([first.id, third.id]));
});

test("HS8: usage of days long gone is not kept", async () => {
  const folder = makeFolder();
  const store = openFiles(folder);
  for (let day = 10; day < 60; day++) await store.addTokens("ada", `2026-${day}-01`, 1);
  expect(readdirSync(join(folder, "usage")).length).toBeLessThanOrEqual(32);
});

test("HS10: a last line that was torn at any byte is left out and said once, and the conversation goes on", async () => {
  const folder = makeFolder();
  const key = newKey();
  const store = openFiles(folder);
  await store.write(key, { keep: 0, messages: say("a") });
  const whole = statSync(pathOf(folder, key)).size;
  await store.write(key, { keep: 1, messages: say("b语") });
  await store.close();
  const bytes = readFileSync(pathOf(folder, key));
  for (let size = whole + 1; size < bytes.length; size++) {
    writeFileSync(pathOf(folder, key), bytes.subarray(0, size));
    const problems: string[] = [];
    const again = createFileStore({ directory: folder, onProblem: (message) => problems.push(message) });
    const isReadFirst = size % 2 === 0;
    expect(isReadFirst ? await textsOf(again, key) : ["a"]).toEqual(["a"]);
    await again.write(key, { keep: 1, messages: say("c") });
    expect(await textsOf(again, key)).toEqual(["a", "c"]);
    expect(problems).toEqual([expect.stringContaining(`${key.id}.jsonl was not written to its end, and is left out.`)]);
    await again.close();
  }
});

test("HS10: usage that was torn in its last line counts what came before", async () => {
  const folder = makeFolder();
  const before = createFileStore({ directory: folder });
  await before.addTokens("ada", "2026-11-21", 5);
  await before.addTokens("ada", "2026-11-21", 6);
  await before.close();
  const path = join(folder, "usage", "2026-11-21.jsonl");
  truncateSync(path, statSync(path).size - 2);
  expect(await openFiles(folder).tokens("ada", "2026-11-21")).toBe(5);
});

test("HS11: a line in the middle that cannot be read is a named error with file and line, and harms no other conversation", async () => {
  const folder = makeFolder();
  const [broken, forged, sound] = [newKey(), newKey(), newKey()];
  const before = createFileStore({ directory: folder });
  for (const key of [broken, forged, sound]) await before.write(key, { keep: 0, messages: say("a") });
  await before.close();
  appendFileSync(pathOf(folder, broken), '{"keep":1,"messa\n{"keep":1,"messages":[]}\n');
  appendFileSync(pathOf(folder, forged), '{"keep":2,"messages":[]}\n');
  const store = openFiles(folder);
  for (const key of [broken, forged]) {
    const error = { code: "store-damaged", message: expect.stringContaining(`Line 3 of ${pathOf(folder, key)}`) };
    await expect(store.read(key)).rejects.toMatchObject(error);
    await expect(store.write(key, { keep: 1, messages: [] })).rejects.toMatchObject(error);
  }
  expect(await textsOf(store, sound)).toEqual(["a"]);
});

test("HS14: a conversation whose first line cannot be read is not listed, so that no page's passes for its user's own", async () => {
  const folder = makeFolder();
  const store = openFiles(folder);
  const [broken, torn, sound] = [newKey(), newKey(), newKey()];
  for (const key of [broken, torn, sound])
    await store.write(key, { keep: 0, messages: say("a"), origin: "https://shop.example" });
  writeFileSync(pathOf(folder, broken), '{"conversationOf":"ada","orig\n{"keep":0,"messages":[]}\n');
  truncateSync(pathOf(folder, torn), 20);
  expect((await store.list("ada")).map(({ id }) => id)).toEqual([sound.id]);
});

test("HS14: very many conversations are listed, each with its own title", async () => {
  const store = openFiles(makeFolder());
  const keys = Array.from({ length: 70 }, () => newKey());
  for (const key of keys) await store.write(key, { keep: 0, messages: say(key.id) });
  const listed = await store.list("ada");
  expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(keys.map(({ id }) => id)));
  for (const { id, title } of listed) expect(title).toBe(id);
});

test("HS12: nobody else may read a file, and no name of one holds what a principal is called", async () => {
  const folder = makeFolder();
  const store = openFiles(folder);
  const names = ["../../../evil", "a/b", "C:\\x", "\0", "x".repeat(10_000), "CON", ".."];
  for (const principal of names) {
    const key = newKey(principal);
    await store.write(key, { keep: 0, messages: say(principal) });
    await store.addTokens(principal, "2026-11-21", 1);
    expect(await textsOf(store, key)).toEqual([principal]);
  }
  const files = filesBelow(folder);
  expect(files.length).toBe(names.length + 2);
  for (const path of files) {
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(path.slice(folder.length)).toMatch(
      /^\/(lock|usage\/2026-11-21\.jsonl|conversations\/[0-9a-f]{32}\/[0-9a-f]{32}\.jsonl)$/,
    );
  }
});

test("HS12: an id that has not the form of one reaches no file", async () => {
  const folder = makeFolder();
  const store = openFiles(folder);
  writeFileSync(join(folder, "evil.jsonl"), '{"conversationOf":"ada"}\n{"keep":0,"messages":[{"content":"stolen"}]}\n');
  for (const id of ["../../evil", "../evil", "", "/etc/passwd", "lock"]) {
    const key = { principal: "ada", id };
    expect(await store.read(key)).toBeUndefined();
    await expect(store.write(key, { keep: 0, messages: say("x") })).rejects.toMatchObject({
      code: "conversation-not-found",
    });
    await store.remove(key);
  }
  expect(existsSync(join(folder, "evil.jsonl"))).toBe(true);
});

test("HS13: one process has a folder: a second store in it is refused, and one whose process has ended is not", async () => {
  const folder = makeFolder();
  const store = createFileStore({ directory: folder });
  const refused = { code: "options-invalid", message: expect.stringContaining(`(process ${process.pid})`) };
  for (const directory of [folder, relative(process.cwd(), folder)])
    expect(() => createFileStore({ directory })).toThrow(expect.objectContaining(refused));
  await store.close();
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  for (const owner of [String(ended.pid), String(process.pid), "", "no process"]) {
    writeFileSync(join(folder, "lock"), owner);
    await createFileStore({ directory: folder }).close();
  }
  writeFileSync(join(folder, "lock"), String(process.ppid));
  expect(() => createFileStore({ directory: folder })).toThrow(`(process ${process.ppid})`);
  expect(() => createFileStore({ directory: join(folder, "lock") })).toThrow("cannot be kept");
  // Another process has the number of the one that ended.
  writeFileSync(join(folder, "lock"), JSON.stringify({ pid: process.ppid, started: "at another time" }));
  await createFileStore({ directory: folder }).close();
});

test("HS6: conversations that make room while they are written to are gone or whole, and never half of one", async () => {
  const folder = makeFolder();
  const many = createFileStore({ directory: folder });
  const old = Array.from({ length: 100 }, () => newKey());
  for (const key of old) await many.write(key, { keep: 0, messages: say("a") });
  await many.close();
  const store = openFiles(folder, { limits: { conversationBytes: 1000, conversationsPerPrincipal: 1 } });
  const change = { keep: 1, messages: say("c") };
  const refused: unknown[] = [];
  const writes = [store.write(newKey(), { keep: 0, messages: say("b") })];
  for (const key of old) {
    writes.push(store.write(key, change).catch((error: { code?: string }) => void refused.push(error.code)));
    await new Promise(setImmediate);
  }
  await Promise.all(writes);
  expect(refused.filter((code) => code !== "conversation-not-found")).toEqual([]);
  for (const key of old) expect([undefined, ["a", "c"]]).toContainEqual(await textsOf(store, key));
});

test("HS3: nothing of a conversation that was removed is left, not even of a change that was cut off by kill -9", async () => {
  const folder = makeFolder();
  const store = openFiles(folder);
  const key = newKey();
  await store.write(key, { keep: 0, messages: say("a") });
  writeFileSync(`${pathOf(folder, key)}.tmp`, "half of");
  await store.remove(key);
  expect(filesBelow(folder).filter((path) => path.includes(key.id))).toEqual([]);
});

test("HS16: records in files are there after a restart, but for a last line that was torn", async () => {
  const folder = makeFolder();
  const before = createFileStore({ directory: folder });
  for (const key of ["a", "b", "c"]) await before.setRecord("consents", key, { principal: "ada", n: 1 });
  await before.setRecord("consents", "b", undefined);
  await before.setRecord("consents", "c", { principal: "ada", n: 2 });
  await before.close();
  const path = join(folder, "records", "consents.jsonl");
  expect(statSync(path).mode & 0o077).toBe(0);
  truncateSync(path, statSync(path).size - 2);
  const problems: string[] = [];
  const one = { principal: "ada", n: 1 };
  const again = openFiles(folder, { onProblem: (message) => problems.push(message) });
  expect(Object.fromEntries(await again.records("consents", "ada"))).toEqual({ a: one, c: one });
  expect(problems).toHaveLength(1);
});

test("HS16: a file of records grows with what it holds, and not with how often that changed", async () => {
  const folder = makeFolder();
  const store = createFileStore({ directory: folder });
  for (let n = 0; n < 1000; n++) await store.setRecord("app-sessions", `key ${n % 3}`, { principal: "ada", n });
  await store.close();
  const lines = readFileSync(join(folder, "records", "app-sessions.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.length).toBeLessThanOrEqual(103);
  const found = await openFiles(folder).records("app-sessions", "ada");
  expect([...found.values()].map(({ n }) => n)).toEqual([997, 998, 999]);
});

test("HS16: a line of records that cannot be read is a named error with file and line", async () => {
  const folder = makeFolder();
  const before = createFileStore({ directory: folder });
  await before.setRecord("consents", "a", { principal: "ada", n: 1 });
  await before.close();
  const path = join(folder, "records", "consents.jsonl");
  appendFileSync(path, '{"key":"b","record":7}\n');
  const error = { code: "store-damaged", message: expect.stringContaining(`Line 2 of ${path}`) };
  await expect(openFiles(folder).records("consents", "ada")).rejects.toMatchObject(error);
});

// Mounts its own disk of 3 MB at a folder; fills and empties it, and makes the database read-only, while a store uses
// it. Prints the results as JSON. Runs as root in namespaces of its own.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../open-store.ts";
import { newConversationId } from "../port/store.ts";
import type { Store } from "../port/store.ts";

const folder = process.argv[2] ?? "";
const mount = (...given: readonly string[]) => execFileSync("mount", given);
mount("-t", "tmpfs", "-o", "size=3m", "none", folder);
const database = join(folder, "hub.db");
/** The folder of an older hub's files, which is empty. */
const importFrom = join(folder, "store");
const key = { principal: "ada", id: newConversationId() };
const kept: string[] = [];

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error));
const tried = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => codeOf(error),
  );

async function write(store: Store, name: string): Promise<string> {
  const said = await tried(store.setRecord("consents", name, { principal: "ada", text: "x".repeat(5000) }));
  if (said === "done") kept.push(name);
  return said;
}

/** Makes requests of all kinds to a store. */
async function askAll(store: Store) {
  const use = { call: "c", fingerprint: "f", tab: "t", epoch: undefined };
  return {
    write: await write(store, `r${kept.length}`),
    use: await tried(store.keys?.use("ada", `k${kept.length}`, use) ?? Promise.resolve()),
    audit: await tried(store.addAudit([{ at: new Date().toISOString(), kind: "call", principal: "ada" }])),
    read: await tried(store.read(key)),
    health: store.health(),
  };
}

async function untilWell(store: Store): Promise<void> {
  while (!store.health().isOk) await sleep(50);
}

let store = await openStore({ database, importFrom });
await store.write(key, { keep: 0, messages: [{ role: "user", content: "a" }] });
for (let at = 0; at < 20; at++) await write(store, `early ${at}`);

const filler = join(folder, "filler");
let size = 0;
for (const piece of [100_000, 10_000, 1000, 100]) {
  try {
    for (;;) writeFileSync(filler, "x".repeat(piece), { flag: "a" });
  } catch {
    size++;
  }
}
let said = "done";
for (let at = 0; said === "done"; at++) said = await write(store, `last ${at}`);
const full = await askAll(store);
rmSync(filler);
await untilWell(store);
const emptied = await askAll(store);
await store.close();

mount("--bind", database, database);
mount("-o", "remount,bind,ro", database);
store = await openStore({ database, importFrom });
const readOnly = await askAll(store);
mount("-o", "remount,bind,rw", database);
await untilWell(store);
const writable = await askAll(store);
await store.close();

mount("-o", "remount,ro", folder);
store = await openStore({ database, importFrom });
const readOnlyDisk = store.health();
mount("-o", "remount,rw", folder);
await untilWell(store);
const found = await store.records("consents", "ada");
const lost = kept.filter((name) => !found.has(name));
await store.close();
process.stdout.write(
  JSON.stringify({ size, said, full, emptied, readOnly, writable, readOnlyDisk, lost, kept: kept.length }),
);

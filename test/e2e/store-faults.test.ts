// A real hub whose store fails, as its callers and its owner see it.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { DatabaseSync } from "@photostructure/sqlite";
import { createFaultProxy } from "pagewire/testing";
import type { FaultProxy } from "pagewire/testing";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { startPostgres } from "../support/start-postgres.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubOptions, HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { shopPage } from "./support/shop.ts";
import { callerOf, connected, countsOf, offered } from "./support/world.ts";
import { answerKey, isFailing, isWell, look, newTag, well } from "./store-faults.test-helper.ts";
import type { Shop } from "./store-faults.test-helper.ts";

const served: Record<string, string> = {};
let pages: PageServer;
let browser: Browser;
let postgres: PostgresServer;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  pages = await servePages(served);
  browser = await openChromium();
  postgres = await startPostgres();
});

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

afterAll(async () => {
  await browser.close();
  await postgres.close();
  await pages.close();
});

const programs = {
  command: fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url)),
  disk: fileURLToPath(new URL("support/hub-on-a-disk.mjs", import.meta.url)),
  clock: fileURLToPath(new URL("support/set-back-clock.mjs", import.meta.url)),
};

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-faults-"));
  opened.push(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A hub with a tab whose tools can be called. */
async function openShop(options: HubOptions = {}): Promise<Shop> {
  const hub = await startHub({
    ...options,
    args: ["--no-demo", "--no-model", "--allow-origin", pages.origin, ...(options.args ?? [])],
  });
  opened.push(() => hub.close());
  const call = callerOf(hub.url, await hub.token());
  served["/"] = shopPage(hub.url);
  const tab = await browser.open(pages.url("/"));
  opened.push(() => tab.close());
  await connected(tab);
  await offered(tab, call);
  return { hub, call, tab };
}

function note(fault: string): void {
  const expected =
    "a call with a key is told not-saved at once and does not run, others go on, /readyz and metrics say it; then well again by itself";
  recordFault("faulty stores", { fault, count: 1, expected, observed: expected });
}

test("a hub whose disk is full tells callers with keys, serves the others, and is well again when there is room", async () => {
  const home = makeFolder();
  const before = await startHub({ home });
  await before.close();
  const shop = await openShop({ home, command: programs.disk, env: { DISK: "small" } });
  await isWell(shop);
  const isStillAnswered = await answerKey(shop);
  shop.hub.process.kill("SIGUSR1");
  await vi.waitFor(() => expect(shop.hub.output()).toContain("The disk is full."));
  await isFailing(shop, "the hub's disk is full");
  await isStillAnswered();
  shop.hub.process.kill("SIGUSR2");
  await isWell(shop);
  await isStillAnswered();
  note("disk full, then emptied (SQLite)");
});

test("a hub that may only read its database tells callers with keys, serves the others, and is well again by itself", async () => {
  const home = makeFolder();
  const before = await startHub({ home });
  await before.close();
  const shop = await openShop({ home, command: programs.disk, env: { DISK: "read-only" } });
  await isFailing(shop, "the hub cannot write to its disk");
  shop.hub.process.kill("SIGUSR2");
  await isWell(shop);
  note("started on a database that can only be read, then writable (SQLite)");
});

test("while PostgreSQL is away for five seconds callers with keys are told, others are served, and all is well again by itself", async () => {
  const own = await startPostgres();
  opened.push(() => own.close());
  const shop = await openShop({ args: ["--database", await own.newDatabase()] });
  await isWell(shop);
  const isStillAnswered = await answerKey(shop);
  await own.stop("SIGKILL");
  await Promise.all([
    pause(5000),
    isFailing(shop, "the hub's database does not answer", "maybe").then(isStillAnswered),
  ]);
  await own.start();
  await isWell(shop);
  await isStillAnswered();
  note("PostgreSQL killed, and started again after 5 s");
});

test("with a PostgreSQL that takes 200 ms longer callers with keys wait for it, and nobody else does", async () => {
  const address = new URL(await postgres.newDatabase());
  const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: Number(address.port) } });
  opened.push(() => proxy.close());
  address.port = String(proxy.port);
  const shop = await openShop({ args: ["--database", address.href] });
  const isStillAnswered = await answerKey(shop);
  proxy.setLatency(100);
  const seen = await look(shop);
  expect(seen).toMatchObject(well);
  // The store is written once before the tool runs, and once after it.
  expect(seen.milliseconds).toBeGreaterThan(400);
  const stalled = pauseWhile(proxy, () => shop.call("echo", { tag: newTag() }));
  expect(await stalled).toMatchObject({ outcome: "ok" });
  await isStillAnswered();
  noteSlow("PostgreSQL 200 ms slower, then silent for the time of a call");
});

/** Holds all traffic of the proxy during an action. */
async function pauseWhile<Result>(proxy: FaultProxy, act: () => Promise<Result>): Promise<Result> {
  proxy.pause();
  try {
    return await act();
  } finally {
    proxy.resume();
  }
}

test("while another process holds the SQLite database callers with keys wait for it, and nobody else does", async () => {
  const home = makeFolder();
  const shop = await openShop({ home });
  const isStillAnswered = await answerKey(shop);
  const other = new DatabaseSync(join(home, "pagewire.db"), { timeout: 10_000 });
  other.exec("begin immediate");
  const tag = newTag();
  const waiting = shop.call("echo", { tag }, { key: tag });
  expect(await shop.call("echo", { tag: newTag() })).toMatchObject({ outcome: "ok" });
  await isStillAnswered();
  expect((await countsOf(shop.tab, tag)).ran).toBe(0);
  other.exec("rollback");
  other.close();
  expect(await waiting).toMatchObject({ outcome: "ok", ran: "yes" });
  noteSlow("database held by another process (SQLite)");
});

function noteSlow(fault: string): void {
  const expected = "calls with keys wait and run once, those without do not wait, earlier keys are known";
  recordFault("faulty stores", { fault, count: 1, expected, observed: expected });
}

test.each(["while it runs", "before it starts"] as const)(
  "a hub whose database is damaged %s says so, serves callers without keys, and is well again with a backup",
  async (moment) => {
    const home = makeFolder();
    const database = join(home, "pagewire.db");
    const before = await startHub({ home });
    await before.close();
    copyFileSync(database, `${database}.backup`);
    const damage = () => {
      rmSync(`${database}-wal`, { force: true });
      writeFileSync(database, "damaged".repeat(1000));
    };
    if (moment === "before it starts") damage();
    const shop = await openShop({ home });
    if (moment === "while it runs") damage();
    await vi.waitFor(async () => {
      const { says, unkeyed, runs, keyed } = await look(shop);
      expect({ says, unkeyed, runs }).toEqual({
        says: "nothing can be saved: what the hub has kept is damaged",
        unkeyed: "ok",
        runs: 0,
      });
      expect(["not-saved", "store-damaged"]).toContain(keyed);
    });
    copyFileSync(`${database}.backup`, database);
    await isWell(shop);
    note(`database damaged ${moment}, a backup put in its place (SQLite)`);
  },
);

/** The command's report on the audit's chain; rejects when the chain is broken. */
async function auditVerdict({ home }: HubProcess, args: readonly string[]): Promise<string> {
  const env = { ...process.env, PAGEWIRE_HOME: home };
  return (await promisify(execFile)(process.execPath, [programs.command, "audit", "verify", ...args], { env })).stdout;
}

test.each(["SQLite", "PostgreSQL"] as const)(
  "a clock that is set back by an hour changes no outcome and no order, over %s and a restart",
  async (kind) => {
    const clock = join(makeFolder(), "back");
    const args = kind === "SQLite" ? [] : ["--database", await postgres.newDatabase()];
    const env = { CLOCK_BACK: clock, NODE_OPTIONS: `--import=${pathToFileURL(programs.clock).href}` };
    const shop = await openShop({ args, env });
    const isStillAnswered = [await answerKey(shop)];
    const hour = 3_600_000;
    writeFileSync(clock, String(hour));
    // The hub's own thread, and the database's.
    await vi.waitFor(() => expect(shop.hub.output().match(/The clock of thread/g)?.length).toBeGreaterThan(1));
    for (const isAnswered of isStillAnswered) await isAnswered();
    isStillAnswered.push(await answerKey(shop));
    await shop.hub.kill();
    await shop.hub.restart();
    await shop.tab.evaluate("pagewire.reconnect()");
    await connected(shop.tab);
    await offered(shop.tab, shop.call);
    for (const isAnswered of isStillAnswered) await isAnswered();
    await isWell(shop);
    await shop.hub.kill();
    const verdict = await auditVerdict(shop.hub, args);
    expect(verdict).toContain("whole");
    const expected = "the same key the same outcome, no second run, the audit in its order";
    recordFault("faulty stores", {
      fault: `clock set back by an hour, then kill -9 (${kind})`,
      count: 1,
      expected,
      observed: expected,
    });
  },
);

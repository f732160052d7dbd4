import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { newDatabase, sharedPostgres, startPostgres } from "../../../test/support/start-postgres.ts";
import type { PostgresServer } from "../../../test/support/start-postgres.ts";
import { createFaultProxy } from "../../testing/index.ts";
import { verifyChain } from "./port/audit-chain.ts";
import type { Store } from "./port/store.ts";
import { newKey, openTestStore, say, textsOf } from "./test-support/store-contract.test-helper.ts";

const own: PostgresServer[] = [];

afterEach(async () => {
  await Promise.all(own.splice(0).map((server) => server.close()));
});

/** A server that the test can stop. */
async function startOwn(): Promise<PostgresServer> {
  const server = await startPostgres();
  own.push(server);
  return server;
}

const isWell = (store: Store) => vi.waitFor(() => expect(store.health()).toEqual({ isOk: true }));
const away = { code: "not-saved", message: expect.stringContaining("cannot be used") as string };

/** Writes messages one after the other until it is stopped; returns those reported as saved, and the refused ones. */
function keepWriting(store: Store) {
  const key = newKey();
  const kept: string[] = [];
  const refused: { code?: string }[] = [];
  let isDone = false;
  const done = (async () => {
    for (let at = 0; !isDone; at++) {
      const text = `message ${at}`;
      await store.setRecord("consents", text, { principal: "ada", at }).then(
        () => kept.push(text),
        (error: { code?: string }) => refused.push(error),
      );
      await new Promise(setImmediate);
    }
  })();
  const stop = async () => {
    isDone = true;
    await done;
    return { key, kept, refused };
  };
  return { kept, refused, stop };
}

test.each([
  ["stopped in order", "SIGINT"],
  ["killed with kill -9", "SIGKILL"],
] as const)(
  "a server that is %s for a while: writes are refused at once, nothing is lost, and it is used again by itself",
  async (how, signal) => {
    const server = await startOwn();
    const problems: string[] = [];
    const store = await openTestStore(await server.newDatabase(), { onProblem: (problem) => problems.push(problem) });
    const writing = keepWriting(store);
    await vi.waitFor(() => expect(writing.kept.length).toBeGreaterThan(50));
    await server.stop(signal);
    await expect(store.list("ada")).rejects.toMatchObject({ code: "not-saved" });
    expect(store.health()).toMatchObject({
      isOk: false,
      reason: "away",
      problem: expect.stringContaining("postgres://hub@"),
    });
    await vi.waitFor(() => expect(writing.refused.length).toBeGreaterThan(100));
    await server.start();
    await isWell(store);
    const before = writing.kept.length;
    await vi.waitFor(() => expect(writing.kept.length).toBeGreaterThan(before + 50));
    const { kept, refused } = await writing.stop();
    expect(refused.length).toBeGreaterThan(100);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(["not-saved"]));
    const found = await store.records("consents", "ada");
    expect(kept.filter((name) => !found.has(name))).toEqual([]);
    expect(problems).toEqual([expect.stringContaining("cannot be used"), expect.stringContaining("can be used again")]);
    const observed = `${kept.length} acknowledged writes, all there; ${refused.length} refused as not-saved`;
    recordFault("store", {
      fault: `PostgreSQL ${how} for 2 s`,
      count: 1,
      expected: "nothing lost, refused at once",
      observed,
    });
  },
);

test("a store opens while its server is away, and is used once that is there", async () => {
  const server = await startOwn();
  const database = await server.newDatabase();
  await server.stop();
  const store = await openTestStore(database);
  await expect(store.write(newKey(), { keep: 0, messages: say("a") })).rejects.toMatchObject(away);
  await expect(store.keys?.find("ada", "k", "f")).rejects.toMatchObject(away);
  await server.start();
  await isWell(store);
  const key = newKey();
  await store.write(key, { keep: 0, messages: say("a") });
  expect(await textsOf(store, key)).toEqual(["a"]);
});

test("a network that is slow makes the store slow, and one that is cut ends in not-saved within storeTime", async () => {
  const address = new URL(await newDatabase());
  const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: Number(address.port) } });
  address.port = `${proxy.port}`;
  const store = await openTestStore(address.href, { limits: { storeTime: 10_000 } });
  proxy.setLatency(100);
  const key = newKey();
  for (let keep = 0; keep < 3; keep++) await store.write(key, { keep, messages: say(`${keep}`) });
  expect(await textsOf(store, key)).toEqual(["0", "1", "2"]);
  proxy.setLatency(0);
  proxy.pause("toClient", "drop");
  const writes = Array.from({ length: 20 }, () => store.addTokens("ada", "2026-11-27", 1));
  for (const write of await Promise.allSettled(writes))
    expect(write).toMatchObject({ status: "rejected", reason: { code: "not-saved" } });
  expect(store.health().isOk).toBe(false);
  proxy.resume();
  proxy.reset();
  await isWell(store);
  expect(await textsOf(store, key)).toEqual(["0", "1", "2"]);
  await store.close();
  await proxy.close();
});

test("a silent server that accepts connections does not keep a hub from starting", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const store = await openTestStore(`postgres://hub@127.0.0.1:${port}/hub`, { limits: { storeTime: 400 } });
  expect(store.health()).toMatchObject({ isOk: false, reason: "away" });
  await expect(store.list("ada")).rejects.toMatchObject({ code: "not-saved" });
  await store.close();
  server.close();
});

test("two hubs share a database: made once, a key has one first use, and each has its own chain in the audit", async () => {
  const database = await newDatabase();
  const [one, two, again] = await Promise.all([
    openTestStore(database, { hub: "one" }),
    openTestStore(database, { hub: "two" }),
    openTestStore(database, { hub: "two" }),
  ]);
  const hubs = [one, two, again];
  expect(hubs.filter(({ keys }) => keys?.isNew)).toHaveLength(1);
  const use = (call: string) => ({ call, fingerprint: "f", tab: "t", epoch: "e" });
  const tries = hubs.flatMap(({ keys }) => (keys ? Array.from({ length: 10 }, () => keys) : []));
  const uses = await Promise.all(tries.map((keys, at) => keys.use("ada", "k", use(`c${at}`))));
  expect(uses.filter((used) => used === undefined)).toHaveLength(1);
  const record = { at: "2026-11-27T10:00:00.000Z", kind: "call", principal: "ada" } as const;
  const writers = hubs.flatMap((hub) => Array.from({ length: 20 }, () => hub));
  await Promise.all(writers.map((hub) => hub.addAudit([record, { ...record, name: "b" }])));
  const all = await one.audit({ after: 0, limit: 1000 });
  expect(all).toHaveLength(120);
  expect(
    verifyChain(all, {
      anchors: new Map([
        ["one", ""],
        ["two", ""],
      ]),
    }),
  ).toEqual([]);
  const key = newKey();
  await one.write(key, { keep: 0, messages: say("a") });
  await two.write(key, { keep: 1, messages: say("b") });
  expect(await textsOf(again, key)).toEqual(["a", "b"]);
});

test("a database that is not there, or does not let the hub in, is named without its password", async () => {
  const server = await sharedPostgres();
  const problems: string[] = [];
  const database = `postgres://hub:secret@127.0.0.1:${server.port}/nowhere`;
  const store = await openTestStore(database, { onProblem: (problem) => problems.push(problem) });
  const shown = `The database postgres://hub@127.0.0.1:${server.port}/nowhere cannot be used: `;
  expect(problems).toEqual([expect.stringContaining(shown)]);
  expect(JSON.stringify([problems, store.health()])).not.toContain("secret");
  await server.query("create database nowhere");
  await isWell(store);
});

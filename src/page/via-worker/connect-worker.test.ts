import { expect, test } from "vitest";
import { recordLink } from "../../testing/index.ts";
import { connectWorker } from "./connect-worker.ts";
import type { ConnectedWorker } from "./connect-worker.ts";
import { createFakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import type { FakeWorkers } from "../test-support/fake-worker.test-helper.ts";
import type { WorkerLocks } from "./worker-powers.ts";

const url = "/pagewire-worker.js";

interface Finding {
  readonly found: Promise<ConnectedWorker>;
  /** How often the page was notified of the worker's end. */
  readonly ends: () => number;
}

function find({ powers }: FakeWorkers): Finding {
  let ends = 0;
  const locks = powers.locks as WorkerLocks;
  const found = connectWorker({ kind: "shared-worker", url, locks, onEnded: () => ends++ }, powers);
  found.catch(() => {});
  return { found, ends: () => ends };
}

async function findConnected(
  workers: FakeWorkers,
): Promise<{ readonly found: ConnectedWorker; readonly ends: () => number }> {
  const { found, ends } = find(workers);
  await workers.clock.advance(0);
  return { found: await found, ends };
}

test("a page says hello with its versions and the lock that it holds, and has links carried", async () => {
  const workers = createFakeWorkers();
  const { found } = await findConnected(workers);
  const { worker } = workers;
  expect([worker.url, worker.name]).toEqual([url, "pagewire-1-0"]);
  expect(worker.heard[0]).toEqual({ type: "hello", versions: [1], page: "pagewire-page:id-1" });
  expect(workers.held()).toContain("pagewire-page:id-1");

  const opening = found.open("ws://hub.example/page");
  expect(worker.heard.at(-1)).toEqual({ type: "carry", id: "id-2", url: "ws://hub.example/page" });
  await worker.say({ type: "carried", id: "id-2" });
  const link = await opening;
  const record = recordLink(link);
  link.send("to the hub");
  expect(await worker.links[0]?.record.received(1)).toEqual(["to the hub"]);
  worker.links[0]?.link.send("to the page");
  expect(await record.received(1)).toEqual(["to the page"]);
});

test("two links that are opened at once are each given their own answer", async () => {
  const workers = createFakeWorkers();
  const { found } = await findConnected(workers);
  const [first, second] = [found.open("ws://one.example"), found.open("ws://two.example")];
  const failed = expect(first).rejects.toThrow("No hub answers.");
  await workers.worker.say({ type: "carried", id: "id-3" });
  await workers.worker.say({ type: "failed", id: "id-2", message: "No hub answers." });
  await failed;
  expect((await second).open).toBe(true);
});

test("a worker that cannot be had leaves its reason, and nothing of the page's behind", async () => {
  for (const [manner, reason] of [
    ["missing", "There is no shared-worker."],
    ["fails", `The script at ${url} is none.`],
    ["refuses", "The worker speaks versions 7, 8 and this page 1."],
  ] as const) {
    const workers = createFakeWorkers();
    workers.manners["shared-worker"] = manner;
    const { found, ends } = find(workers);
    await workers.clock.advance(0);
    await expect(found).rejects.toThrow(reason);
    expect([workers.held(), workers.clock.pending, ends()]).toEqual([[], 0, 0]);
    expect(workers.workers.every(({ isLeft }) => isLeft)).toBe(true);
  }
});

test("a page that may not use locks uses no worker", async () => {
  const workers = createFakeWorkers({ mayLock: false });
  await expect(find(workers).found).rejects.toThrow(/^This page may not use Web Locks: /);
  expect(workers.workers).toEqual([]);
});

test("a worker that is silent is given up after five seconds, and the next one is tried", async () => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = "silent";
  const { found } = find(workers);
  await workers.clock.advance(4999);
  expect(workers.workers).toHaveLength(1);
  workers.manners["shared-worker"] = "greets";
  await workers.clock.advance(1);
  await found;
  expect(workers.workers.map(({ name, isLeft }) => [name, isLeft])).toEqual([
    ["pagewire-1-0", true],
    ["pagewire-1-1", false],
  ]);
  expect(workers.givenUp.count).toBe(1);
});

test.each(["silent", "stuck"] as const)("after two workers that are %s the page does without", async (manner) => {
  const workers = createFakeWorkers();
  workers.manners["shared-worker"] = manner;
  const { found } = find(workers);
  await workers.clock.advance(10_000);
  await expect(found).rejects.toThrow(`The script at ${url} did not answer.`);
  // A worker that starts after all is not used.
  await workers.clock.advance(60_000);
  await workers.worker.say({ type: "hello", version: 1, worker: "late" });
  await workers.worker.fail("late");
  expect([workers.held(), workers.clock.pending]).toEqual([[], 0]);
  expect(workers.workers.map(({ isLeft }) => isLeft)).toEqual([true, true]);
});

test("a worker whose lock is free is dead: its page hears so at once, and what it was opening fails", async () => {
  const workers = createFakeWorkers();
  const { found, ends } = await findConnected(workers);
  const opening = expect(found.open("ws://hub.example")).rejects.toThrow("The worker ended.");
  await workers.worker.die();
  await opening;
  expect([ends(), workers.worker.isLeft, workers.held(), workers.clock.pending]).toEqual([1, true, [], 0]);
  await expect(found.open("ws://hub.example")).rejects.toThrow("The worker ended.");
  expect(workers.givenUp.count).toBe(0);
});

test("a worker that leaves two pings unanswered hangs: it is given up, for all tabs", async () => {
  const workers = createFakeWorkers();
  const { ends } = await findConnected(workers);
  await workers.clock.advance(60_000);
  expect(ends()).toBe(0);
  workers.worker.isHanging = true;
  await workers.clock.advance(5000);
  expect(ends()).toBe(0);
  await workers.clock.advance(2500);
  expect([ends(), workers.worker.isLeft, workers.held(), workers.clock.pending]).toEqual([
    1,
    true,
    ["pagewire-worker:1"],
    0,
  ]);
  expect(workers.givenUp.count).toBe(1);
  await findConnected(workers);
  expect(workers.worker.name).toBe("pagewire-1-1");
});

test("a worker that another tab has given up is given up once", async () => {
  const workers = createFakeWorkers();
  const { ends } = await findConnected(workers);
  workers.worker.isHanging = true;
  workers.givenUp.count = 1;
  await workers.clock.advance(7500);
  expect([ends(), workers.givenUp.count]).toEqual([1, 1]);
});

test("any word of a worker is a sign of life", async () => {
  const workers = createFakeWorkers();
  const { ends } = await findConnected(workers);
  workers.worker.isHanging = true;
  for (let round = 0; round < 5; round++) {
    await workers.clock.advance(4000);
    await workers.worker.say({ type: "carried", id: "none of this page's" });
  }
  expect(ends()).toBe(0);
});

test("what is no message of a worker is passed over", async () => {
  const workers = createFakeWorkers();
  const { found, ends } = await findConnected(workers);
  for (const stray of [{}, { type: 7 }, { type: "carried" }, { type: "hello", version: "1" }, { type: "ping" }]) {
    await workers.worker.say(stray);
  }
  const opening = found.open("ws://hub.example");
  await workers.worker.say({ type: "carried", id: "id-2" });
  expect([(await opening).open, ends()]).toEqual([true, 0]);
});

test("a page that leaves lets go of its lock and its port, and is not told of the worker's end", async () => {
  const workers = createFakeWorkers();
  const { found, ends } = await findConnected(workers);
  found.leave();
  found.leave();
  expect(workers.worker.isLeft).toBe(true);
  await workers.worker.die();
  expect([ends(), workers.held(), workers.clock.pending]).toEqual([0, [], 0]);
});

test("each word of a worker puts off the next ping: in hidden tabs timers that follow from each other wait a minute", async () => {
  const workers = createFakeWorkers();
  await findConnected(workers);
  const pings = () => workers.worker.heard.filter(({ type }) => type === "ping").length;
  await workers.clock.advance(2000);
  await workers.worker.say({ type: "pong" });
  await workers.clock.advance(2499);
  expect(pings()).toBe(1);
  await workers.clock.advance(1);
  expect([pings(), workers.clock.pending]).toEqual([2, 1]);
});

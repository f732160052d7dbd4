import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { createMetrics } from "../common/metrics.ts";
import { createFailingStore, secretPlace } from "./test-support/failing-store.test-helper.ts";
import { createLater } from "./later.ts";
import { createMemoryStore } from "./memory-store.ts";
import { newKey, say } from "./test-support/store-contract.test-helper.ts";
import type { Store, StoreReason } from "./port/store.ts";
import { watchStore } from "./watch-store.ts";

function setUp(given?: Store) {
  const store = createFailingStore(given);
  const clock = createFakeClock();
  const notes: unknown[] = [];
  const metrics = createMetrics();
  const note = (...noted: readonly unknown[]) => void notes.push(noted.slice(1));
  return {
    store,
    clock,
    notes,
    metrics,
    watched: watchStore(store, { note, metrics, later: createLater(clock), clock }),
  };
}

const question = { keep: 0, messages: say("?") };

test("a caller gets an error at once, with the reason but without the store's location", async () => {
  const { store, watched } = setUp();
  const words: Readonly<Record<StoreReason, string>> = {
    full: "the hub's disk is full",
    "read-only": "the hub cannot write to its disk",
    away: "the hub's database does not answer",
    damaged: "",
  };
  for (const [reason, text] of Object.entries(words) as [StoreReason, string][]) {
    store.failure = reason;
    const error = await watched.write(newKey(), question).catch((thrown: unknown) => thrown);
    expect(error, reason).toMatchObject({
      code: reason === "damaged" ? "store-damaged" : "not-saved",
      message: expect.stringContaining(text) as string,
      retryAfter: reason === "damaged" ? undefined : 5000,
    });
    expect(String(error)).not.toContain(secretPlace);
  }
});

test("an error of no name is one of the store, and one about what was asked stays as it is", async () => {
  const { store, watched } = setUp();
  await expect(watched.write(newKey(), { keep: 7, messages: [] })).rejects.toMatchObject({
    code: "conversation-not-found",
  });
  expect(watched.health()).toEqual({ isOk: true });
  const broken = watchStore(
    { ...store, addTokens: () => Promise.reject(new Error("EIO")) },
    { note: () => {}, metrics: createMetrics(), later: createLater(createFakeClock()), clock: createFakeClock() },
  );
  await expect(broken.addTokens("ada", "2026-11-21", 1)).rejects.toMatchObject({ code: "not-saved" });
  expect(broken.health()).toMatchObject({ isOk: false, problem: "EIO" });
});

test("the log has one line when the store fails and one when it recovers; metrics count each failure", async () => {
  const { store, clock, notes, metrics, watched } = setUp();
  store.failure = "full";
  for (let n = 0; n < 3; n++) await watched.write(newKey(), question).catch(() => {});
  expect(await watched.list("ada")).toEqual([]);
  expect(watched.health()).toMatchObject({ isOk: false, reason: "full" });
  expect(notes).toEqual([["store-failed", { code: "not-saved", message: `${secretPlace}: full` }]]);
  const counts = { tabs: 0, agents: 0, callsInFlight: 0, outcomes: {}, conversations: 0, answers: 0, isStoreOk: true };
  expect(metrics.text(counts)).toContain('pagewire_store_failures_total{code="not-saved"} 3\n');
  store.failure = undefined;
  await clock.advance(1000);
  expect([watched.health(), notes.length]).toEqual([{ isOk: true }, 1]);
  await clock.advance(5000);
  expect([notes.slice(1), clock.pending]).toEqual([[["store-works"]], 0]);
  for (const reason of ["full", "read-only", "full"] as const) {
    store.failure = reason;
    await watched.write(newKey(), question).catch(() => {});
  }
  expect(notes).toHaveLength(4);
});

test("a store that works by fits and starts is in the log once, until it has worked for a while", async () => {
  const { store, clock, notes, watched } = setUp();
  for (let n = 0; n < 20; n++) {
    store.failure = "full";
    await watched.write(newKey(), question).catch(() => {});
    store.failure = undefined;
    await watched.write(newKey(), question);
    expect(watched.health()).toEqual({ isOk: true });
    await clock.advance(4000);
  }
  expect(notes).toHaveLength(1);
  await clock.advance(5000);
  expect(notes).toHaveLength(2);
});

test("that it works again is found without anybody who writes", async () => {
  const { store, clock, watched } = setUp();
  [store.failure, store.failsToRead] = ["away", true];
  await expect(watched.list("ada")).rejects.toMatchObject({ code: "not-saved" });
  await clock.advance(60_000);
  expect(watched.health().isOk).toBe(false);
  store.failure = undefined;
  await clock.advance(15_000);
  expect(watched.health()).toEqual({ isOk: true });
});

test("a damaged item is logged, and is no failure of the store", async () => {
  const memory = createMemoryStore();
  const read = () => Promise.reject(new PagewireError("store-damaged", "Row 7."));
  const { notes, watched } = setUp({ ...memory, read });
  for (let n = 0; n < 2; n++) await expect(watched.read(newKey())).rejects.toMatchObject({ code: "store-damaged" });
  expect(watched.health()).toEqual({ isOk: true });
  expect(notes).toHaveLength(2);
});

test("how a store stands is in the log also before anybody uses it, and what waits is written as soon as it can be", async () => {
  const store = createFailingStore();
  let listener = () => {};
  const onHealth = (given: () => void) => void (listener = given);
  store.failure = "read-only";
  const clock = createFakeClock();
  const notes: unknown[] = [];
  const later = createLater(clock);
  const note = (...noted: readonly unknown[]) => void notes.push(noted[1]);
  const options = { note, metrics: createMetrics(), later, clock };
  const watched = watchStore({ ...store, health: store.health, onHealth }, options);
  expect(notes).toEqual(["store-failed"]);
  let isWritten = false;
  later.add(async () => {
    await watched.write(newKey(), question);
    isWritten = true;
  });
  store.failure = undefined;
  listener();
  await clock.advance(0);
  expect([isWritten, watched.health()]).toEqual([true, { isOk: true }]);
  await clock.advance(5000);
  expect(notes).toEqual(["store-failed", "store-works"]);
});

import { expect, test } from "vitest";
import type { Outcome } from "../../wire/index.ts";
import type { KeyLedger, KeyUse } from "./port/store.ts";
import { lastingKinds } from "./test-support/store-contract.test-helper.ts";
import type { CreateStore } from "./test-support/store-contract.test-helper.ts";

const use = (call: string, fingerprint = "pay {}"): KeyUse => ({ call, fingerprint, tab: "tab-1", epoch: "e1" });
const paid: Outcome = { outcome: "ok", ran: "yes", payload: '{"content":[{"type":"text","text":"päid\\n"}]}' };

async function openLedger(create: CreateStore, limits = {}): Promise<KeyLedger> {
  const { keys } = await create(limits);
  if (!keys) throw new Error("This store has no ledger.");
  return keys;
}

test.each(lastingKinds)("%s keeps the first use of a key, and gives it back to every later one", async (_, create) => {
  const keys = await openLedger(create);
  expect(keys.isNew).toBe(true);
  expect(await keys.find("ada", "k", "pay {}")).toBeUndefined();
  expect(await keys.use("ada", "k", use("c1"))).toBeUndefined();
  const first = { call: "c1", tab: "tab-1", epoch: "e1", age: expect.any(Number), outcome: undefined };
  expect(await keys.use("ada", "k", use("c2"))).toEqual({ ...first, isSameCall: true });
  expect(await keys.find("ada", "k", "pay {1}")).toEqual({ ...first, isSameCall: false });
  expect(await keys.use("bob", "k", use("c3"))).toBeUndefined();
  expect(await keys.use("ada", "K", use("c4"))).toBeUndefined();
});

test.each(lastingKinds)("of many uses of a key at one time, %s lets one be the first", async (_, create) => {
  const keys = await openLedger(create);
  const all = await Promise.all(Array.from({ length: 20 }, (__, at) => keys.use("ada", "k", use(`c${at}`))));
  expect(all.filter((one) => one === undefined)).toHaveLength(1);
  expect(new Set(all.flatMap((one) => one?.call ?? [])).size).toBe(1);
});

test.each(lastingKinds)("at %s the same call may go to another tab, until it has ended", async (_, create) => {
  const keys = await openLedger(create);
  await keys.use("ada", "k", use("c1"));
  expect(await keys.use("ada", "k", { ...use("c1"), tab: "tab-2", epoch: undefined })).toBeUndefined();
  expect(await keys.find("ada", "k", "pay {}")).toMatchObject({ tab: "tab-2", epoch: undefined });
  await keys.end("ada", "k", paid);
  expect(await keys.use("ada", "k", use("c1"))).toMatchObject({ tab: "tab-2", outcome: paid });
});

test.each(lastingKinds)(
  "%s gives back the outcome of a key to the byte, and the first one holds",
  async (_, create) => {
    const keys = await openLedger(create);
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 123, 0, 255, 125]);
    const outcomes: readonly Outcome[] = [
      paid,
      { ...paid, payload: "\uFEFF{}" },
      { ...paid, payload: bytes.subarray(1) },
      { outcome: "rejected", ran: "no", code: "cancelled", message: "No.", retryAfter: 5 },
    ];
    for (const [at, outcome] of outcomes.entries()) {
      await keys.use("ada", `k${at}`, use("c"));
      await keys.end("ada", `k${at}`, outcome);
      await keys.end("ada", `k${at}`, { outcome: "cancelled", ran: "maybe" });
      expect((await keys.find("ada", `k${at}`, "pay {}"))?.outcome).toEqual(outcome);
    }
    expect(bytes).toHaveLength(7);
  },
);

test.each(lastingKinds)("%s says that an outcome was not kept whose key it does not know", async (_, create) => {
  const keys = await openLedger(create);
  await expect(keys.end("ada", "k", paid)).rejects.toMatchObject({ code: "not-saved" });
});

test.each(lastingKinds)("a key that was given free is as good as new at %s", async (_, create) => {
  const keys = await openLedger(create);
  await keys.use("ada", "k", use("c1"));
  await keys.free("ada", "k");
  await keys.free("ada", "k");
  expect(await keys.use("ada", "k", use("c2", "other"))).toBeUndefined();
});

test.each(lastingKinds)(
  "beyond keyBytes %s keeps the latest outcomes, and knows the earlier keys as used up",
  async (_, create) => {
    const keys = await openLedger(create, { keyBytes: 1000 });
    const payload = `"${"x".repeat(298)}"`;
    for (let at = 0; at < 6; at++) {
      await keys.use("ada", `k${at}`, use("c"));
      await keys.end("ada", `k${at}`, { outcome: "ok", ran: "yes", payload });
    }
    const kept = await Promise.all([0, 1, 2, 3, 4, 5].map((at) => keys.find("ada", `k${at}`, "pay {}")));
    expect(kept.map((one) => one?.outcome === "expired")).toEqual([true, true, true, true, false, false]);
    await keys.use("bob", "k", use("c"));
    await keys.end("bob", "k", paid);
    expect((await keys.find("bob", "k", "pay {}"))?.outcome).toEqual(paid);
  },
);

test.each(lastingKinds)(
  "after keyTime %s knows a key as used up, and after usedKeyTime not at all",
  async (_, create) => {
    const brief = await openLedger(create, { keyTime: 0, usedKeyTime: 60_000 });
    await brief.use("ada", "k", use("c"));
    await brief.end("ada", "k", paid);
    expect(await brief.use("ada", "k", use("c2"))).toMatchObject({ call: "c", isSameCall: true, outcome: "expired" });
    const forgetful = await openLedger(create, { keyTime: 0, usedKeyTime: 0 });
    await forgetful.use("ada", "k", use("c"));
    expect(await forgetful.find("ada", "k", "pay {}")).toBeUndefined();
    expect(await forgetful.use("ada", "k", use("c2"))).toBeUndefined();
  },
);

test.each(lastingKinds)("%s tells apart keys and principals of any text", async (_, create) => {
  const keys = await openLedger(create);
  const texts = [
    "",
    "a\0",
    "a\0b",
    "\uD800",
    "\uDBFF",
    "x".repeat(5000),
    "x".repeat(5001),
    "sha256:",
    "é",
    "e\u0301",
    "K",
  ];
  for (const principal of texts)
    for (const key of texts) expect(await keys.use(principal, key, use(`${principal.length}`))).toBeUndefined();
  for (const key of texts) expect(await keys.use("x".repeat(5000), key, use("c2"))).toMatchObject({ call: "5000" });
});

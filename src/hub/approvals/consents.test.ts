import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createConsents } from "./consents.ts";
import type { Consents, ConsentTool } from "./consents.ts";
import { createFakeClock } from "../../testing/index.ts";
import { createFailingStore } from "../store/test-support/failing-store.test-helper.ts";
import { createLater, createMemoryStore } from "../store/index.ts";
import type { Store } from "../store/index.ts";

const tool: ConsentTool = {
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  origin: "https://shop.example",
};

function open(store: Store = createMemoryStore(), consentsPerPrincipal = 10) {
  const clock = createFakeClock();
  const setting = { store, clock, notSaved: 0, records: [] as unknown[] };
  const consents = createConsents({
    store,
    later: createLater(clock),
    limits: { consentsPerPrincipal },
    now: () => 5,
    onNotSaved: () => setting.notSaved++,
    record: (event) => setting.records.push(event),
  });
  return Object.assign(setting, { consents });
}

const decided = async (book: Consents, principal: string, about: ConsentTool) =>
  (await book.decisionOn(principal, about)).approved;

/** The tool with everything changed that its page can change. */
const changed: ConsentTool = { ...tool, description: "Pays!", parameters: { type: "object", properties: { n: {} } } };

test("a permission holds for its principal, and for the tool's origin and definition as they are", async () => {
  const { consents, store } = open();
  expect(await decided(consents, "ada", tool)).toBeUndefined();
  await consents.keep("ada", tool, true);
  expect(await decided(consents, "ada", { ...tool })).toBe(true);
  for (const other of [
    { ...tool, name: "pay_all" },
    { ...tool, description: "Pays all." },
    { ...tool, parameters: { type: "object", properties: { n: {} } } },
    { ...tool, annotations: { readOnlyHint: true } },
    { ...tool, origin: "https://shop.example:8443" },
    { name: "pay", description: "Pays.", parameters: { type: "object" } },
  ])
    expect(await decided(consents, "ada", other), JSON.stringify(other)).toBeUndefined();
  expect(await decided(consents, "eve", tool)).toBeUndefined();
  await consents.keep("ada", tool, false);
  expect(await decided(consents, "ada", tool)).toBe(false);
  const records = [...(await store.records("consents", "ada")).values()];
  expect(records).toEqual([{ principal: "ada", tool: "pay", origin: "https://shop.example", approved: false, at: 5 }]);
  expect(await decided(open(store).consents, "ada", tool)).toBe(false);
});

test("a refusal holds for its principal, origin and tool name, whatever the page changes later", async () => {
  const { consents, store } = open();
  await consents.keep("ada", { ...tool, name: "other-tab_pay", ownName: "pay" }, false);
  for (const book of [consents, open(store).consents]) {
    for (const name of ["other-tab_pay", "other-tab_shop__pay", "parent-window_pay"])
      expect(await decided(book, "ada", { ...changed, name, ownName: "pay" }), name).toBe(false);
    for (const other of [
      { ...tool, ownName: "look" },
      { ...tool, origin: "https://mail.example" },
    ])
      expect(await decided(book, "ada", { ...other, name: "x" }), JSON.stringify(other)).toBeUndefined();
    expect(await decided(book, "eve", tool)).toBeUndefined();
  }
});

test("a refusal that an older hub kept under the tool's definition holds for the listed name", async () => {
  const store = createMemoryStore();
  const { origin = "" } = tool;
  await store.setRecord("consents", "a", { principal: "ada", tool: "other-tab_pay", origin, approved: false, at: 5 });
  const { consents } = open(store);
  expect(await decided(consents, "ada", { ...changed, name: "other-tab_pay", ownName: "pay" })).toBe(false);
  await consents.remove("ada", "a");
  expect(await decided(consents, "ada", { ...changed, name: "other-tab_pay", ownName: "pay" })).toBeUndefined();
});

test("the latest decision about a tool is the one in force, and taking it back leaves none", async () => {
  const { consents, store } = open();
  for (const permitted of [tool, changed]) await consents.keep("ada", permitted, true);
  await consents.keep("ada", tool, false);
  for (const book of [consents, open(store).consents]) {
    const [refusal, ...rest] = await book.list("ada");
    expect([refusal?.approved, rest]).toEqual([false, []]);
  }
  await consents.keep("ada", tool, true);
  expect([await decided(consents, "ada", tool), await decided(consents, "ada", changed)]).toEqual([true, undefined]);
  expect((await store.records("consents", "ada")).size).toBe(1);
});

test("a refusal makes room for a permission only where there are nothing but refusals", async () => {
  const { consents } = open(createMemoryStore(), 2);
  await consents.keep("ada", { ...tool, name: "a" }, false);
  for (const name of ["b", "c"]) await consents.keep("ada", { ...tool, name }, true);
  expect((await consents.list("ada")).map((one) => one.tool)).toEqual(["c", "a"]);
  for (const name of ["d", "e"]) await consents.keep("ada", { ...tool, name }, false);
  expect((await consents.list("ada")).map((one) => one.tool)).toEqual(["e", "d"]);
});

test("if a tool has changed since it was allowed, its earlier description is known, even after a restart", async () => {
  const { consents, store } = open();
  const listed = { ...tool, name: "other-tab_pay", ownName: "pay" };
  await consents.keep("ada", listed, true);
  for (const book of [consents, open(store).consents]) {
    const now = { ...listed, description: "Pays all." };
    expect(await book.decisionOn("ada", now)).toEqual({ allowedAs: 'Pays.\n\n{\n  "type": "object"\n}' });
    const hinted = { ...listed, annotations: { readOnlyHint: true } };
    expect(await book.decisionOn("ada", hinted)).toHaveProperty("allowedAs");
    for (const same of [listed, { ...listed, name: "other-tab_shop__pay" }, { ...listed, ownName: "look", name: "x" }])
      expect(await book.decisionOn("ada", same), same.name).not.toHaveProperty("allowedAs");
  }
});

test("stored descriptions are limited, for each tool and for all of a principal's", async () => {
  const { consents } = open(createMemoryStore(), 1000);
  const told = async (name: string) => (await consents.decisionOn("ada", { ...tool, name })).allowedAs?.length;
  for (let at = 0; at < 66; at++)
    await consents.keep("ada", { ...tool, name: `pay${at}`, description: "x".repeat(100_000) }, true);
  expect([await told("pay0"), await told("pay63"), await told("pay64"), await told("pay")]).toEqual([
    4096,
    4096,
    0,
    undefined,
  ]);
});

test("a permission of an older hub's holds as it did; of what it was for nothing is known", async () => {
  const store = createMemoryStore();
  const { name, origin = "", description, parameters } = tool;
  const key = createHash("sha256").update(JSON.stringify(["ada", origin, name, description, parameters]));
  const record = { principal: "ada", tool: name, origin, approved: true, at: 5 };
  await store.setRecord("consents", key.digest("base64url"), record);
  const { consents } = open(store);
  expect(await consents.decisionOn("ada", tool)).toEqual({ approved: true });
  expect(await consents.decisionOn("ada", { ...tool, annotations: { readOnlyHint: false } })).toEqual({
    approved: true,
  });
  expect(await consents.decisionOn("ada", changed)).toEqual({ allowedAs: "" });
});

test("who is shown the decisions and takes one back has only their own; the server's tools have no origin", async () => {
  const { consents, store } = open();
  const { origin: _, ...own } = tool;
  await consents.keep("ada", tool, true);
  await consents.keep("ada", own, false);
  const shown = await consents.list("ada");
  expect(shown).toEqual([
    { key: expect.any(String), tool: "pay", origin: "", approved: false },
    { key: expect.any(String), tool: "pay", origin: "https://shop.example", approved: true },
  ]);
  expect(await consents.list("eve")).toEqual([]);
  const key = shown[1]?.key ?? "";
  await expect(consents.remove("eve", key)).rejects.toMatchObject({ code: "route-not-found" });
  await expect(consents.remove("ada", "x")).rejects.toMatchObject({ code: "route-not-found" });
  await consents.remove("ada", key);
  await expect(consents.remove("ada", key)).rejects.toMatchObject({ code: "route-not-found" });
  expect([await decided(consents, "ada", tool), await decided(consents, "ada", own)]).toEqual([undefined, false]);
  expect((await store.records("consents", "ada")).size).toBe(1);
});

test("of more than consentsPerPrincipal the oldest makes room, and no other principal's", async () => {
  const { consents, store } = open(createMemoryStore(), 2);
  await consents.keep("eve", tool, true);
  for (const name of ["a", "b", "a", "c"]) await consents.keep("ada", { ...tool, name }, true);
  expect((await consents.list("ada")).map((one) => one.tool)).toEqual(["c", "a"]);
  expect((await store.records("consents", "ada")).size).toBe(2);
  expect(await decided(consents, "eve", tool)).toBe(true);
});

test("records in another form are passed over", async () => {
  const store = createMemoryStore();
  const { consents } = open(store);
  const good = { principal: "ada", tool: "pay", origin: "", approved: true };
  for (const [key, record] of Object.entries({
    a: good,
    c: { ...good, tool: null },
    d: { ...good, origin: {} },
    e: { ...good, approved: "yes" },
  }))
    await store.setRecord("consents", key, record);
  expect(await consents.list("ada")).toEqual([{ key: "a", tool: "pay", origin: "", approved: true }]);
});

test("where decisions cannot be read the user is asked, what they decide then holds, and all of it once they are read", async () => {
  const store = createFailingStore();
  await open(store).consents.keep("ada", { ...tool, name: "look" }, true);
  const { consents, clock } = open(store);
  [store.failure, store.failsToRead] = ["away", true];
  expect(await decided(consents, "ada", tool)).toBeUndefined();
  await expect(consents.keep("ada", tool, true)).rejects.toMatchObject({ code: "not-saved" });
  expect(await decided(consents, "ada", tool)).toBe(true);
  await expect(consents.list("ada")).rejects.toMatchObject({ code: "not-saved" });
  store.failure = undefined;
  expect((await consents.list("ada")).map((one) => one.tool)).toEqual(["pay", "look"]);
  await clock.advance(1000);
  expect((await store.records("consents", "ada")).size).toBe(2);
});

test("the latest decision is in force, also where an earlier one could not be read when it was made", async () => {
  const store = createFailingStore();
  await open(store).consents.keep("ada", tool, false);
  const { consents } = open(store);
  [store.failure, store.failsToRead] = ["away", true];
  await expect(consents.keep("ada", tool, true)).rejects.toMatchObject({ code: "not-saved" });
  store.failure = undefined;
  expect(await decided(consents, "ada", tool)).toBe(true);
});

test("the user is notified of an unsaved decision; it holds while the hub runs, and is saved as soon as possible", async () => {
  const store = createFailingStore();
  const setting = open(store);
  const { consents, clock } = setting;
  await consents.keep("ada", tool, true);
  store.failure = "full";
  await expect(consents.keep("ada", tool, false)).rejects.toMatchObject({ code: "not-saved" });
  expect([await decided(consents, "ada", tool), setting.notSaved > 0]).toEqual([false, true]);
  await clock.advance(60_000);
  expect(await decided(open(store).consents, "ada", tool)).toBe(true);
  store.failure = undefined;
  await clock.advance(15_000);
  expect(await decided(open(store).consents, "ada", tool)).toBe(false);
  expect([(await store.records("consents", "ada")).size, clock.pending]).toEqual([1, 0]);
});

test("a decision that is taken back is gone here, and in the store once that works", async () => {
  const store = createFailingStore();
  const { consents, clock } = open(store);
  await consents.keep("ada", tool, true);
  const key = (await consents.list("ada"))[0]?.key ?? "";
  store.failure = "read-only";
  await expect(consents.remove("ada", key)).rejects.toMatchObject({ code: "not-saved" });
  expect([await decided(consents, "ada", tool), await consents.list("ada")]).toEqual([undefined, []]);
  store.failure = undefined;
  await clock.advance(15_000);
  expect((await store.records("consents", "ada")).size).toBe(0);
});

import { expect, test } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import { isConversationId, newConversationId } from "./port/store.ts";
import { lastingKinds, newKey, say, storeKinds, textsOf } from "./test-support/store-contract.test-helper.ts";
import { titleOf } from "./port/title-of.ts";

const today = "2026-11-21";

test.each(storeKinds)("%s gives back what was written, in its order, and who began it", async (_, create) => {
  const store = await create();
  const key = newKey();
  expect(await store.read(key)).toBeUndefined();
  const message = { role: "user", content: [{ type: "text", text: "a\nb\u2028语" }], toolCalls: [{ id: "1" }] };
  await store.write(key, { keep: 0, messages: [message], origin: "https://shop.example" });
  await store.write(key, { keep: 1, messages: say("two", "three") });
  const found = await store.read(key);
  expect(found).toEqual({ messages: [message, ...say("two", "three")], origin: "https://shop.example" });
});

test.each(storeKinds)("%s cuts a conversation back and goes on from there in one change", async (_, create) => {
  const store = await create();
  const key = newKey();
  await store.write(key, { keep: 0, messages: say("a", "b", "c") });
  await store.write(key, { keep: 1, messages: say("x") });
  expect(await textsOf(store, key)).toEqual(["a", "x"]);
  await store.write(key, { keep: 0, messages: [] });
  expect(await textsOf(store, key)).toEqual([]);
  await store.write(key, { keep: 0, messages: say("again") });
  expect(await textsOf(store, key)).toEqual(["again"]);
});

test.each(storeKinds)("%s keeps changes that are made at one time in their order", async (_, create) => {
  const store = await create();
  const key = newKey();
  const texts = Array.from({ length: 20 }, (__, at) => `${at}`);
  await Promise.all(texts.map((text, keep) => store.write(key, { keep, messages: say(text) })));
  expect(await textsOf(store, key)).toEqual(texts);
});

test.each(storeKinds)("%s refuses a change of what is not there, and keeps what is", async (_, create) => {
  const store = await create();
  const key = newKey();
  const gone = { code: "conversation-not-found" };
  await expect(store.write(key, { keep: 1, messages: say("b") })).rejects.toMatchObject(gone);
  await store.write(key, { keep: 0, messages: say("a") });
  await expect(store.write(key, { keep: 2, messages: say("c") })).rejects.toMatchObject(gone);
  expect(await textsOf(store, key)).toEqual(["a"]);
  await store.remove(key);
  await store.remove(key);
  await expect(store.write(key, { keep: 1, messages: say("b") })).rejects.toMatchObject(gone);
  expect(await store.list("ada")).toEqual([]);
});

test.each(storeKinds)("%s shows a principal nothing of another's, with the same id too", async (_, create) => {
  const store = await create();
  const key = newKey("ada");
  const other = { ...key, principal: "bob" };
  await store.write(key, { keep: 0, messages: say("mine") });
  expect([await store.read(other), await store.list("bob")]).toEqual([undefined, []]);
  await store.remove(other);
  await store.write(other, { keep: 0, messages: say("bob's") });
  expect([await textsOf(store, key), await textsOf(store, other)]).toEqual([["mine"], ["bob's"]]);
  await store.addTokens("ada", today, 5);
  expect([await store.tokens("ada", today), await store.tokens("bob", today)]).toEqual([5, 0]);
});

test("an id is made of 128 random bits, and nothing else has its form", () => {
  const ids = new Set(Array.from({ length: 1000 }, newConversationId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(isConversationId(id)).toBe(true);
  const others = ["", "..", "../x", "a".repeat(31), "A".repeat(32), `${"a".repeat(32)}\n`, "a".repeat(33), 7, null];
  for (const other of others) expect(isConversationId(other)).toBe(false);
});

test.each(storeKinds)("%s keeps no more conversations of a principal than the limit", async (_, create) => {
  const store = await create({ conversationBytes: 1000, conversationsPerPrincipal: 2 });
  const others = newKey("bob");
  const last = newKey();
  for (const key of [others, newKey(), newKey(), newKey(), last])
    await store.write(key, { keep: 0, messages: say("x") });
  expect(await store.list("ada")).toHaveLength(2);
  expect([await textsOf(store, others), await textsOf(store, last)]).toEqual([["x"], ["x"]]);
});

test.each(lastingKinds)(
  "%s keeps a principal's conversations within conversationBytesPerPrincipal",
  async (_, create) => {
    const store = await create({ conversationBytesPerPrincipal: 2500 });
    const [first, second, third, others] = [newKey(), newKey(), newKey(), newKey("bob")];
    for (const key of [first, second, others]) await store.write(key, { keep: 0, messages: say("x".repeat(1000)) });
    await store.write(first, { keep: 1, messages: say("y") });
    await store.write(third, { keep: 0, messages: say("z".repeat(1000)) });
    expect((await store.list("ada")).map(({ id }) => id)).toEqual([third.id, first.id]);
    expect(await store.list("bob")).toHaveLength(1);
    await store.write(first, { keep: 1, messages: say("y".repeat(2400)) });
    expect((await store.list("ada")).map(({ id }) => id)).toEqual([first.id]);
  },
);

test("the one that was not changed for longest makes room", async () => {
  const store = createMemoryStore({ limits: { conversationBytes: 1000, conversationsPerPrincipal: 2 } });
  const [first, second, third] = [newKey(), newKey(), newKey()];
  for (const key of [first, second]) await store.write(key, { keep: 0, messages: say("x") });
  await store.write(first, { keep: 1, messages: say("y") });
  await store.write(third, { keep: 0, messages: say("z") });
  expect((await store.list("ada")).map(({ id }) => id)).toEqual([third.id, first.id]);
});

test("a store in memory forgets the oldest when all together are too large", async () => {
  const store = createMemoryStore({ bytes: 1000 });
  const [first, second, third] = [newKey(), newKey("bob"), newKey()];
  for (const key of [first, second, third]) await store.write(key, { keep: 0, messages: say("x".repeat(400)) });
  const left = await Promise.all([first, second, third].map(async (key) => (await store.read(key)) !== undefined));
  expect(left).toEqual([false, true, true]);
});

test.each(storeKinds)("%s refuses what makes a conversation larger than its limit, and keeps it", async (_, create) => {
  const store = await create({ conversationBytes: 2000, conversationsPerPrincipal: 9 });
  const key = newKey();
  await store.write(key, { keep: 0, messages: say("a".repeat(1000)) });
  const full = { code: "conversation-full", message: expect.stringContaining("conversationBytes of 2000 bytes") };
  await expect(store.write(key, { keep: 1, messages: say("b".repeat(1000)) })).rejects.toMatchObject(full);
  await expect(store.write(newKey(), { keep: 0, messages: say("b".repeat(2001)) })).rejects.toMatchObject(full);
  expect(await textsOf(store, key)).toEqual(["a".repeat(1000)]);
  for (let turn = 0; turn < 20; turn++) await store.write(key, { keep: 0, messages: say("c".repeat(900)) });
  expect(await textsOf(store, key)).toEqual(["c".repeat(900)]);
});

test.each(storeKinds)("%s sums up the tokens since a day", async (_, create) => {
  const store = await create();
  expect(await store.tokens("ada", today)).toBe(0);
  await Promise.all([store.addTokens("ada", today, 100), store.addTokens("ada", today, 23)]);
  expect(await store.tokens("ada", today)).toBe(123);
  expect(await store.tokens("ada", "2026-11-22")).toBe(0);
  await store.addTokens("ada", "2026-11-22", 1);
  expect(await store.tokens("ada", "2026-11-22")).toBe(1);
  expect(await store.tokens("ada", today)).toBe(124);
  expect(await store.tokens("ada", "2026-11-01")).toBe(124);
});

test.each(storeKinds)("%s calls a conversation after what its user says first in it", async (_, create) => {
  const store = await create();
  const key = newKey();
  const title = async () => (await store.list("ada")).map((one) => one.title);
  const greeting = { role: "assistant", content: "Good morning." };
  await store.write(key, { keep: 0, messages: [greeting], origin: "https://shop.example" });
  expect(await title()).toEqual([""]);
  await store.write(key, { keep: 1, messages: say("What\n  sells best?") });
  await store.write(key, { keep: 2, messages: say("And where?") });
  expect(await title()).toEqual(["What sells best?"]);
  await store.write(key, { keep: 1, messages: say("Who buys most?") });
  expect(await store.list("ada")).toMatchObject([{ title: "Who buys most?", origin: "https://shop.example" }]);
  await store.write(key, { keep: 1, messages: [] });
  expect(await title()).toEqual([""]);
  expect(await store.read(key)).toEqual({ messages: [greeting], origin: "https://shop.example" });
});

test.each(storeKinds)(
  "%s finds a conversation in which nothing was said yet, and does not list it",
  async (_, create) => {
    const store = await create();
    const key = newKey();
    await store.write(key, { keep: 0, messages: [] });
    expect(await store.read(key)).toMatchObject({ messages: [] });
    expect(await store.list("ada")).toEqual([]);
    await store.write(key, { keep: 0, messages: say("What sells best?") });
    expect(await store.list("ada")).toMatchObject([{ id: key.id, title: "What sells best?" }]);
    await store.write(key, { keep: 0, messages: [] });
    expect(await store.list("ada")).toEqual([]);
  },
);

test("a title is at most 80 characters long, none of them cut in two, and an image is a word of it", () => {
  const image = { type: "image", url: "data:image/png;base64,AAAA" };
  const content = [image, { type: "text", text: "What is this?" }];
  expect(titleOf([{ role: "user", content }])).toBe("(image) What is this?");
  expect(titleOf(say("x".repeat(80)))).toBe("x".repeat(80));
  expect(titleOf(say("😀".repeat(80)))).toBe("😀".repeat(80));
  expect(titleOf(say("😀".repeat(81)))).toBe(`${"😀".repeat(79)}…`);
  expect(titleOf([{ role: "user", content: 7 }])).toBe("");
});

test.each(storeKinds)("%s keeps records by their names, each kind for itself", async (_, create) => {
  const store = await create();
  const record = { principal: "ada", approved: true, list: [1] };
  await store.setRecord("consents", "a", record);
  record.list.push(2);
  const first = { principal: "ada", approved: true, list: [1] };
  for (const found of [await store.record("consents", "a"), ...(await store.records("consents", "ada")).values()])
    if (found) Object.assign(found, { approved: false });
  expect(await store.records("consents", "ada")).toEqual(new Map([["a", first]]));
  expect(await store.record("consents", "a")).toEqual(first);
  expect(await store.record("terminals", "a")).toBeUndefined();
  expect(await store.records("app-sessions", "ada")).toEqual(new Map());
  await store.setRecord("consents", "__proto__", { principal: "ada", n: 1 });
  await store.setRecord("consents", "a", { principal: "ada", n: 2 });
  expect([...(await store.records("consents", "ada"))]).toEqual([
    ["__proto__", { principal: "ada", n: 1 }],
    ["a", { principal: "ada", n: 2 }],
  ]);
  await store.setRecord("consents", "a", undefined);
  await store.setRecord("consents", "nobody", undefined);
  expect([...(await store.records("consents", "ada")).keys()]).toEqual(["__proto__"]);
});

test.each(storeKinds)("%s replaces a record only as it was read", async (_, create) => {
  const store = await create();
  const [before, after] = [
    { principal: "ada", n: 1 },
    { principal: "ada", n: 2, forgetAt: Date.now() + 60_000 },
  ];
  expect(await store.replaceRecord("consents", "a", { before, after })).toBe(false);
  await store.setRecord("consents", "a", before);
  const all = await Promise.all(
    Array.from({ length: 10 }, () => store.replaceRecord("consents", "a", { before, after })),
  );
  expect(all.filter(Boolean)).toEqual([true]);
  expect(await store.record("consents", "a")).toEqual(after);
  await store.setRecord("consents", "a", undefined);
  expect(await store.replaceRecord("consents", "a", { before: after, after: before })).toBe(false);
  expect(await store.record("consents", "a")).toBeUndefined();
});

test.each(storeKinds)("%s makes a record once, and removes it only as it was read", async (_, create) => {
  const store = await create();
  const made = await Promise.all(
    Array.from({ length: 10 }, (_each, n) =>
      store.replaceRecord("consents", "a", { before: undefined, after: { principal: "ada", n } }),
    ),
  );
  expect(made.filter(Boolean)).toEqual([true]);
  const before = await store.record("consents", "a");
  expect(before).toEqual({ principal: "ada", n: made.indexOf(true) });
  const other = { principal: "ada", n: 11 };
  expect(await store.replaceRecord("consents", "a", { before: other, after: undefined })).toBe(false);
  expect(await store.replaceRecord("consents", "a", { before, after: undefined })).toBe(true);
  expect(await store.replaceRecord("consents", "a", { before, after: undefined })).toBe(false);
  expect(await store.record("consents", "a")).toBeUndefined();
});

test.each(storeKinds)("%s lists a principal's records only, and finds one by its key", async (_, create) => {
  const store = await create();
  await store.setRecord("terminals", "a", { principal: "ada", n: 1 });
  await store.setRecord("terminals", "b", { principal: "bob", n: 2 });
  expect([...(await store.records("terminals", "bob")).keys()]).toEqual(["b"]);
  expect(await store.records("terminals", "__proto__")).toEqual(new Map());
  expect(await store.record("terminals", "b")).toEqual({ principal: "bob", n: 2 });
  expect(await store.record("terminals", "__proto__")).toBeUndefined();
});

test("a store in memory forgets records when they may be forgotten", async () => {
  let time = 0;
  const store = createMemoryStore({ now: () => time });
  await store.setRecord("app-sessions", "a", { principal: "ada", forgetAt: 5 });
  await store.setRecord("app-sessions", "b", { principal: "ada" });
  time = 5;
  await store.setRecord("app-sessions", "c", { principal: "bob", forgetAt: 9 });
  expect([...(await store.records("app-sessions", "ada")).keys()]).toEqual(["b"]);
});

test.each(storeKinds)("%s: a principal's records come in pages, in the order of their keys", async (_, create) => {
  const store = await create();
  for (const key of ["d", "b", "a", "c"]) await store.setRecord("people", key, { principal: "acme", key });
  await store.setRecord("people", "bb", { principal: "globex" });
  await store.setRecord("consents", "aa", { principal: "acme" });
  const page = async (after?: string) => [...(await store.recordsAfter("people", "acme", { after, limit: 2 })).keys()];
  expect([await page(), await page("b"), await page("d")]).toEqual([["a", "b"], ["c", "d"], []]);
});

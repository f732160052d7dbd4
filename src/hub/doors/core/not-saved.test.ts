import { expect, test, vi } from "vitest";
import type { TestHub, startHub } from "../../test-support/hub.test-helper.ts";
import { exchange, mintCode } from "../../test-support/own.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { createFailingStore, secretPlace } from "../../store/test-support/failing-store.test-helper.ts";
import type { FailingStore } from "../../store/test-support/failing-store.test-helper.ts";
import { startCore, startWith } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import { playModel, sayAlways, streamByHand } from "./model.test-helper.ts";

const page = { origin: shop };
const full = {
  code: "not-saved",
  message: "This conversation is not being saved: the hub's disk is full. It will be tried again.",
};
const today = () => new Date().toISOString().slice(0, 10);

async function startFailing(model = sayAlways("Hi."), limits: Parameters<typeof startHub>[0] = {}) {
  const store = createFailingStore();
  const { hub, client } = await startWith(model, {}, { store: () => store, ...limits });
  return { store, hub, client };
}

const notSaved = ({ values }: CoreClient) => values["notSaved"];
const isSaved = (values: Readonly<Record<string, unknown>>) => values["notSaved"] === null;
const isNotSaved = (values: Readonly<Record<string, unknown>>) => values["notSaved"] !== null;

/** Writes something else, which makes the pending writes follow at once. */
async function work(store: FailingStore, hub: TestHub): Promise<void> {
  store.failure = undefined;
  await exchange(hub, await mintCode(hub, hub.token));
}

async function keptTexts(store: FailingStore, id: string): Promise<readonly unknown[] | undefined> {
  return (await store.read({ principal: "local", id }))?.messages.map(({ content }) => content);
}

test("the client of an unsaved conversation is notified at once, and again when it is saved, without a new turn", async () => {
  const { store, hub, client } = await startFailing();
  await client.run("send", "one", {});
  expect(notSaved(client)).toBeNull();
  store.failure = "full";
  expect(await client.run("send", "two", {})).toBe("Hi.");
  expect(notSaved(client)).toEqual(full);
  expect(await client.run("send", "three", {})).toBe("Hi.");
  const other = await startCore(hub.url, { ...page, session: client.session });
  expect(notSaved(other)).toEqual(full);
  await work(store, hub);
  await client.until(isSaved);
  await other.until(isSaved);
  expect(await keptTexts(store, client.session)).toEqual(["one", "Hi.", "two", "Hi.", "three", "Hi."]);
  expect(await hub.metric('pagewire_not_saved_total{what="conversation"}')).toBe(1);
  expect(JSON.stringify(client.came)).not.toContain(secretPlace);
  expect(hub.records.filter(({ event }) => event === "store-failed")).toHaveLength(1);
});

test("a question that cannot be saved is reported while its answer is awaited", async () => {
  const answer = streamByHand();
  const { store, hub, client } = await startFailing(playModel(() => answer.response));
  store.failure = "read-only";
  client.run("send", "one", {}).catch(() => {});
  await client.until(isNotSaved);
  expect(client.values).toMatchObject({ loading: true, messages: [{ content: "one" }] });
  await work(store, hub);
  await client.until(isSaved);
  expect(await keptTexts(store, client.session)).toEqual(["one"]);
});

test("a conversation that was truncated and continued while the store failed is saved in its final form", async () => {
  const { store, hub, client } = await startFailing();
  for (const text of ["one", "two"]) await client.run("send", text, {});
  store.failure = "full";
  await client.set("messages", (client.values["messages"] as unknown[]).slice(0, 2));
  await client.run("send", "three", {});
  await client.run("regenerate", {});
  await work(store, hub);
  await client.until(isSaved);
  expect(await keptTexts(store, client.session)).toEqual(["one", "Hi.", "three", "Hi."]);
});

test("a conversation that is too large to be saved is reported until it is truncated", async () => {
  const { client } = await startWith(sayAlways("Hi."), {}, { limits: { conversationBytes: 2000 } });
  await client.run("send", "x".repeat(3000), {});
  expect(notSaved(client)).toMatchObject({
    code: "conversation-full",
    message: expect.stringContaining("conversationBytes") as string,
  });
  await client.set("messages", []);
  await client.until(isSaved);
});

test("a conversation that was left unsaved is found again as it was, by its user only, and saved when that is possible", async () => {
  const { store, hub, client } = await startFailing(sayAlways("Hi."), { limits: { conversationTime: 1 } });
  await client.run("send", "one", {});
  store.failure = "full";
  await client.run("send", "two", {});
  const { session } = client;
  await client.close();
  await vi.waitFor(async () => expect(await hub.metric("pagewire_conversations")).toBe(0));
  await expect(startCore(hub.url, { token: hub.token, session })).rejects.toMatchObject({
    code: "conversation-not-found",
  });
  const back = await startCore(hub.url, { ...page, session });
  expect([back.values["messages"], notSaved(back)]).toMatchObject([
    [{ content: "one" }, { content: "Hi." }, { content: "two" }, { content: "Hi." }],
    full,
  ]);
  await back.close();
  await vi.waitFor(async () => expect(await hub.metric("pagewire_conversations")).toBe(0));
  await work(store, hub);
  await vi.waitFor(async () => expect(await keptTexts(store, session)).toEqual(["one", "Hi.", "two", "Hi."]));
});

test("an abandoned, unsaved conversation that was deleted is not created again", async () => {
  const { store, hub, client } = await startFailing(sayAlways("Hi."), { limits: { conversationTime: 1 } });
  await client.run("send", "one", {});
  store.failure = "full";
  await client.run("send", "two", {});
  await client.close();
  await vi.waitFor(async () => expect(await hub.metric("pagewire_conversations")).toBe(0));
  store.failure = undefined;
  await store.remove({ principal: "local", id: client.session });
  const { tried } = store.writes;
  await work(store, hub);
  await vi.waitFor(() => expect(store.writes.tried).toBeGreaterThan(tried + 1));
  expect(await keptTexts(store, client.session)).toBeUndefined();
});

test("what waited to be saved is saved at the hub's end, where that is possible by then", async () => {
  const { store, hub, client } = await startFailing();
  store.failure = "full";
  await client.run("send", "one", {});
  store.failure = undefined;
  await hub.close();
  expect(await keptTexts(store, client.session)).toEqual(["one", "Hi."]);
});

test("while nothing can be read new conversations begin, and one that is wanted comes back by itself", async () => {
  const { store, hub, client } = await startFailing(sayAlways("Hi."), { limits: { conversationTime: 1 } });
  await client.run("send", "one", {});
  const { session } = client;
  await client.close();
  await vi.waitFor(async () => expect(await hub.metric("pagewire_conversations")).toBe(0));
  [store.failure, store.failsToRead] = ["away", true];
  const other = await startCore(hub.url, page);
  expect(await other.run("send", "two", {})).toBe("Hi.");
  expect(notSaved(other)).toMatchObject({ message: expect.stringContaining("database does not answer") as string });
  const refused = startCore(hub.url, { ...page, session });
  await expect(refused).rejects.toThrow("This cannot be read at the moment: the hub's database does not answer.");
  // Not a final error code: the client can retry.
  await expect(refused).rejects.toMatchObject({ code: undefined });
  store.failure = undefined;
  expect((await startCore(hub.url, { ...page, session })).values["messages"]).toMatchObject([{}, {}]);
});

test("tokens that could not be written down count, and are written down when that is possible", async () => {
  const { store, hub, client } = await startFailing(sayAlways("Hi.", 60));
  store.failure = "full";
  for (const text of ["one", "two"]) await client.run("send", text, {});
  expect(await store.tokens("local", today())).toBe(0);
  await work(store, hub);
  await vi.waitFor(async () => expect(await store.tokens("local", today())).toBe(120));
  expect(await hub.metric('pagewire_not_saved_total{what="usage"}')).toBe(2);
});

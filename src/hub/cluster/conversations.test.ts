// Conversations over several hubs: each lives at one, and its clients may come to any.
import { expect, test, vi } from "vitest";
import { playModel, sayAlways, serverTool } from "../doors/core/model.test-helper.ts";
import { homeOf } from "../store/index.ts";
import type { Store } from "../store/index.ts";
import { messagesOf, startTalkingHubs, talkAt, textsOf } from "./conversations.test-helper.ts";

const never = new Promise<never>(() => {});

test("MH73: clients of a conversation at any hub see one core, and its answer as it is written", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const model = playModel(() => ({ text: "Hi.", waits: finished }));
  const { a, b, c } = await startTalkingHubs(model);
  const first = await talkAt(a);
  const { session } = first;
  const others = await Promise.all([b, c, a].map((hub) => talkAt(hub, { session })));
  expect(others.map((client) => client.session)).toEqual([session, session, session]);
  const answer = others[0]?.run("send", "One?", {});
  await Promise.all([first, ...others].map((client) => client.until(({ content }) => content === "Hi.")));
  finish();
  expect(await answer).toBe("Hi.");
  for (const client of [first, ...others]) {
    await client.until(({ messages }) => (messages as unknown[]).length === 2);
    expect(messagesOf(client)).toEqual(["user: One?", "assistant: Hi."]);
  }
  expect(model.requests).toHaveLength(1);
  const counts = await Promise.all([a, b, c].map((hub) => hub.metric("pagewire_conversations")));
  expect(counts).toEqual([1, 0, 0]);
});

test("MH73: a conversation that nobody has is taken by one of the hubs that its clients come to at one time", async () => {
  const model = sayAlways("Hi.");
  const { a, b, c, store } = await startTalkingHubs(model, { limits: { conversationTime: 1 } });
  const begun = await talkAt(a);
  await begun.run("send", "One?", {});
  await begun.close();
  const { session } = begun;
  const key = { principal: "local", id: session };
  await vi.waitFor(async () => expect(await store.homes.find(homeOf(key))).toBeUndefined());
  const clients = await Promise.all([a, b, c, a, b, c].map((hub) => talkAt(hub, { session })));
  await Promise.all(clients.map((client, at) => client.run("send", `${at}`, {}).catch(() => {})));
  const counts = await Promise.all([a, b, c].map((hub) => hub.metric("pagewire_conversations")));
  expect(counts.filter((count) => count > 0)).toEqual([1]);
  const [one] = clients;
  const saved = textsOf((await store.read(key))?.messages);
  await vi.waitFor(() => expect(one && messagesOf(one)).toEqual(saved));
});

test("MH73: a principal's conversation is no other's at any hub, and a guess takes nothing", async () => {
  const { a, b, store } = await startTalkingHubs(sayAlways("Hi."));
  const program = await talkAt(a);
  await program.run("send", "One?", {});
  const missing = { code: "PAGEWIRE_SESSION_UNKNOWN" };
  await expect(
    talkAt(b, { session: program.session, origin: "https://shop.example", token: "" }),
  ).rejects.toMatchObject(missing);
  const guess = "0".repeat(32);
  await expect(talkAt(b, { session: guess })).rejects.toMatchObject({ code: "conversation-not-found" });
  await vi.waitFor(async () =>
    expect(await store.homes.find(homeOf({ principal: "local", id: guess }))).toBeUndefined(),
  );
});

test("MH74: a conversation of a hub that stops goes on at another at once, with its last answer", async () => {
  const model = playModel((_, round) => ({ text: `Answer ${round}.`, ...(round === 1 && { waits: never }) }));
  const { a, b } = await startTalkingHubs(model);
  const client = await talkAt(a);
  const { session } = client;
  await client.run("send", "One?", {});
  const cut = client.run("send", "Two?", { onFailure: "keep" });
  cut.catch(() => {});
  await client.until(({ content }) => content === "Answer 1.");
  await a.close();
  const next = await talkAt(b, { session });
  expect(messagesOf(next)).toEqual(["user: One?", "assistant: Answer 0.", "user: Two?", "assistant: Answer 1."]);
  expect((next.values["messages"] as object[])[3]).toMatchObject({ partial: true });
  expect(await next.run("send", "Three?", {})).toBe("Answer 2.");
});

test("MH74: a hub that hands over sends idle conversations away, and the answer that runs is finished", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const model = playModel(({ body }) => ({
    text: "Hi.",
    ...(JSON.stringify(body.messages).includes("slow") && { waits: finished }),
  }));
  const { a, b } = await startTalkingHubs(model);
  const [idle, busy] = [await talkAt(a), await talkAt(a)];
  await idle.run("send", "One?", {});
  const answer = busy.run("send", "slow?", {});
  await busy.until(({ content }) => content === "Hi.");
  const drained = a.drain();
  expect((await idle.closed)[0]).toBe("going-away");
  const moved = await talkAt(b, { session: idle.session });
  expect(await moved.run("send", "Two?", {})).toBe("Hi.");
  finish();
  expect(await answer).toBe("Hi.");
  await drained;
  const later = await talkAt(b, { session: busy.session });
  expect(messagesOf(later)).toEqual(["user: slow?", "assistant: Hi."]);
});

test("MH76: a conversation that is removed at one hub is not brought back by another that has it", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const model = playModel((_, round) => ({ text: "Hi.", ...(round === 1 && { waits: finished }) }));
  const { a, b, store } = await startTalkingHubs(model);
  const [atA, atB] = [await talkAt(a), await talkAt(b)];
  await atA.run("send", "One?", {});
  const answer = atA.run("send", "Two?", {});
  answer.catch(() => {});
  await vi.waitFor(() => expect(model.requests).toHaveLength(2));
  await atB.run("deleteConversation", atA.session);
  finish();
  await atA.closed;
  expect(await atB.run("listConversations")).toEqual([]);
  expect(await store.read({ principal: "local", id: atA.session })).toBeUndefined();
  await expect(talkAt(a, { session: atA.session })).rejects.toMatchObject({ code: "conversation-not-found" });
});

/** Has another hub take a conversation, as when the one that has it was silent. */
async function takeAway(store: Store, session: string): Promise<void> {
  const name = homeOf({ principal: "local", id: session });
  expect(await store.homes.take(name, "another", await store.homes.find(name))).toBe("another");
}

test("MH75: a hub whose conversation another has taken calls no tool, asks no model, and sends the clients away", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const model = playModel(() => ({ calls: [{ name: "pay" }], waits: finished }));
  let paid = 0;
  const { a, store } = await startTalkingHubs(model, { tools: [serverTool("pay", () => `${paid++}`)] });
  const client = await talkAt(a);
  const { session } = client;
  client.run("send", "One?", {}).catch(() => {});
  await vi.waitFor(() => expect(model.requests).toHaveLength(1));
  await takeAway(store, session);
  finish();
  expect((await client.closed)[0]).toBe("going-away");
  await vi.waitFor(async () => expect(await a.metric("pagewire_conversations")).toBe(0));
  expect([paid, model.requests.length]).toEqual([0, 1]);
  const kept = await store.read({ principal: "local", id: session });
  expect(kept?.messages).toMatchObject([{ role: "user", content: "One?" }]);
});

test("MH75: a hub whose conversation another has taken saves nothing into it, and tries that no more", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const model = playModel((_, round) => ({ text: "Hi.", ...(round === 1 && { waits: finished }) }));
  const { a, store } = await startTalkingHubs(model);
  const client = await talkAt(a);
  const { session } = client;
  await client.run("send", "One?", {});
  client.run("send", "Two?", {}).catch(() => {});
  await vi.waitFor(() => expect(model.requests).toHaveLength(2));
  await takeAway(store, session);
  finish();
  expect((await client.closed)[0]).toBe("going-away");
  await vi.waitFor(async () => expect(await a.metric("pagewire_conversations")).toBe(0));
  const kept = await store.read({ principal: "local", id: session });
  expect(kept?.messages.map(({ content }) => content)).toEqual(["One?", "Hi.", "Two?"]);
  // The next client finds it where it is now: "another" is gone.
  const back = await talkAt(a, { session });
  expect(messagesOf(back)).toEqual(["user: One?", "assistant: Hi.", "user: Two?"]);
});

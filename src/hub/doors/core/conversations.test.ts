import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { makeFolder, newKey } from "../../store/test-support/store-contract.test-helper.ts";
import { createMemoryStore, openStore } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import { startCore } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import { playModel, sayAlways } from "./model.test-helper.ts";
import type { TestModel } from "./model.test-helper.ts";

afterEach(() => vi.restoreAllMocks());

const page = { origin: shop };

function withModel({ fetch }: TestModel) {
  return { ai: { provider: "openai", model: "gpt-x", apiKey: "sk-server", fetch } } as const;
}

const textsIn = ({ values }: CoreClient) =>
  (values["messages"] as { role: string; content: string }[]).map(({ role, content }) => `${role}: ${content}`);

test("a page of an allowed origin asks the model, and sees the answer as its own core would have it", async () => {
  const model = sayAlways("Good morning.", 12);
  const hub = await startHub(withModel(model));
  const client = await startCore(hub.url, page);
  expect(client.values).toMatchObject({ content: "", messages: [], loading: false, streaming: false, error: null });
  expect(await client.run("send", "Hello", {})).toBe("Good morning.");
  expect(client.values).toMatchObject({ content: "Good morning.", loading: false, usage: { totalTokens: 12 } });
  expect(textsIn(client)).toEqual(["user: Hello", "assistant: Good morning."]);
  expect(model.requests[0]).toMatchObject({
    url: "https://api.openai.com/v1/chat/completions",
    headers: { Authorization: "Bearer sk-server" },
    body: { model: "gpt-x", stream: true, messages: [{ role: "user", content: "Hello" }] },
  });
});

test("a client of the bare protocol gets only the six values of the contract", async () => {
  const hub = await startHub(withModel(sayAlways("Hi.")));
  const client = await startCore(hub.url, { ...page, isStock: true });
  expect(Object.keys(client.values).sort()).toEqual(["content", "error", "loading", "messages", "streaming", "usage"]);
  expect(await client.run("send", "Hello", { model: "gpt-x" })).toBe("Hi.");
  expect(client.values["content"]).toBe("Hi.");
  expect(client.came.every((message) => ["sync", "update", "return"].includes(String(message["type"])))).toBe(true);
  await expect(client.run("regenerate", {})).rejects.toMatchObject({ code: "WC_BINDABLE_UNDECLARED_COMMAND" });
});

test("with the rehearsal for a model every name of a model is played, and nothing leaves the machine", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const hub = await startHub();
  const client = await startCore(hub.url, page);
  await client.set("provider", "anthropic");
  expect(await client.run("send", "Hello", { model: "claude-x" })).toContain("rehearsal");
  expect(fetched).not.toHaveBeenCalled();
});

test("a program brings the hub's token in its Authorization header", async () => {
  const hub = await startHub(withModel(sayAlways("Hi.")));
  const client = await startCore(hub.url, { token: hub.token });
  expect(await client.run("send", "Hello", {})).toBe("Hi.");
});

test("a client that returns with a conversation's id can continue it", async () => {
  const model = playModel(({ body }) => ({ text: `after ${body.messages.length}` }));
  const hub = await startHub(withModel(model));
  const before = await startCore(hub.url, page);
  await before.run("send", "one", {});
  await before.close();
  const after = await startCore(hub.url, { ...page, session: before.session });
  expect(after.session).toBe(before.session);
  expect(textsIn(after)).toEqual(["user: one", "assistant: after 1"]);
  expect(await after.run("send", "two", {})).toBe("after 3");
});

test("several sockets of one principal see one conversation, and each can stop what another began", async () => {
  const hub = await startHub(withModel(playModel(() => ({ text: "Once", waits: new Promise(() => {}) }))));
  const first = await startCore(hub.url, page);
  const second = await startCore(hub.url, { ...page, session: first.session });
  const answer = first.run("send", "Tell me", {});
  await second.until(({ content }) => content === "Once");
  expect(textsIn(second)).toEqual(["user: Tell me"]);
  await second.run("abort");
  expect(await answer).toBeNull();
  await second.until(({ loading }) => loading === false);
  expect([textsIn(first), textsIn(second)]).toEqual([[], []]);
});

test("an answer goes on while its page is away for a moment", async () => {
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => (goOn = resolve));
  const hub = await startHub(withModel(playModel(() => ({ text: "Long story", waits }))));
  const before = await startCore(hub.url, page);
  before.run("send", "Tell me", {}).catch(() => {});
  await before.until(({ content }) => content === "Long story");
  await before.close();
  goOn();
  const after = await startCore(hub.url, { ...page, session: before.session });
  await after.until(({ loading }) => loading === false);
  expect(textsIn(after)).toEqual(["user: Tell me", "assistant: Long story"]);
});

test("an answer without a client is stopped after conversationTime, and its conversation leaves memory", async () => {
  const model = playModel(() => ({ text: "Once", waits: new Promise(() => {}) }));
  const hub = await startHub({ ...withModel(model), limits: { conversationTime: 1 } });
  const client = await startCore(hub.url, page);
  client.run("send", "Tell me", {}).catch(() => {});
  await client.until(({ content }) => content === "Once");
  const stopped = new Promise((resolve) => model.requests[0]?.signal?.addEventListener("abort", resolve));
  await client.close();
  await stopped;
  expect(await hub.metric("pagewire_conversations")).toBe(0);
});

test("a conversation is found by its principal only, by pages of the origin that began it, and never by a guess", async () => {
  const other = "https://other.example";
  const hub = await startHub(withModel(sayAlways("Secret.")));
  hub.allow(other);
  const owner = await startCore(hub.url, page);
  await owner.run("send", "Hello", {});
  const { session } = owner;
  expect(session).toMatch(/^[0-9a-f]{32}$/);
  const unknown = ["f".repeat(32), "", "../../etc/passwd", "__proto__", `${session}x`, "x".repeat(100_000)];
  for (const guess of unknown.filter((id) => id !== "")) {
    await expect(startCore(hub.url, { ...page, session: guess })).rejects.toMatchObject({
      code: "conversation-not-found",
    });
  }
  await owner.close();
  for (const stranger of [{ origin: other }, { token: hub.token }]) {
    const attempt = startCore(hub.url, { ...stranger, session });
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining("There is no such") });
  }
});

test("a conversation outlives its hub", async () => {
  const directory = makeFolder();
  const options = { ...withModel(sayAlways("Hi.")), store: () => openStore({ database: join(directory, "hub.db") }) };
  const before = await startHub(options);
  const client = await startCore(before.url, page);
  await client.run("send", "one", {});
  await before.close();
  const after = await startHub(options);
  const back = await startCore(after.url, { ...page, session: client.session });
  expect(textsIn(back)).toEqual(["user: one", "assistant: Hi."]);
  await back.run("send", "two", {});
  expect(textsIn(back)).toEqual(["user: one", "assistant: Hi.", "user: two", "assistant: Hi."]);
});

/** The data of a hub that was killed during an answer: `ask` requests that answer in a conversation with one answer. */
async function killedWhile(ask: (client: CoreClient) => Promise<unknown>): Promise<CoreClient> {
  const directory = makeFolder();
  const model = playModel((_, round) =>
    round === 0 ? { text: "Hi." } : { text: "Once", waits: new Promise(() => {}) },
  );
  const store = await openStore({ database: join(directory, "hub.db") });
  const writing = vi.spyOn(store, "write");
  const before = await startHub({ ...withModel(model), store: () => store });
  const client = await startCore(before.url, page);
  await client.run("send", "one", {});
  ask(client).catch(() => {});
  await client.until(({ content }) => content === "Once");
  await Promise.all(writing.mock.results.map(({ value }) => value as Promise<void>));
  const left = makeFolder();
  for (const name of ["hub.db", "hub.db-wal"]) copyFileSync(join(directory, name), join(left, name));
  const after = await startHub({ ...withModel(model), store: () => openStore({ database: join(left, "hub.db") }) });
  return startCore(after.url, { ...page, session: client.session });
}

test("a question is kept before its answer is there, and its conversation goes on", async () => {
  const back = await killedWhile((client) => client.run("send", "two", {}));
  expect(textsIn(back)).toEqual(["user: one", "assistant: Hi.", "user: two"]);
  back.run("send", "three", {}).catch(() => {});
  await back.until(({ content }) => content === "Once");
  expect(textsIn(back)).toEqual(["user: one", "assistant: Hi.", "user: two", "user: three"]);
});

test("an answer that is to be replaced stays kept until the new one is there", async () => {
  const regenerated = await killedWhile((client) => client.run("regenerate", {}));
  expect(textsIn(regenerated)).toEqual(["user: one", "assistant: Hi."]);
  const edited = await killedWhile((client) => {
    const [first] = client.values["messages"] as { id: string }[];
    return client.run("edit", first?.id, "uno", {});
  });
  expect(textsIn(edited)).toEqual(["user: one", "assistant: Hi."]);
});

test("the first question of a conversation is kept before its answer is there", async () => {
  const store = createMemoryStore();
  const model = playModel(() => ({ text: "Once", waits: new Promise(() => {}) }));
  const hub = await startHub({ ...withModel(model), store: () => store });
  const client = await startCore(hub.url, page);
  client.run("send", "one", {}).catch(() => {});
  await client.until(({ content }) => content === "Once");
  await vi.waitFor(async () => {
    const kept = await store.read({ principal: "local", id: client.session });
    expect(kept?.messages).toMatchObject([{ role: "user", content: "one" }]);
  });
  await client.run("abort");
  await vi.waitFor(async () => {
    expect((await store.read({ principal: "local", id: client.session }))?.messages).toEqual([]);
  });
});

test("the model is asked once the question is kept", async () => {
  const store = createMemoryStore();
  const done: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const write = vi.fn<Store["write"]>(async (key, change) => {
    await finished;
    await store.write(key, change);
    done.push("kept");
  });
  const model = playModel(() => (done.push("asked"), { text: "Hi." }));
  const hub = await startHub({ ...withModel(model), store: () => ({ ...store, write }) });
  const client = await startCore(hub.url, page);
  const answer = client.run("send", "one", {});
  await client.until(({ messages }) => (messages as unknown[]).length > 0);
  await vi.waitFor(() => expect(write).toHaveBeenCalled());
  finish();
  expect(await answer).toBe("Hi.");
  expect(done).toEqual(["kept", "asked", "kept"]);
});

test("edited, regenerated and truncated conversations are saved", async () => {
  const directory = makeFolder();
  const model = playModel((_, round) => ({ text: `answer ${round}` }));
  const options = { ...withModel(model), store: () => openStore({ database: join(directory, "hub.db") }) };
  const hub = await startHub(options);
  const client = await startCore(hub.url, page);
  for (const text of ["a", "b"]) await client.run("send", text, {});
  await client.run("regenerate", {});
  const [, , second] = client.values["messages"] as { id: string }[];
  await client.run("edit", second?.id, "B", {});
  const expected = ["user: a", "assistant: answer 0", "user: B", "assistant: answer 3"];
  expect(textsIn(client)).toEqual(expected);
  await client.set("messages", (client.values["messages"] as unknown[]).slice(0, 3));
  await hub.close();
  const back = await startCore((await startHub(options)).url, { ...page, session: client.session });
  expect(textsIn(back)).toEqual(expected.slice(0, 3));
});

test("an answer that failed leaves nothing behind", async () => {
  const directory = makeFolder();
  const model = playModel((_, round) => (round === 0 ? { text: "Hi." } : new Response("{}", { status: 500 })));
  const options = { ...withModel(model), store: () => openStore({ database: join(directory, "hub.db") }) };
  const hub = await startHub(options);
  const client = await startCore(hub.url, page);
  await client.run("send", "one", {});
  expect(await client.run("send", "two", {})).toBeNull();
  expect(client.values["error"]).toMatchObject({ status: 500 });
  await hub.close();
  const back = await startCore((await startHub(options)).url, { ...page, session: client.session });
  expect(textsIn(back)).toEqual(["user: one", "assistant: Hi."]);
});

test("a conversation that was damaged is refused, and the others go on", async () => {
  const store = createMemoryStore();
  const hub = await startHub({ ...withModel(sayAlways("Hi.")), store: () => store });
  const [broken, sound] = [newKey("local"), newKey("local")];
  await store.write(broken, { keep: 0, messages: [{ role: "king", content: 7 }], origin: shop });
  await store.write(sound, { keep: 0, messages: [{ role: "user", content: "one" }], origin: shop });
  await expect(startCore(hub.url, { ...page, session: broken.id })).rejects.toMatchObject({ code: "store-damaged" });
  expect(textsIn(await startCore(hub.url, { ...page, session: sound.id }))).toEqual(["user: one"]);
  expect(await hub.metric("pagewire_agents")).toBe(1);
});

test("a hub that cannot open its store does not start, and leaves its port free", async () => {
  const hub = await startHub();
  await hub.close();
  const store = () => {
    throw new Error("no disk");
  };
  await expect(startHub({ port: hub.port, store })).rejects.toThrow("no disk");
  await startHub({ port: hub.port });
});

test("where the database is damaged, the hub's log has its name, and the page does not", async () => {
  const directory = makeFolder();
  const options = { ...withModel(sayAlways("Hi.")), store: () => openStore({ database: join(directory, "hub.db") }) };
  const before = await startHub(options);
  const client = await startCore(before.url, page);
  await client.run("send", "one", {});
  await before.close();
  writeFileSync(join(directory, "hub.db"), "damaged".repeat(1000));
  const after = await startHub(options);
  const refused = await startCore(after.url, { ...page, session: client.session }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "store-damaged" });
  expect(String(refused)).not.toContain(directory);
  const record = { event: "store-failed", message: expect.stringContaining(directory) as string };
  expect(after.records).toContainEqual(expect.objectContaining(record));
  expect(await after.metric('pagewire_refusals_total{code="store-damaged"}')).toBe(1);
});

test("a client that returns while a conversation is being saved finds all of it", async () => {
  const store = createMemoryStore();
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => (goOn = resolve));
  const write: Store["write"] = async (key, change) => {
    // The answer: the question is saved by then.
    if (change.keep > 0) await waits;
    await store.write(key, change);
  };
  const options = { ...withModel(sayAlways("Hi.")), limits: { conversationTime: 1 } };
  const hub = await startHub({ ...options, store: () => ({ ...store, write }) });
  const before = await startCore(hub.url, page);
  before.run("send", "one", {}).catch(() => {});
  await before.until(({ messages }) => (messages as unknown[]).length === 2);
  await before.close();
  await vi.waitFor(async () => expect(await hub.metric("pagewire_conversations")).toBe(0));
  const coming = startCore(hub.url, { ...page, session: before.session });
  coming.catch(() => {});
  await startCore(hub.url, page);
  goOn();
  expect(textsIn(await coming)).toEqual(["user: one", "assistant: Hi."]);
});

test("an owner's conversations are listed and deleted over any of them, and nobody else's", async () => {
  const other = "https://other.example";
  const hub = await startHub(withModel(sayAlways("Hi.")));
  hub.allow(other);
  const begunIds: string[] = [];
  const begun = async (client: CoreClient, text: string) => {
    await client.run("send", text, {});
    begunIds.push(client.session);
    return client;
  };
  const first = await begun(await startCore(hub.url, page), "One?");
  const second = await begun(await startCore(hub.url, page), "Two?");
  const foreign = await begun(await startCore(hub.url, { origin: other }), "Theirs?");
  const program = await begun(await startCore(hub.url, { token: hub.token }), "Program's?");
  const titles = async (client: CoreClient) =>
    ((await client.run("listConversations", begunIds)) as { title: string }[]).map(({ title }) => title);
  expect((await titles(first)).toSorted()).toEqual(["One?", "Two?"]);
  expect([await titles(foreign), await titles(program)]).toEqual([["Theirs?"], ["Program's?"]]);
  for (const id of [first.session, program.session, "x", undefined, { id: 1 }])
    await expect(foreign.run("deleteConversation", id)).rejects.toMatchObject({ code: "conversation-not-found" });
  await first.run("deleteConversation", second.session);
  expect(await titles(first)).toEqual(["One?"]);
});

test("a conversation that is deleted during an answer stays away, also after its part was kept", async () => {
  const hub = await startHub(withModel(playModel(() => ({ text: "Half", waits: new Promise(() => {}) }))));
  for (const onFailure of ["keep", "rollback"]) {
    const client = await startCore(hub.url, page);
    const answer = client.run("send", "One", { onFailure });
    await client.until(({ content }) => content === "Half");
    await client.run("deleteConversation", client.session);
    expect([await answer, await client.run("listConversations", [client.session])]).toEqual([null, []]);
    await client.close();
  }
});

test("without tokens a page's list has only the conversations whose ids it holds, also behind a proxy", async () => {
  for (const reach of [{}, { publicHosts: ["hub.example"] }, { proxies: ["127.0.0.1"] }]) {
    const hub = await startHub({ ...withModel(sayAlways("Hi.")), ...reach });
    const [first, second] = [await startCore(hub.url, page), await startCore(hub.url, page)];
    await first.run("send", "Mine", {});
    await second.run("send", "Theirs", {});
    for (const held of [undefined, null, [], "x", {}, [second.session.slice(1), 1, null]])
      expect(await second.run("listConversations", held)).toEqual([]);
    expect(await second.run("listConversations", [second.session])).toMatchObject([{ title: "Theirs" }]);
  }
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AiToolCallState } from "../../../ai/index.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import type { TestPage, TestPageOptions } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { createMemoryStore, openStore } from "../../store/index.ts";
import { parentTool, offerTools, openWindow, readingTool } from "../window/window.test-helper.ts";
import { startCore } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import { callOnce, inputSchema, playModel, serverTool } from "./model.test-helper.ts";
import type { ModelTurn, TestModel } from "./model.test-helper.ts";
import { bank, mail, readOnly, settle, startTalking, talk, waiting } from "./talk.test-helper.ts";

const always = { approved: true, scope: "always" } as const;

/** A model that makes the calls in its user's text: rounds are separated by semicolons, parallel calls by commas. */
function obey(): TestModel {
  return playModel(({ body: { messages } }): ModelTurn => {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const rounds = String(messages[asked]?.content).split(";");
    const names = rounds[messages.slice(asked).filter(({ role }) => role === "assistant").length];
    if (names === undefined) return { text: `result: ${String(messages.at(-1)?.content)}` };
    return { calls: names.split(",").map((name) => ({ name })) };
  });
}

const code = '{"content":[{"type":"text","text":"Your code is 4711."}]}';

/** A tab with one tool that claims to be read-only, and one that does not. */
function connectTab(url: string, origin: string, more: Partial<TestPageOptions> = {}): Promise<TestPage> {
  const app = new URL(origin).hostname.replace(".example", "");
  const tools = [{ name: `${app}_read`, inputSchema, ...readOnly }, `${app}_write`];
  const handle: TestPageOptions["handle"] = ({ id }, page) => {
    page.ack(id);
    page.result(id, code);
  };
  return connectPage(url, { origin, app, tab: app, tools, handle, ...more });
}

/** A conversation in the shop's window; its user also lets the model use the tabs of a mail service and a bank. */
async function talkWithTabs(options: Parameters<typeof startTalking>[1] = {}) {
  const hub = await startTalking(obey(), options);
  const tabs = { mail: await connectTab(hub.url, mail), bank: await connectTab(hub.url, bank) };
  return { hub, ...tabs, ...(await talk(hub, { other_tabs: true })) };
}

/** The calls that needed a question, with the origins whose text the question names. */
const shownOf = (asked: readonly AiToolCallState[]) =>
  asked.map(({ approval }) => [approval?.tool, approval?.textFrom]);

test("after one origin's tool result, each call to another origin's tool needs a question that names the first", async () => {
  const { client, bank: tab } = await talkWithTabs();
  const mailOnly = ({ name }: AiToolCallState) => name === "other-tab_mail_read";
  const { answer, asked } = await settle(client, { prompt: "other-tab_mail_read;other-tab_bank_read" }, mailOnly);
  expect(answer).toContain("did not allow");
  expect(asked.map(({ approval }) => approval)).toEqual([
    expect.objectContaining({ tool: "other-tab_mail_read" }),
    {
      tool: "other-tab_bank_read",
      origin: bank,
      arguments: {},
      agent: { name: "m" },
      reason:
        "Text from mail.example is in this conversation. Each call of this tool is asked about, whatever was decided before.",
      textFrom: [mail],
      once: true,
    },
  ]);
  expect(tab.calls).toEqual([]);
});

test.each([
  [
    "other-tab_mail_read;other-tab_mail_read",
    [
      ["other-tab_mail_read", undefined],
      ["other-tab_mail_read", undefined],
    ],
  ],
  [
    "other-tab_mail_read;parent-window_work",
    [
      ["other-tab_mail_read", undefined],
      ["parent-window_work", [mail]],
    ],
  ],
  ["parent-window_work;other-tab_bank_read", [["other-tab_bank_read", [shop]]]],
  ["parent-window_fail;other-tab_bank_read", [["other-tab_bank_read", [shop]]]],
  ["parent-window_none;other-tab_bank_read", [["other-tab_bank_read", undefined]]],
  [
    "parent-window_work;other-tab_bank_read;parent-window_work",
    [
      ["other-tab_bank_read", [shop]],
      ["parent-window_work", [bank]],
    ],
  ],
  [
    "parent-window_work;other-tab_mail_read;other-tab_bank_read",
    [
      ["other-tab_mail_read", [shop]],
      ["other-tab_bank_read", [shop, mail]],
    ],
  ],
])("what one origin's tool gave is brought to no other's unasked: %s", async (prompt, expected) => {
  const { hub, client } = await talkWithTabs();
  const session = { session_id: client.session, other_tabs: true };
  await offerTools(hub, { ...session, tools: [readingTool("work"), readingTool("fail")] });
  const { asked } = await settle(client, { prompt }, true);
  expect(shownOf(asked)).toEqual(expected);
});

test("an earlier permission for always does not count beside another origin's text, and none is kept there", async () => {
  const { client } = await talkWithTabs();
  expect((await settle(client, { prompt: "other-tab_bank_write" }, always)).asked).toHaveLength(1);
  expect((await settle(client, { prompt: "other-tab_bank_write" }, always)).asked).toHaveLength(0);
  for (let turn = 0; turn < 2; turn++) {
    const { asked } = await settle(client, { prompt: "other-tab_mail_read;other-tab_bank_write" }, always);
    expect(shownOf(asked)).toContainEqual(["other-tab_bank_write", [mail]]);
  }
});

test("calls side by side were written before either gave anything; those of the next round were not", async () => {
  const { client, window } = await talkWithTabs();
  const prompt = "parent-window_work,other-tab_bank_write;other-tab_bank_read";
  const answer = client.run("send", prompt, { tools: "page" });
  const first = await waiting(client);
  await client.until(({ toolCalls }) => (toolCalls as AiToolCallState[])[0]?.status === "done");
  expect([window.came.length, first.name, first.approval?.textFrom]).toEqual([1, "other-tab_bank_write", undefined]);
  await client.run("settleToolCall", first.id, true);
  await client.until(({ toolCalls }) => (toolCalls as AiToolCallState[])[2]?.status === "waiting");
  const second = await waiting(client);
  expect([second.name, second.approval?.textFrom]).toEqual(["other-tab_bank_read", [shop]]);
  await client.run("settleToolCall", second.id, true);
  await answer;
});

test("a call that the user did not allow brings no text of its origin", async () => {
  const { client } = await talkWithTabs();
  await settle(client, { prompt: "other-tab_mail_write" }, false);
  const { asked } = await settle(client, { prompt: "other-tab_bank_read" }, true);
  expect(shownOf(asked)).toEqual([["other-tab_bank_read", undefined]]);
});

test("the text counts until its turn is removed, edited or regenerated", async () => {
  const { client } = await talkWithTabs();
  const asks = async () => shownOf((await settle(client, { prompt: "other-tab_bank_read" }, false)).asked)[0]?.[1];
  const first = () => (client.values["messages"] as { id: string }[])[0];
  await settle(client, { prompt: "other-tab_mail_read" }, true);
  expect(await asks()).toEqual([mail]);
  await client.run("edit", first()?.id, "parent-window_none", { tools: "page" });
  expect(client.values["messages"]).toHaveLength(4);
  expect(await asks()).toBeUndefined();
  await client.set("messages", (client.values["messages"] as unknown[]).slice(0, 4));
  await settle(client, { prompt: "other-tab_mail_read" }, true);
  expect(await asks()).toEqual([mail]);
  await client.set("messages", (client.values["messages"] as unknown[]).slice(0, 4));
  expect(await asks()).toBeUndefined();
  await client.set("messages", []);
  await settle(client, { prompt: "other-tab_bank_read;other-tab_mail_read" }, true);
  const answer = client.run("regenerate", { tools: "page" });
  const again = await waiting(client);
  expect([again.name, again.approval?.textFrom]).toEqual(["other-tab_bank_read", undefined]);
  await client.run("settleToolCall", again.id, true);
  await client.until(({ toolCalls }) => (toolCalls as AiToolCallState[])[1]?.status === "waiting");
  const { id, name, approval } = await waiting(client);
  expect([name, approval?.textFrom]).toEqual(["other-tab_mail_read", [bank]]);
  await client.run("settleToolCall", id, true);
  await answer;
});

test("the text counts in a conversation that is found again after the hub's restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pagewire-text-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const store = () => openStore({ database: join(directory, "hub.db") });
  const { hub, client } = await talkWithTabs({ store });
  await settle(client, { prompt: "other-tab_mail_read" }, true);
  await hub.close();
  const again = await startTalking(obey(), { store });
  await connectTab(again.url, bank);
  const { asked } = await settle(await goOn(again, client.session), { prompt: "other-tab_bank_read" }, true);
  expect(shownOf(asked)).toEqual([["other-tab_bank_read", [mail]]]);
});

test("of a result that an older hub kept without its origin nobody knows whose text it is; the server's own are known", async () => {
  const store = createMemoryStore();
  const keep = (id: string, name: string) => {
    const messages = [
      { id: "a", role: "user", content: "x" },
      { id: "b", role: "assistant", content: "", toolCalls: [{ id: "c0", name, arguments: "{}" }] },
      { id: "c", role: "tool", content: "4711", toolCallId: "c0" },
      { id: "d", role: "assistant", content: "Done." },
    ];
    return store.write({ principal: "local", id }, { keep: 0, messages, origin: undefined });
  };
  const [old, server] = ["a".repeat(32), "b".repeat(32)];
  await keep(old, "other-tab_read");
  await keep(server, "add");
  const hub = await startTalking(obey(), { ai: { tools: [serverTool("add")] }, store: () => store });
  await connectTab(hub.url, bank);
  const prompt = "other-tab_bank_read;other-tab_bank_read";
  const { asked } = await settle(await goOn(hub, old), { prompt }, true);
  expect(shownOf(asked)).toEqual([
    ["other-tab_bank_read", ["unknown"]],
    ["other-tab_bank_read", ["unknown"]],
  ]);
  expect(asked[0]?.approval?.reason).toContain("Text from an unknown page is in this conversation.");
  expect(shownOf((await settle(await goOn(hub, server), { prompt }, true)).asked)).toEqual([
    ["other-tab_bank_read", undefined],
    ["other-tab_bank_read", undefined],
  ]);
});

test("a parent whose window does not know its origin is not taken for the one before it", async () => {
  const { hub, client } = await talkWithTabs();
  const offer = { session_id: client.session, origin: null };
  await offerTools(hub, { ...offer, tools: [readingTool("work")] });
  expect((await settle(client, { prompt: "parent-window_work" }, true)).asked).toEqual([]);
  const { asked } = await settle(client, { prompt: "parent-window_work" }, true);
  expect(shownOf(asked)).toEqual([["parent-window_work", ["unknown"]]]);
});

/** Opens the conversation with this id, with a window that lets the model use other tabs. */
async function goOn(hub: Awaited<ReturnType<typeof startTalking>>, session: string): Promise<CoreClient> {
  const client = await startCore(hub.url, { token: hub.token, session });
  await openWindow(hub, await offerTools(hub, { tools: [parentTool("pay")], session_id: session, other_tabs: true }));
  return client;
}

test("after an app's message, each call to another origin's tool needs a question, despite earlier permissions", async () => {
  const model = callOnce("other-tab_rates");
  const hub = await startTalking(model);
  const tools = [{ name: "rates", inputSchema, ...readOnly }];
  const tab = await connectPage(hub.url, { origin: bank, app: "bank", tools });
  const { client } = await talk(hub, { other_tabs: true });
  expect((await settle(client, {}, true)).answer).toMatch(/^result: done/);
  for (let turn = 0; turn < 2; turn++) {
    const { asked } = await settle(client, turn === 0 ? { from: shop } : {}, { approved: true, scope: "always" });
    expect(asked.map(({ approval }) => approval)).toEqual([
      expect.objectContaining({ tool: "other-tab_rates", origin: bank, once: true }),
    ]);
  }
  expect(tab.calls).toHaveLength(3);
  const { answer, asked } = await settle(client, {}, false);
  expect([answer, asked.length, tab.calls.length]).toEqual([expect.stringContaining("did not allow"), 1, 3]);
  const [consent] = [await fetch(`${hub.url}/api/consents`, { headers: { Authorization: `Bearer ${hub.token}` } })];
  expect(await consent?.json()).toEqual({ consents: [] });
});

test("the tools of the app that has spoken go on as before, until another app speaks", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const { client, window } = await talk(hub);
  expect(await client.run("send", "x", { tools: "page", from: shop })).toBe("result: work ran");
  const { asked } = await settle(client, { from: mail }, true);
  expect([asked.length, window.came.length]).toEqual([1, 2]);
});

test("the app's words count until they are cut out of the conversation, also where they are edited", async () => {
  const model = callOnce("other-tab_rates");
  const hub = await startTalking(model);
  await connectPage(hub.url, { origin: bank, app: "bank", tools: [{ name: "rates", inputSchema, ...readOnly }] });
  const { client } = await talk(hub, { other_tabs: true });
  await settle(client, { from: shop }, true);
  const [first] = client.values["messages"] as { id: string }[];
  const edited = client.run("edit", first?.id, "Something else", { tools: "page" });
  await client.run("settleToolCall", (await waiting(client)).id, true);
  await edited;
  expect(client.values["messages"]).toMatchObject([{ content: "Something else", from: shop }, {}, {}, {}]);
  await client.set("messages", []);
  expect(shownOf((await settle(client, {}, true)).asked)).toEqual([["other-tab_rates", undefined]]);
});

test("the server's own tools follow its settings, but one that needs approval needs it for each call", async () => {
  const pay = { ...serverTool("pay"), needsApproval: true };
  const add = serverTool("add");
  for (const [name, count] of [
    ["pay", 1],
    ["add", 0],
  ] as const) {
    const hub = await startTalking(callOnce(name), { ai: { tools: [pay, add] } });
    const { client } = await talk(hub);
    for (let turn = 0; turn < 2; turn++) {
      const { answer, asked } = await settle(
        client,
        { tools: undefined, from: shop },
        { approved: true, scope: "session" },
      );
      expect([answer, asked.length]).toEqual([`result: ${name} ran`, count]);
    }
  }
});

test("a client that names a tool cannot make its asking weaker", async () => {
  const model = callOnce("other-tab_rates");
  const hub = await startTalking(model);
  await connectPage(hub.url, { origin: bank, app: "bank", tools: [{ name: "rates", inputSchema, ...readOnly }] });
  const { client } = await talk(hub, { other_tabs: true });
  for (const needsApproval of [false, true, "each-call"]) {
    const tools = ["page", { name: "other-tab_rates", needsApproval }];
    const { asked } = await settle(client, { tools, from: shop }, { approved: true, scope: "session" });
    expect(asked).toHaveLength(1);
  }
});

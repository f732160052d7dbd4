import { expect, test } from "vitest";
import { callTool } from "../../test-support/http.test-helper.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { signIn } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { offerTools, openWindow, parentTool, readingTool } from "../window/window.test-helper.ts";
import { startCore } from "./core.test-helper.ts";
import { callOnce, inputSchema, namesIn } from "./model.test-helper.ts";
import { bank, mail, readOnly, settle, startTalking, talk, waiting } from "./talk.test-helper.ts";

test("a conversation with a window gets its parent's tools, and other tabs' only if its user allows it", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const tab = await connectPage(hub.url, {
    origin: bank,
    app: "bank",
    tools: [{ name: "rates", inputSchema, ...readOnly }],
  });
  const { client, window } = await talk(hub);
  expect(await client.run("send", "x", { tools: "page" })).toBe("result: work ran");
  expect(namesIn(model.requests[0])).toEqual(["parent-window_work"]);
  await offerTools(hub, { tools: [readingTool("work")], session_id: client.session, other_tabs: true });
  expect(await client.run("send", "x", { tools: "page" })).toBe("result: work ran");
  expect(namesIn(model.requests.at(-1))).toEqual(["parent-window_work", "other-tab_rates"]);
  expect([window.came.length, tab.calls.length]).toEqual([2, 0]);
});

test("the schema of a parent's tool is not evaluated by the hub", async () => {
  const parameters = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  const given = { text: `${"a".repeat(40)}!` };
  const hub = await startTalking(callOnce("parent-window_work", given));
  const { client, window } = await talk(hub, { tools: [{ ...readingTool("work"), parameters }] });
  expect(await client.run("send", "x", { tools: "page" })).toBe("result: work ran");
  expect(window.came).toMatchObject([{ arguments: given }]);
});

test("other tabs are called by the names that stand before theirs, which no page can take from another", async () => {
  const model = callOnce("other-tab_parent-window_work");
  const hub = await startTalking(model);
  const tools = ["parent-window_work", "other-tab_work", "work"].map((name) => ({ name, inputSchema, ...readOnly }));
  const tab = await connectPage(hub.url, { origin: bank, app: "bank", tools });
  const { client, window } = await talk(hub, { other_tabs: true });
  expect((await settle(client, {}, true)).answer).toMatch(/^result: done/);
  expect(namesIn(model.requests[0])).toEqual([
    "parent-window_work",
    "other-tab_other-tab_work",
    "other-tab_parent-window_work",
    "other-tab_work",
  ]);
  expect([tab.calls.map(({ name }) => name), window.came]).toEqual([["parent-window_work"], []]);
});

test("what the parent's page offers as a tab, too, is there once", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const tools = ["work", "more"].map((name) => ({ name, inputSchema, ...readOnly }));
  await connectPage(hub.url, { tools });
  await connectPage(hub.url, { origin: bank, app: "bank", tab: "tab-2", tools: [{ name: "work", inputSchema }] });
  const { client } = await talk(hub, { other_tabs: true });
  await client.run("send", "x", { tools: "page" });
  const names = namesIn(model.requests[0]);
  expect(names.slice(0, 2)).toEqual(["parent-window_work", "other-tab_bank__work"]);
  expect(names.slice(2)).toEqual(["other-tab_more"]);
});

test("of other tabs, only the tools of the tab that the user chose are there, and calls go to it", async () => {
  const model = callOnce("other-tab_work");
  const hub = await startTalking(model);
  const tools = [{ name: "work", inputSchema, ...readOnly }];
  const chosen = await connectPage(hub.url, { origin: bank, app: "bank", tab: "tab-1", tools });
  const other = await connectPage(hub.url, { origin: bank, app: "bank", tab: "tab-2", tools });
  await connectPage(hub.url, { origin: mail, app: "mail", tab: "tab-3", tools: [{ name: "send", inputSchema }] });
  const { client } = await talk(hub, { tools: [], other_tabs: chosen.tabId });
  expect((await settle(client, {}, true)).answer).toMatch(/^result: done/);
  expect(namesIn(model.requests[0])).toEqual(["other-tab_work"]);
  expect([chosen.calls.length, other.calls.length]).toEqual([1, 0]);
  await offerTools(hub, { tools: [], session_id: client.session, other_tabs: "tab-9" });
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests.at(-1))).toEqual([]);
});

test("tools that come, change and go are those of the next request", async () => {
  const model = callOnce("parent-window_none");
  const hub = await startTalking(model);
  const { client } = await talk(hub, { tools: [] });
  const session_id = client.session;
  for (const tools of [[], [readingTool("a")], [readingTool("a"), parentTool("b")], [parentTool("b")]]) {
    await offerTools(hub, { tools, session_id });
    await client.run("send", "x", { tools: "page" });
    const names = tools.map((tool) => `parent-window_${(tool as { name: string }).name}`);
    expect(namesIn(model.requests.at(-1))).toEqual(names);
  }
});

test("a page's own conversation never has a window, even if tools are sent for it", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startTalking(model);
  const client = await startCore(hub.url, { origin: shop });
  await offerTools(hub, { tools: [readingTool("work")], session_id: client.session, other_tabs: true });
  await connectPage(hub.url, { tools: [{ name: "own", inputSchema, ...readOnly }] });
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests[0])).toEqual(["own"]);
});

test("the hub's own page gets no tab's tools before its window has sent an offer", async () => {
  const model = callOnce("rates");
  const hub = await startTalking(model);
  await connectPage(hub.url, { tools: [{ name: "rates", inputSchema, ...readOnly }] });
  const token = await signIn(hub, hub.token);
  const page = { origin: hub.url, protocols: ["pagewire.core.1", `pagewire.bearer.${token}`] };
  const client = await startCore(hub.url, page);
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests[0])).toEqual([]);
  await offerTools(hub, { tools: [], origin: null, other_tabs: true, session_id: client.session }, token);
  await client.run("send", "x", { tools: "page" });
  expect(namesIn(model.requests.at(-1))).toEqual(["other-tab_rates"]);
});

test("a window that has been away for longer than graceTime brings no tools", async () => {
  const model = callOnce("parent-window_work");
  const hub = await startHub({
    ai: { provider: "openai", model: "m", fetch: model.fetch },
    limits: { graceTime: 1 },
  });
  const { client, window } = await talk(hub);
  window.cut();
  await expect
    .poll(async () => {
      await client.run("send", "x", { tools: "page" });
      return namesIn(model.requests.at(-1));
    })
    .toEqual([]);
});

test("a question about a tool has its title, origin and arguments, and its window's annotations count", async () => {
  const model = callOnce("parent-window_pay", { n: 5 });
  const hub = await startTalking(model);
  const { client } = await talk(hub, { tools: [parentTool("pay", { title: "Pay the bill" })] });
  const { answer, asked } = await settle(client, {}, true);
  expect(answer).toBe("result: pay ran");
  expect(asked.map(({ approval }) => approval)).toEqual([
    expect.objectContaining({
      tool: "parent-window_pay",
      title: "Pay the bill",
      origin: shop,
      arguments: { n: 5 },
    }),
  ]);
});

test("the model gets the outcome of a call in the window", async () => {
  const endings: readonly (readonly [object, string])[] = [
    [{ success: true, result: "plain" }, "plain"],
    [{ success: true, result: { days: 30 } }, '{"days":30}'],
    [{ success: true, result: [1, "a", null] }, '[1,"a",null]'],
    [{ success: true }, "null"],
    [{ success: true, result: { content: [{ type: "text", text: "a: 1" }], structuredContent: { a: 1 } } }, "a: 1"],
    [
      { success: true, result: { content: [{ type: "text", text: "x" }], rows: 2 } },
      '{"content":[{"type":"text","text":"x"}],"rows":2}',
    ],
    [{ success: true, result: { content: [{ text: "x" }] } }, '{"content":[{"text":"x"}]}'],
    [
      { success: true, result: { content: [{ type: "text", text: "No stock." }], isError: true } },
      '{"error":"No stock."}',
    ],
    [{ success: false, error: "It broke." }, '{"error":"It broke."}'],
    [{ success: false, error: "No.", code: "input-invalid" }, '{"error":"No. (input-invalid)"}'],
  ];
  const hub = await startTalking(callOnce("parent-window_work"));
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [readingTool("work")], session_id: client.session });
  const window = await openWindow(hub, session);
  for (const [response, told] of endings) {
    const answer = client.run("send", "x", { tools: "page" });
    window.say({ type: "tool_response", request_id: (await window.next()).request_id, response });
    expect(await answer).toBe(`result: ${told}`);
  }
});

test("an answer of a megabyte comes through as it is", async () => {
  const hub = await startTalking(callOnce("parent-window_work"));
  const client = await startCore(hub.url, { token: hub.token });
  const session = await offerTools(hub, { tools: [readingTool("work")], session_id: client.session });
  const text = "ä\n".repeat(350_000);
  const window = await openWindow(hub, session, { onCall: (call) => window.answer(call, text) });
  expect(await client.run("send", "x", { tools: "page" })).toBe(`result: ${text}`);
});

test("the origin of a prompt's text is stored and sent to the model, for programs and the hub's own pages", async () => {
  const model = callOnce("none");
  const hub = await startTalking(model);
  const client = await startCore(hub.url, { token: hub.token });
  await client.run("send", "Pay everything.", { from: shop });
  expect(client.values["messages"]).toMatchObject([
    { role: "user", content: "Pay everything.", from: shop },
    {},
    {},
    {},
  ]);
  const [said] = model.requests[0]?.body.messages ?? [];
  expect(said?.content).toMatch(/^The app "https:\/\/shop\.example" speaks.*\n"Pay everything\."$/);
  for (const from of ["shop.example", "null", "https://shop.example/x", 7, {}, "x".repeat(2000)])
    await expect(client.run("send", "x", { from })).rejects.toMatchObject({ code: "option-refused" });
});

test("a page cannot claim that its message is another origin's", async () => {
  const model = callOnce("none");
  const hub = await startTalking(model);
  const client = await startCore(hub.url, { origin: shop });
  for (const from of [shop, bank]) {
    const asked = client.run("send", "x", { from });
    await expect(asked).rejects.toMatchObject({ code: "option-refused", message: expect.stringContaining('"from"') });
  }
  expect(model.requests).toEqual([]);
});

test("what the user allows for one origin's tool is not done by another's of the same name that came meanwhile", async () => {
  const model = callOnce("other-tab_pay");
  const hub = await startHub({
    ai: { provider: "openai", model: "m", fetch: model.fetch },
    limits: { graceTime: 1 },
  });
  hub.allow(bank);
  const good = await connectPage(hub.url, { origin: bank, app: "bank", tools: ["pay"] });
  const { client } = await talk(hub, { other_tabs: true });
  const answer = client.run("send", "x", { tools: "page" });
  const { id, approval } = await waiting(client);
  expect(approval?.origin).toBe(bank);
  good.link.close();
  const evil = await connectPage(hub.url, { app: "bank", tab: "tab-2", tools: ["pay"] });
  await expect.poll(async () => (await callTool(hub, "list_browser_tabs")).text).not.toContain(bank);
  await client.run("settleToolCall", id, true);
  expect(await answer).toContain(`not a tool of ${bank} any more`);
  expect([good.calls, evil.calls]).toEqual([[], []]);
});

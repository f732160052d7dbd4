import { expect, test } from "vitest";
import { connectPage } from "../../test-support/page.test-helper.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { startCore, startWith } from "./core.test-helper.ts";
import { callOnce, inputSchema, namesIn, serverTool } from "./model.test-helper.ts";
import { settle } from "./talk.test-helper.ts";

const other = "https://other.example";
const page = { origin: shop };
const readOnly = { annotations: { readOnlyHint: true } };

test("a page that asks for its own tools is given those of the tabs of its origin, and the model calls them", async () => {
  const model = callOnce("work", { n: 1 });
  const { hub, client } = await startWith(model, { tools: [serverTool("add")] });
  hub.allow(other);
  await connectPage(hub.url, { origin: other, tab: "tab-2", app: "other", tools: ["steal", "work"] });
  const tab = await connectPage(hub.url, { tools: [{ name: "work", inputSchema, ...readOnly }, "pay"] });
  expect(await client.run("send", "x", { tools: "page" })).toMatch(/^result: /);
  expect(tab.calls.map((call) => call.arguments)).toEqual(['{"n":1}']);
  expect(namesIn(model.requests[0])).toEqual(["work", "pay"]);
  await client.run("send", "x", { tools: ["page", { name: "add" }] });
  expect(namesIn(model.requests[2])).toEqual(["work", "pay", "add"]);
  await client.run("send", "x", {});
  expect(namesIn(model.requests.at(-1))).toEqual(["add"]);
  await expect(client.run("send", "x", { tools: [{ name: "pay" }] })).rejects.toMatchObject({ code: "option-refused" });
});

test("where the server gives the page's tools to everybody, a request narrows them too, and the server's own names win", async () => {
  const model = callOnce("add");
  const { hub, client } = await startWith(model, { tools: ["page", serverTool("add")] });
  await connectPage(hub.url, { tools: [{ name: "add", inputSchema }, "work"] });
  expect(await client.run("send", "x", {})).toBe("result: add ran");
  expect(namesIn(model.requests[0])).toEqual(["add", "work"]);
  await client.run("send", "x", { tools: [{ name: "work" }] }).catch(() => {});
  expect(namesIn(model.requests[2])).toEqual(["work"]);
});

test("with many tabs of one app, the page's own tab is called where it says which it is, and else the active one", async () => {
  const model = callOnce("work");
  const { hub, client } = await startWith(model);
  const tools = [{ name: "work", inputSchema, ...readOnly }];
  const first = await connectPage(hub.url, { tab: "tab-1", tools });
  const second = await connectPage(hub.url, { tab: "tab-2", tools });
  const knows = await startCore(hub.url, { ...page, protocols: ["pagewire.core.1", `pagewire.tab.${first.tabId}`] });
  await knows.run("send", "x", { tools: "page" });
  expect([first.calls.length, second.calls.length]).toEqual([1, 0]);
  await client.run("send", "x", { tools: "page" });
  expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
});

test("the hub does not evaluate a page's schema: the page gets the arguments as the model wrote them", async () => {
  const hostile = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } } as const;
  const given = { text: `${"a".repeat(40)}!` };
  const { hub, client } = await startWith(callOnce("work", given));
  const tab = await connectPage(hub.url, { tools: [{ name: "work", inputSchema: hostile, ...readOnly }] });
  expect(await client.run("send", "x", { tools: "page" })).toBe("result: done");
  expect(tab.calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([given]);
});

test("a page cannot name another origin's tab as its own", async () => {
  const model = callOnce("steal");
  const { hub } = await startWith(model);
  hub.allow(other);
  const victim = await connectPage(hub.url, { origin: other, tools: [{ name: "steal", inputSchema, ...readOnly }] });
  const thief = await startCore(hub.url, { ...page, protocols: ["pagewire.core.1", `pagewire.tab.${victim.tabId}`] });
  expect(await thief.run("send", "x", { tools: "page" })).toContain("error");
  expect(namesIn(model.requests[0])).toEqual([]);
  expect(victim.calls).toEqual([]);
});

test("a program may use what all tabs of its principal offer, under the names that agents see", async () => {
  const model = callOnce("work");
  const { hub } = await startWith(model);
  hub.allow(other);
  await connectPage(hub.url, { tools: [{ name: "work", inputSchema, ...readOnly }] });
  await connectPage(hub.url, { origin: other, app: "other", tools: ["pay"] });
  const program = await startCore(hub.url, { token: hub.token });
  expect((await settle(program, {}, true)).answer).toMatch(/^result: /);
  expect(namesIn(model.requests[0]).toSorted()).toEqual(["pay", "work"]);
});

test("the model gets the outcome of a page's tool, whatever the page answers", async () => {
  const endings: readonly (readonly [payload: string, told: RegExp])[] = [
    [
      '{"content":[{"type":"text","text":"one"},{"type":"image","data":"AAAA","mimeType":"image/png"}]}',
      /^result: one\n\[image image\/png\]$/,
    ],
    ['{"content":[],"structuredContent":{"a":1}}', /^result: \{"a":1\}$/],
    ['{"content":[{"type":"text","text":"a: 1"}],"structuredContent":{"a":1}}', /^result: a: 1$/],
    ['{"content":[{"type":"text","text":"No stock."}],"isError":true}', /^result: \{"error":"No stock\."\}$/],
    ["not JSON", /error/],
    ["", /error/],
    ["[]", /error/],
    ['{"content":"x"}', /^result: $/],
    ['{"content":[null,7,{"type":{}}]}', /^result: /],
    [`${'{"a":'.repeat(100)}1${"}".repeat(100)}`, /error/],
  ];
  const { hub, client } = await startWith(callOnce("work"));
  const left = [...endings];
  await connectPage(hub.url, {
    tools: [{ name: "work", inputSchema, ...readOnly }],
    handle({ id }, tab) {
      const [payload = ""] = left.shift() ?? [];
      tab.ack(id);
      tab.send({ type: "result", id, ...(payload.includes("isError") ? { isError: true } : {}) }, payload);
    },
  });
  for (const [payload, told] of endings) {
    const answer = await client.run("send", "x", { tools: "page" });
    expect(answer, payload).toMatch(told);
  }
});

test("of tabs that share a conversation, the one that asks is called", async () => {
  const { hub } = await startWith(callOnce("work"));
  const tools = [{ name: "work", inputSchema, ...readOnly }];
  const tabs = [
    await connectPage(hub.url, { tab: "tab-1", tools }),
    await connectPage(hub.url, { tab: "tab-2", tools }),
  ];
  const protocolsOf = (at: number) => ["pagewire.core.1", `pagewire.tab.${tabs[at]?.tabId}`];
  const first = await startCore(hub.url, { ...page, protocols: protocolsOf(0) });
  const second = await startCore(hub.url, { ...page, protocols: protocolsOf(1), session: first.session });
  for (const client of [first, second, first]) await client.run("send", "x", { tools: "page" });
  expect(tabs.map(({ calls }) => calls.length)).toEqual([2, 1]);
});

import { describe, expect, test } from "vitest";
import { parseJsonObject } from "../wire/index.ts";
import type { JsonObject, Offer } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";
import type { TestCall, TestPage } from "./board.test-helper.ts";

const bank = { origin: "https://bank.example", app: "bank" };
const bytes = (text: string) => new TextEncoder().encode(text);

/** The number of calls that each page received. */
const counts = (...pages: readonly TestPage[]) => pages.map(({ calls }) => calls.length);

/** The answer of a built-in tool. */
function answerOf({ outcomes }: TestCall): JsonObject {
  const result = parseJsonObject(String(outcomes[0]?.payload), 64) ?? {};
  const value = result["structuredContent"] as JsonObject;
  expect(result["content"]).toEqual([{ type: "text", text: JSON.stringify(value) }]);
  return value;
}

describe("the tab that a call goes to", () => {
  /** Three tabs of one app: the first, one that was focused, and one that has the focus. */
  function threeTabs(boundTab?: string) {
    const board = createBoard();
    const pages = [
      board.page({ tools: [tool("buy")] }),
      board.page({ tools: [tool("buy")], focused: true }),
      board.page({ tools: [tool("buy")], focused: true }),
    ] as const;
    return { ...board, pages, caller: board.agent(boundTab === undefined ? {} : { boundTab }) };
  }

  test("B71: the tab that the call names comes first", () => {
    const { pages, caller } = threeTabs("tab-2");
    caller.call("buy", { tab: "tab-1" });
    caller.call("buy", { arguments: '{"tabId":"tab-1"}' });
    expect(counts(...pages)).toEqual([2, 0, 0]);
  });

  test("B71: next comes the tab that the agent is bound to, if it has the tool", () => {
    const { pages, caller, page } = threeTabs("tab-1");
    caller.call("buy");
    expect(counts(...pages)).toEqual([1, 0, 0]);
    const other = page({ ...bank, tools: [tool("pay")] });
    caller.call("pay");
    expect(counts(other, ...pages)).toEqual([1, 1, 0, 0]);
  });

  test("B71: next comes the only tab with the tool, focused or not", () => {
    const { pages, caller, page } = threeTabs();
    const other = page({ tools: [tool("sell")] });
    caller.call("sell");
    expect(counts(other, ...pages)).toEqual([1, 0, 0, 0]);
  });

  test("B71: next come the focused tab, the one focused last, and the first", () => {
    const { pages, caller } = threeTabs();
    caller.call("buy");
    expect(counts(...pages)).toEqual([0, 0, 1]);
    pages[1].say({ type: "tab", focused: true });
    pages[1].say({ type: "tab", focused: false });
    caller.call("buy");
    expect(counts(...pages)).toEqual([0, 1, 1]);
    pages[1].lose("gone");
    pages[2].lose("gone");
    caller.call("buy");
    expect(counts(...pages)).toEqual([1, 1, 1]);
  });

  test("B71: the same order applies to tabs whose lists differ in other tools", () => {
    const { pages, caller, page } = threeTabs();
    const other = page({ tools: [tool("buy"), tool("sell")], focused: true });
    caller.call("buy");
    expect(counts(other, ...pages)).toEqual([1, 0, 0, 0]);
  });

  test("B72: an unknown tab is an error that lists the existing ones, and one without the tool lists its tools", async () => {
    const { caller, page, pages, clock } = threeTabs();
    page({ ...bank, tools: [tool("pay"), tool("save")] });
    const calls = [
      caller.call("buy", { tab: "nope" }),
      caller.call("buy", { arguments: '{"tabId":"nope"}' }),
      caller.call("buy", { tab: "tab-4" }),
      caller.call("buy", { arguments: '{"tabId":"tab-4"}' }),
      caller.call("buy", { arguments: '{"tabId":4}' }),
      caller.call("buy", { arguments: '{"tabId":[]}' }),
      caller.call("sell"),
    ];
    await clock.advance(0);
    const told = calls.map(({ outcomes }) => `${outcomes[0]?.code} ${outcomes[0]?.message}`);
    expect(told).toEqual([
      expect.stringMatching(/^tab-not-found .*tab-1.*tab-2.*tab-3.*tab-4/),
      expect.stringMatching(/^tab-not-found .*tab-1.*tab-2.*tab-3.*tab-4/),
      expect.stringMatching(/^tool-not-found .*pay, save/),
      expect.stringMatching(/^tool-not-found .*pay, save/),
      expect.stringMatching(/^tab-not-found .*tab-1.*tab-2.*tab-3.*tab-4/),
      expect.stringMatching(/^tab-not-found .*tab-1.*tab-2.*tab-3.*tab-4/),
      expect.stringMatching(/^tool-not-found .*buy, pay, save/),
    ]);
    expect(calls.every(({ end }) => end?.["ran"] === "no")).toBe(true);
    expect(counts(...pages)).toEqual([0, 0, 0]);
  });

  test("B72: a call that names its tab may use the exposed name or the tab's own", () => {
    const board = createBoard();
    const pages = [board.page({ tools: [tool("buy")] }), board.page({ ...bank, tools: [tool("buy")] })];
    const agent = board.agent();
    agent.call("bank__buy", { tab: "tab-2" });
    agent.call("buy", { tab: "tab-2" });
    agent.call("buy", { tab: "tab-1" });
    expect(counts(...pages)).toEqual([1, 2]);
    expect(pages[1]?.calls.map(({ name }) => name)).toEqual(["buy", "buy"]);
  });
});

describe("the tabId among the arguments", () => {
  test.each([
    ["as text", (text: string) => text],
    ["as bytes", bytes],
  ])("B73: it is taken out before the page is given the rest, %s", (_, encode) => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const agent = board.agent();
    agent.call("buy", { arguments: encode('{ "item": [1], "tabId": "tab-1" }') });
    agent.call("buy", { arguments: encode('{ "item": "tabId" }') });
    agent.call("buy", { arguments: encode('{ "item": {"tabId":"nope"}, "more": "ttabId" }') });
    expect(page.calls.map(({ payload }) => payload)).toEqual([
      '{"item":[1]}',
      '{ "item": "tabId" }',
      '{ "item": {"tabId":"nope"}, "more": "ttabId" }',
    ]);
  });

  test("B73: the listed tabId of a tool never reaches the page, also if the call names the tab as well", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.agent().call("buy", { tab: page.tabId, arguments: `{"tabId":"${page.tabId}","item":1}` });
    expect(page.calls[0]?.payload).toBe('{"item":1}');
  });

  test("null and an empty text are no tabId: some models have to give every argument", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const agent = board.agent();
    agent.call("buy", { arguments: '{"tabId":null,"item":1}' });
    agent.call("buy", { arguments: bytes('{"item":"a","tabId":""}') });
    expect(page.calls.map(({ payload }) => payload)).toEqual(['{"item":1}', '{"item":"a"}']);
  });

  test("B73: a tool with a tabId of its own receives it, and call_tab_tool chooses its tab", () => {
    const board = createBoard();
    const own = tool("move", { inputSchema: { type: "object", properties: { tabId: {} } } });
    const pages = [board.page({ tools: [own] }), board.page({ tools: [own], focused: true })];
    const agent = board.agent();
    agent.call("move", { arguments: '{"tabId":"tab-1"}' });
    agent.call("call_tab_tool", {
      arguments: '{"tabId":"tab-1","name":"move","arguments":{"tabId":"its own"}}',
    });
    expect(pages.map(({ calls }) => calls.map(({ payload }) => payload))).toEqual([
      ['{"tabId":"its own"}'],
      ['{"tabId":"tab-1"}'],
    ]);
  });

  test("B73: arguments that cannot be parsed go to the page, which refuses them", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.agent().call("buy", { arguments: '{"tabId": ' });
    expect(page.calls[0]?.payload).toBe('{"tabId": ');
  });
});

describe("the built-in tools", () => {
  test("B74: list_browser_tabs lists the tabs", async () => {
    const board = createBoard();
    board.page({ title: "Cart", tools: [tool("buy")] });
    const agent = board.agent();
    const call = agent.call("list_browser_tabs", { arguments: "" });
    expect(call.outcomes).toEqual([]);
    await board.clock.advance(0);
    expect(call.outcomes[0]).toMatchObject({ outcome: "ok", ran: "yes" });
    const tabs = agent.session.tabs();
    expect(parseJsonObject(String(call.outcomes[0]?.payload), 64)).toMatchObject({ structuredContent: { tabs } });
  });

  test("list_browser_tabs returns the bare list as text, and an object with it as data", async () => {
    const board = createBoard();
    board.page({ title: "Cart", tools: [tool("buy")] });
    const agent = board.agent();
    const call = agent.call("list_browser_tabs");
    await board.clock.advance(0);
    const tabs = agent.session.tabs();
    expect(parseJsonObject(String(call.outcomes[0]?.payload), 64)).toEqual({
      content: [{ type: "text", text: JSON.stringify(tabs) }],
      structuredContent: { tabs },
    });
  });

  test("B74: list_tab_tools lists the tools of one tab or of every tab, under their own names", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    board.page({ ...bank, tools: [tool("buy")] });
    const agent = board.agent();
    const all = agent.call("list_tab_tools");
    const one = agent.call("list_tab_tools", { arguments: '{"tabId":"tab-2"}' });
    await board.clock.advance(0);
    const second = { tabId: "tab-2", ...bank, tools: [tool("buy")] };
    expect(answerOf(one)).toEqual({ tabs: [second] });
    expect(answerOf(all)).toMatchObject({ tabs: [{ tabId: "tab-1", tools: [tool("buy")] }, second] });
  });

  test("B74: list_tab_tools returns each tool's name, description and input schema, as text without spaces", async () => {
    const board = createBoard();
    const schema = { type: "object" } as const;
    board.page({
      tools: [
        tool("buy", { title: "Buy", outputSchema: schema, annotations: { readOnlyHint: true }, _meta: { a: 1 } }),
      ],
    });
    const call = board.agent().call("list_tab_tools");
    await board.clock.advance(0);
    const tools = [{ name: "buy", description: "The tool buy.", inputSchema: schema }];
    const value = { tabs: [{ tabId: "tab-1", app: "shop", origin: "https://shop.example", tools }] };
    expect(parseJsonObject(String(call.outcomes[0]?.payload), 64)).toEqual({
      content: [{ type: "text", text: JSON.stringify(value) }],
      structuredContent: value,
    });
  });

  test("B74: call_tab_tool calls a tab's tool by its own name, with its arguments or none", async () => {
    const board = createBoard();
    const pages = [board.page({ tools: [tool("buy")] }), board.page({ ...bank, tools: [tool("buy")] })];
    const agent = board.agent();
    const call = agent.call("call_tab_tool", { arguments: '{"tabId":"tab-2","name":"buy","arguments":{"item":1}}' });
    agent.call("call_tab_tool", { arguments: '{"tabId":"tab-2","name":"buy"}' });
    expect(counts(...pages)).toEqual([0, 2]);
    expect(pages[1]?.calls).toMatchObject([
      { name: "buy", payload: '{"item":1}' },
      { name: "buy", payload: "{}" },
    ]);
    pages[1]?.answer('"bought"', "call-1");
    expect(call.end).toMatchObject({ outcome: "ok", payload: '"bought"' });
  });

  test("B74: an invalid argument of a built-in tool is refused with its path", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    const agent = board.agent();
    const calls = [
      agent.call("list_browser_tabs", { arguments: "[]" }),
      agent.call("list_tab_tools", { arguments: '{"tabId":1}' }),
      agent.call("list_tab_tools", { arguments: '{"cursor":1}' }),
      agent.call("list_browser_tabs", { arguments: '{"cursor":"made up"}' }),
      agent.call("list_browser_tabs", { arguments: '{"search":[]}' }),
      agent.call("call_tab_tool", { arguments: '{"name":"buy"}' }),
      agent.call("call_tab_tool", { arguments: '{"tabId":"tab-1"}' }),
      agent.call("call_tab_tool", { arguments: '{"tabId":"tab-1","name":"buy","arguments":1}' }),
      agent.call("call_tab_tool", { arguments: '{"tabId":"tab-1","name":"call_tab_tool"}' }),
      agent.call("call_tab_tool", { arguments: '{"tabId":"tab-1","name":"sell"}' }),
    ];
    await board.clock.advance(0);
    expect(calls.map(({ outcomes }) => `${outcomes[0]?.code} ${outcomes[0]?.message}`)).toEqual([
      expect.stringMatching(/^arguments-malformed .*list_browser_tabs/),
      expect.stringMatching(/^input-invalid .*\/tabId/),
      expect.stringMatching(/^input-invalid .*\/cursor/),
      expect.stringMatching(/^input-invalid .*cursor .*from the start/),
      expect.stringMatching(/^input-invalid .*\/search/),
      expect.stringMatching(/^input-invalid .*\/tabId/),
      expect.stringMatching(/^input-invalid .*\/name/),
      expect.stringMatching(/^input-invalid .*\/arguments/),
      expect.stringMatching(/^tool-not-found .*built-in/),
      expect.stringMatching(/^tool-not-found .*buy/),
    ]);
  });
});

describe("resources, prompts and completion", () => {
  const offer: Offer = {
    ...offerWith(),
    resources: [{ uri: "shop://cart", name: "cart" }],
    resourceTemplates: [{ uriTemplate: "shop://item/{id}", name: "item" }],
    prompts: [{ name: "greet" }],
  };

  function withOffers() {
    const board = createBoard();
    const pages = ["shop", "bank"].map((app, index) => {
      const page = board.page({ app });
      page.say({ type: "offer" }, JSON.stringify(index === 0 ? offer : { ...offer, resourceTemplates: [] }));
      return page;
    });
    return { ...board, pages, caller: board.agent() };
  }

  test("B75: resources by address and by template", async () => {
    const { pages, caller, clock } = withOffers();
    caller.call("shop://item/7", { method: "resources/read" });
    const none = caller.call("shop://nothing", { method: "resources/read" });
    await clock.advance(0);
    expect(pages[0]?.calls).toMatchObject([{ method: "resources/read", name: "shop://item/7" }]);
    expect(none.end).toMatchObject({ outcome: "rejected", code: "offer-not-found" });
    expect(counts(...pages)).toEqual([1, 0]);
  });

  test("B75: a resource of several apps is read by the URI that is listed for each of them", () => {
    const { pages, caller } = withOffers();
    for (const uri of ["bank+shop://cart", "shop+shop://cart", "shop+shop://item/7"])
      caller.call(uri, { method: "resources/read" });
    caller.call("bank+shop://cart", { method: "resources/read", tab: "tab-2" });
    expect(pages.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
      ["shop://cart", "shop://item/7"],
      ["shop://cart", "shop://cart"],
    ]);
  });

  test("B75: two templates of different apps that match one URI get different URIs in the same way", async () => {
    const board = createBoard();
    const pages = [
      board.page(),
      board.page({ origin: "https://evil.example", app: "evil" }),
      board.page({ origin: "https://evil.example", app: "+" }),
    ];
    const templates = ["shop://item/{id}", "shop://{kind}/{id}", "shop+shop://item/{id}"];
    for (const [index, uriTemplate] of templates.entries())
      pages[index]?.say({ type: "offer" }, JSON.stringify({ resourceTemplates: [{ uriTemplate, name: "item" }] }));
    const caller = board.agent();
    const unclear = caller.call("shop://item/7", { method: "resources/read" });
    caller.call("shop+shop://item/7", { method: "resources/read" });
    await board.clock.advance(0);
    expect(unclear.outcomes[0]?.message).toMatch(/shop\+shop:\/\/item\/7 .*evil\+shop:\/\/item\/7 /);
    expect(counts(...pages)).toEqual([1, 0, 0]);
    caller.call("app+shop+shop://item/7", { method: "resources/read" });
    expect(counts(...pages)).toEqual([1, 0, 1]);
  });

  test("B75: a URI in a tab's own list means the page's own resource, whatever others offer", () => {
    const board = createBoard();
    const uris = ["shop://cart", "shop+shop://cart"];
    const page = board.page();
    page.say({ type: "offer" }, JSON.stringify({ resources: uris.map((uri) => ({ uri, name: uri })) }));
    const caller = board.agent();
    for (const name of uris) caller.call(name, { method: "resources/read", tab: "tab-1", isOwnName: true });
    expect(page.calls.map(({ name }) => name)).toEqual(uris);
  });

  test("B75: a resource of several apps is an error that names them, unless the call or its agent has a tab", async () => {
    const { pages, caller, clock, agent } = withOffers();
    const unclear = caller.call("shop://cart", { method: "resources/read" });
    caller.call("shop://cart", { method: "resources/read", tab: "tab-1" });
    agent({ boundTab: "tab-2" }).call("shop://cart", { method: "resources/read" });
    await clock.advance(0);
    expect(unclear.end).toMatchObject({ outcome: "rejected", code: "tool-ambiguous" });
    expect(unclear.outcomes[0]?.message).toMatch(/shop\+shop:\/\/cart .*bank\+shop:\/\/cart /);
    expect(counts(...pages)).toEqual([1, 1]);
  });

  test("a prompt is requested from its tab, under the tab's own name; an ambiguous one is an error", async () => {
    const { pages, caller, clock } = withOffers();
    caller.call("bank__greet", { method: "prompts/get" });
    caller.call("greet", { method: "prompts/get", tab: "tab-1" });
    const unclear = caller.call("greet", { method: "prompts/get" });
    const none = caller.call("nothing", { method: "prompts/get" });
    const notThere = caller.call("nothing", { method: "prompts/get", tab: "tab-1" });
    await clock.advance(0);
    expect(pages.map(({ calls }) => calls.map(({ name }) => name))).toEqual([["greet"], ["greet"]]);
    expect([unclear, none, notThere].map(({ end }) => end?.["code"])).toEqual([
      "tool-ambiguous",
      "tool-not-found",
      "tool-not-found",
    ]);
  });

  test("a completion names its prompt or template as the page does", () => {
    const { pages, caller } = withOffers();
    const argument = { name: "who", value: "A" };
    const complete = (ref: { readonly type: string; readonly name?: string; readonly uri?: string }) =>
      caller.call(ref.name ?? ref.uri ?? "", {
        method: "completion/complete",
        arguments: JSON.stringify({ ref, argument }),
      });
    complete({ type: "ref/prompt", name: "bank__greet" });
    complete({ type: "ref/resource", uri: "shop+shop://item/{id}" });
    complete({ type: "ref/resource", uri: "shop://item/{id}" });
    const given = pages.map(({ calls }) => calls.map(({ payload }) => JSON.parse(payload)));
    const item = { ref: { type: "ref/resource", uri: "shop://item/{id}" }, argument };
    expect(given).toEqual([[item, item], [{ ref: { type: "ref/prompt", name: "greet" }, argument }]]);
  });

  test("a completion goes to the tab of its prompt or its resource's template", () => {
    const { pages, caller } = withOffers();
    caller.call("bank__greet", { method: "completion/complete", arguments: '{"argument":{}}' });
    caller.call("shop://item/{id}", { method: "completion/complete" });
    expect(pages.map(({ calls }) => calls.map(({ method, name }) => `${method} ${name}`))).toEqual([
      ["completion/complete shop://item/{id}"],
      ["completion/complete greet"],
    ]);
  });
});

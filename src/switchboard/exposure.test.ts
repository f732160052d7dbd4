import { describe, expect, test } from "vitest";
import type { Offer } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";

const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];
const bank = { origin: "https://bank.example", app: "bank" };

describe("the offer that an agent sees", () => {
  test("B61: the built-in tools are always listed and first; others follow by name, in any order of arrival", () => {
    const orders = [
      [["b", "c"], ["a"]],
      [["a"], ["c", "b"]],
    ].map((offers) => {
      const board = createBoard();
      for (const names of offers) board.page({ app: names.join(), tools: names.map((name) => tool(name)) });
      return board.agent().session.offer();
    });
    expect(orders[0]?.tools.map(({ name }) => name)).toEqual([...builtIn, "a", "b", "c"]);
    expect(orders[1]).toEqual(orders[0]);
    expect(
      createBoard()
        .agent()
        .session.offer()
        .tools.map(({ name }) => name),
    ).toEqual(builtIn);
  });

  test("B62: a tool of many tabs of one app", () => {
    const board = createBoard();
    const buy = tool("buy", { inputSchema: { type: "object", properties: { item: {} }, required: ["item"] } });
    for (let count = 0; count < 3; count++) board.page({ tools: [buy] });
    const [shown, ...others] = board.agent().session.offer().tools.slice(3);
    expect(others).toEqual([]);
    expect(shown).toEqual({
      ...buy,
      inputSchema: {
        type: "object",
        properties: { item: {}, tabId: { type: "string", description: expect.stringContaining("Optional") } },
        required: ["item"],
      },
    });
  });

  test("B62: a tool of a single tab shows no tabId, but accepts it", async () => {
    const board = createBoard({ changesTime: 100 });
    const buy = tool("buy");
    const only = board.page({ tools: [buy] });
    const agent = board.agent();
    const changes: string[] = [];
    agent.session.onChange((what) => changes.push(what));
    const shown = () => agent.session.offer().tools.slice(3);
    expect(shown()).toEqual([buy]);
    agent.call("buy", { arguments: JSON.stringify({ tabId: only.tabId }) });
    expect(only.calls).toMatchObject([{ payload: "{}" }]);

    const second = board.page({ tools: [buy] });
    await board.clock.advance(100);
    expect(shown()[0]?.inputSchema).toMatchObject({ properties: { tabId: { type: "string" } } });
    board.page({ tools: [buy] });
    await board.clock.advance(100);
    expect(changes.filter((what) => what === "offer")).toHaveLength(1);
    second.lose("gone");
    await board.clock.advance(5000);
    expect(shown()[0]?.inputSchema).toMatchObject({ properties: { tabId: { type: "string" } } });
  });

  test.each(["the same list", "another list"])(
    "B62: the tabId disappears with the second tab that has the tool, which offered %s",
    async (which) => {
      const board = createBoard();
      const buy = tool("buy");
      board.page({ tools: [buy] });
      const second = board.page({ tools: which === "the same list" ? [buy] : [buy, tool("sell")] });
      const { session } = board.agent();
      const schema = () => session.offer().tools.find(({ name }) => name === "buy")?.inputSchema;
      expect(schema()).toHaveProperty("properties.tabId");
      second.lose("gone");
      await board.clock.advance(5000);
      expect(schema()).toEqual(buy.inputSchema);
    },
  );

  test("B62: tabs with different lists share the tools that are equal", () => {
    const board = createBoard();
    const [one, other] = [board.page({ tools: [tool("buy")] }), board.page({ tools: [tool("buy"), tool("sell")] })];
    const agent = board.agent();
    expect(
      agent.session
        .offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["buy", "sell"]);
    for (const { tabId } of [one, other]) agent.call("buy", { arguments: JSON.stringify({ tabId }) });
    expect([one.calls.length, other.calls.length]).toEqual([1, 1]);
  });

  test("B62: a tool with a tabId of its own keeps it unchanged", () => {
    const board = createBoard();
    const own = tool("move", { inputSchema: { type: "object", properties: { tabId: { type: "number" } } } });
    board.page({ tools: [own] });
    expect(board.agent().session.offer().tools.slice(3)).toEqual([own]);
  });

  test("different definitions of one name each get a unique name, and the plain name is an error", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    const other = board.page({ ...bank, tools: [tool("buy")] });
    const agent = board.agent();
    expect(
      agent.session
        .offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["bank__buy", "shop__buy"]);
    const unclear = agent.call("buy");
    agent.call("bank__buy");
    await board.clock.advance(0);
    expect(unclear.end).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-ambiguous" });
    expect(unclear.outcomes[0]?.message).toMatch(/bank__buy.*shop__buy|shop__buy.*bank__buy/);
    expect(other.calls).toEqual([expect.objectContaining({ name: "buy" })]);
  });

  test("B73: a tabId decides between tools of one name, and one that is no tab's is told with the tabs that there are", async () => {
    const board = createBoard();
    const schema = { type: "object", properties: { item: {} } } as const;
    const own = tool("buy", { inputSchema: { type: "object", properties: { tabId: { type: "string" } } } });
    const pages = [
      board.page({ tools: [tool("buy")] }),
      board.page({ tools: [tool("buy", { inputSchema: schema })] }),
      board.page({ ...bank, tools: [tool("buy")] }),
      board.page({ ...bank, tools: [own] }),
    ];
    const agent = board.agent();
    for (const { tabId } of pages) agent.call("buy", { arguments: JSON.stringify({ item: "tea", tabId }) });
    expect(pages.map(({ calls }) => calls.map(({ name, payload }) => [name, JSON.parse(payload)]))).toEqual([
      ...Array.from({ length: 3 }, () => [["buy", { item: "tea" }]]),
      [["buy", { item: "tea", tabId: pages[3]?.tabId }]],
    ]);
    const tabless = [null, ""].map((tabId) => agent.call("buy", { arguments: JSON.stringify({ tabId }) }));
    const lost = agent.call("buy", { arguments: '{"tabId":"no-such-tab"}' });
    const missing = agent.call("sell", { arguments: JSON.stringify({ tabId: pages[0]?.tabId }) });
    await board.clock.advance(0);
    expect(tabless.map(({ end }) => end?.["code"])).toEqual(["tool-ambiguous", "tool-ambiguous"]);
    expect(lost.end).toMatchObject({ code: "tab-not-found", ran: "no" });
    for (const { tabId } of pages) expect(lost.outcomes[0]?.message).toContain(tabId);
    expect(missing.end).toMatchObject({ code: "tool-not-found", ran: "no" });
  });

  test("same-named tools of two origins get different names even if they and their apps are equal", async () => {
    const board = createBoard();
    const pages = [board.page({ tools: [tool("buy")] }), board.page({ origin: bank.origin, tools: [tool("buy")] })];
    const agent = board.agent();
    const names = agent.session
      .offer()
      .tools.slice(3)
      .map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of ["buy", ...names]) agent.call(name);
    await board.clock.advance(0);
    expect(pages.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  test("when the other app is gone, the name is plain again", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    board.page({ ...bank, tools: [tool("buy")] }).lose("gone");
    await board.clock.advance(5000);
    expect(
      board
        .agent()
        .session.offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["buy"]);
  });

  test("prompts get unique names like tools, and resources and templates get a prefix to their URI", () => {
    const board = createBoard();
    const offer: Offer = {
      ...offerWith(),
      prompts: [{ name: "greet" }],
      resources: [{ uri: "shop://cart", name: "cart" }],
      resourceTemplates: [{ uriTemplate: "shop://item/{id}", name: "item" }],
    };
    for (const app of ["shop", "bank"]) {
      board.page({ app }).say({ type: "offer" }, JSON.stringify(offer));
    }
    expect(board.agent().session.offer()).toMatchObject({
      prompts: [{ name: "bank__greet" }, { name: "shop__greet" }],
      resources: [
        { uri: "bank+shop://cart", name: "cart" },
        { uri: "shop+shop://cart", name: "cart" },
      ],
      resourceTemplates: [
        { uriTemplate: "bank+shop://item/{id}", name: "item" },
        { uriTemplate: "shop+shop://item/{id}", name: "item" },
      ],
    });
  });

  /** The URIs that agents see when these apps, each at its origin, offer these resources. */
  function listed(
    ...offered: readonly { readonly at?: string; readonly app: string; readonly uris: readonly string[] }[]
  ) {
    const board = createBoard();
    for (const { at = "shop", app, uris } of offered) {
      const resources = uris.map((uri) => ({ uri, name: `${uri} of ${app}` }));
      board.page({ app, origin: `https://${at}.example` }).say({ type: "offer" }, JSON.stringify({ resources }));
    }
    return {
      ...board,
      uris: board
        .agent()
        .session.offer()
        .resources.map(({ uri }) => uri),
    };
  }

  test("a resource of a single app keeps its URI, in any number of tabs, and is listed once", () => {
    const shop = { app: "shop", uris: ["git+https://shop.example/", "shop://cart"] };
    const bank = { at: "bank", app: "bank", uris: ["bank://account"] };
    expect(listed(shop, bank, shop, { ...shop, uris: ["shop://cart"] }).uris).toEqual([
      "bank://account",
      "git+https://shop.example/",
      "shop://cart",
    ]);
  });

  test("apps of one name at two origins have different prefixes, in any order of arrival", () => {
    const offered = ["shop", "evil", "third"].map((at) => ({
      at,
      app: at === "evil" ? "Shop" : "shop",
      uris: ["a://b"],
    }));
    const { uris, agent, clock } = listed(...offered);
    expect(new Set(uris).size).toBe(3);
    for (const uri of uris) expect(uri).toMatch(/^shop\.[a-z0-9]{1,8}\+a:\/\/b$/);
    expect(listed(...offered.toReversed()).uris).toEqual(uris);
    const reads = uris.map((uri) => agent().call(uri, { method: "resources/read" }));
    expect(reads.every(({ handle }) => handle.id !== "")).toBe(true);
    expect(clock.pending).toBeGreaterThan(0);
  });

  test("no app can offer a URI that means another app's resource", async () => {
    const { uris, agent } = listed(
      { app: "shop", uris: ["shop://cart"] },
      { at: "evil", app: "7 evil!", uris: ["shop://cart", "shop+shop://cart"] },
    );
    expect(uris).toEqual(["app-7-evil+shop+shop://cart", "app-7-evil+shop://cart", "shop+shop://cart"]);
    const events: string[] = [];
    agent().session.onCall(({ event, app, name }) => events.push(`${event} ${app} ${name}`));
    for (const uri of uris) agent().call(uri, { method: "resources/read" });
    expect(events).toEqual([
      "started 7 evil! shop+shop://cart",
      "started 7 evil! shop://cart",
      "started shop shop://cart",
    ]);
  });

  test("the offer of one tab has its own names, as the page wrote them", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.page({ ...bank, tools: [tool("buy")] });
    const { session } = board.agent();
    expect(session.tabOffer(page.tabId)).toEqual(offerWith(tool("buy")));
    expect(board.agent().session.tabOffer(page.tabId)).toBe(session.tabOffer(page.tabId));
    expect(board.agent().session.tabOffer(board.page().tabId)).toEqual(offerWith());
  });

  test("the list is the same object until something in it changes", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.page({ tools: [tool("buy")] });
    const { session } = board.agent();
    const before = session.offer();
    board.page({ tools: [tool("buy")], focused: true });
    expect(session.offer()).toBe(before);
    page.offer(tool("sell"));
    expect(session.offer()).not.toBe(before);
  });
});

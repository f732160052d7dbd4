import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { createLocalWorld, inNewest, toolNamed } from "../local/local.test-helper.ts";
import type { LocalWorld } from "../local/local.test-helper.ts";
import { terminalOnly } from "../../wire/index.ts";
import { initialize, olderClient, openShop } from "./shop.test-helper.ts";

describe("tools", () => {
  test("WM1: the list has the built-in tools and those of the pages, in the form of the client's revision", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const odd = toolNamed("odd", { outputSchema: { type: "array" } });
    const even = toolNamed("even", { outputSchema: { type: "object" } });
    shop.offer(odd, even);
    await world.settle();
    const newest = await world.client().ask("tools/list", inNewest());
    expect(newest["result"]).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(newest["result"]).toMatchObject({
      tools: { 3: { name: "even" }, 4: { name: "odd", outputSchema: { type: "array" } } },
    });
    const { result } = await (await olderClient(world)).ask("tools/list");
    const { tools, ...rest } = result as { tools: { outputSchema?: object }[] };
    expect(rest).toEqual({});
    expect(tools.slice(3).map(({ outputSchema }) => outputSchema)).toEqual([{ type: "object" }, undefined]);
  });

  test.each([
    ["2025-03-26", undefined],
    ["2025-06-18", { type: "object" }],
  ])("to a client of %s the output schema of a tool is %o", async (version, listed) => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    shop.offer(toolNamed("even", { outputSchema: { type: "object" } }));
    await world.settle();
    const { result } = await (await olderClient(world, version)).ask("tools/list");
    expect((result as { tools: { outputSchema?: object }[] }).tools[3]?.outputSchema).toEqual(listed);
  });

  test("tools for terminals only are not there for a client at a port", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    shop.offer(toolNamed("sell"), toolNamed("fetch", { _meta: terminalOnly }));
    await world.settle();
    const client = world.client();
    const { result } = await client.ask("tools/list", inNewest());
    expect((result as { tools: { name: string }[] }).tools.slice(3)).toMatchObject([{ name: "sell" }]);
    const tabs = JSON.stringify(await client.ask("tools/call", inNewest({ name: "list_browser_tabs" })));
    expect(tabs).not.toContain("fetch");
    const [, tabId = ""] = /tabId\\":\\"([^\\]+)/.exec(tabs) ?? [];
    const calls = [{ name: "fetch" }, { name: "call_tab_tool", arguments: { tabId, name: "fetch" } }];
    for (const call of calls) {
      const answer = JSON.stringify(await client.ask("tools/call", inNewest(call)));
      expect(answer).toContain("tool-not-found");
    }
    expect(shop.calls).toEqual([]);
  });

  test("a page gets the trace in the _meta of a client's call", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
    const client = world.client();
    for (const said of [trace, {}, { traceparent: "00-0-0-0" }]) {
      await client.ask("tools/call", inNewest({ name: "echo" }, said));
    }
    await (await olderClient(world)).ask("tools/call", { name: "echo", _meta: trace });
    expect(shop.calls.map((call) => call["trace"])).toEqual([trace, undefined, undefined, trace]);
  });

  test("results are the page's own, in the form of the client's revision", async () => {
    const world = createLocalWorld();
    await openShop(world);
    const [newest, before] = [world.client(), await olderClient(world)];
    const numbers = [
      await newest.ask("tools/call", inNewest({ name: "number" })),
      await before.ask("tools/call", { name: "number" }),
    ];
    expect(numbers.map(({ result }) => (result as { structuredContent: unknown }).structuredContent)).toEqual([
      7,
      { result: 7 },
    ]);
    expect(numbers[0]).toMatchObject({ result: { resultType: "complete", content: [{ text: "7" }] } });
    expect(numbers[1]?.["result"]).not.toHaveProperty("resultType");
    expect(await newest.ask("tools/call", inNewest({ name: "fail" }))).toMatchObject({ result: { isError: true } });
  });

  test("a page's result has the resultType complete, even if it names another", async () => {
    const world = createLocalWorld();
    await openShop(world);
    expect(await world.client().ask("tools/call", inNewest({ name: "broken" }))).toMatchObject({
      result: { resultType: "complete", _meta: { mine: 1, "io.modelcontextprotocol/serverInfo": {} } },
    });
  });

  test("an unknown tool is an error of the request; a failure is a result with its outcome", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client();
    expect(await client.ask("tools/call", inNewest({ name: "sell" }))).toMatchObject({
      error: { code: -32_602, data: { "pagewire/code": "tool-not-found", "pagewire/ran": "no" } },
    });
    const held = client.ask("tools/call", inNewest({ name: "hold" }));
    await expect.poll(() => shop.calls.length).toBe(1);
    shop.page.link.close();
    expect(await held).toMatchObject({
      result: { isError: true, _meta: { "pagewire/outcome": "outcome-unknown", "pagewire/ran": "maybe" } },
    });
  });

  test("an answer that is no MCP result is an error", async () => {
    const world = createLocalWorld();
    await openShop(world);
    const answer = await world.client().ask("tools/call", inNewest({ name: "nonsense" }));
    expect(answer).toMatchObject({ error: { code: -32_603 } });
  });

  test("the page gets the client's name with each call", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    await world.client().ask("tools/call", inNewest({ name: "echo" }));
    const client = world.client();
    await client.ask("initialize", { ...initialize, clientInfo: { name: "n".repeat(200), version: 7 } });
    await client.ask("tools/call", { name: "echo" });
    expect(shop.calls.map(({ agent }) => agent)).toEqual([{ name: "raw", version: "1" }, { name: "n".repeat(128) }]);
  });

  test.each(["idempotencyKey", "_meta"])("the same key, in %s, is one call with one outcome", async (place) => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client();
    const key = "order-7";
    const params =
      place === "_meta"
        ? inNewest({ name: "echo", arguments: { a: 1 } }, { "pagewire/idempotencyKey": key })
        : inNewest({ name: "echo", arguments: { a: 1 }, idempotencyKey: key });
    const first = await client.ask("tools/call", params);
    const again = await client.ask("tools/call", params);
    expect(first["result"]).not.toHaveProperty("_meta.pagewire/replay");
    expect((again["result"] as { _meta: object })._meta).toMatchObject({ "pagewire/replay": true });
    expect(shop.calls).toHaveLength(1);
  });
});

describe("calls that run", () => {
  const started = async (world: LocalWorld, params: object = {}) => {
    const shop = await openShop(world);
    const client = world.client();
    client.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: inNewest({ name: "hold", ...params }) });
    await expect.poll(() => shop.calls.length).toBe(1);
    return { shop, client, id: shop.calls[0]?.id ?? "" };
  };

  test("progress goes to the client that asked for it, and always grows", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client();
    const result = client.ask("tools/call", inNewest({ name: "hold" }, { progressToken: 0 }));
    await expect.poll(() => shop.calls.length).toBe(1);
    const id = shop.calls[0]?.id ?? "";
    shop.page.say({ type: "progress", id, progress: 0, total: 3, message: "first" });
    shop.page.say({ type: "progress", id, progress: 2 });
    shop.page.say({ type: "progress", id, progress: 1 });
    await world.settle();
    shop.answer(shop.calls[0], { content: [] });
    await result;
    const told = client.notifications.map(({ params }) => params as { progress: number; progressToken: unknown });
    expect(told[0]).toEqual({ progressToken: 0, progress: 0, total: 3, message: "first" });
    expect(told[1]).toEqual({ progressToken: 0, progress: 2 });
    expect(told[2]?.progress).toBeGreaterThan(2);
    expect(told).toHaveLength(3);
  });

  test("while a call is silent there is a sign of life, and none after its end", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client();
    const result = client.ask("tools/call", inNewest({ name: "hold" }, { progressToken: "p" }));
    await expect.poll(() => shop.calls.length).toBe(1);
    await world.clock.advance(20_000);
    shop.answer(shop.calls[0], { content: [] });
    await result;
    await world.clock.advance(60_000);
    expect(client.notifications.map(({ params }) => params)).toMatchObject([
      { progress: 0, message: expect.any(String) as string },
      { progress: 0.0001 },
    ]);
  });

  test("a client that did not ask for progress gets none", async () => {
    const world = createLocalWorld();
    const { shop, client, id } = await started(world);
    shop.page.say({ type: "progress", id, progress: 1 });
    await world.clock.advance(60_000);
    shop.answer(shop.calls[0], { content: [] });
    expect(await client.next()).toMatchObject({ id: 1, result: {} });
  });

  test("a call that its client cancels ends in the page, with the reason, and is not answered", async () => {
    const world = createLocalWorld();
    const { shop, client, id } = await started(world);
    const params = { requestId: 1, reason: "y".repeat(5000) };
    client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    await expect.poll(() => shop.page.of("cancel")).toMatchObject([{ id, reason: "y".repeat(1024) }]);
    shop.answer(shop.calls[0], { content: [] });
    client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    client.post({ jsonrpc: "2.0", id: 2, method: "tools/list", params: inNewest() });
    expect(await client.next()).toMatchObject({ id: 2 });
    expect(shop.page.of("cancel")).toHaveLength(1);
  });

  test("a client cancels its own calls only", async () => {
    const world = createLocalWorld();
    const { shop, client } = await started(world);
    const other = world.client();
    other.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await other.ask("ping");
    shop.answer(shop.calls[0], { content: [] });
    expect(await client.next()).toMatchObject({ id: 1, result: {} });
    expect(shop.page.of("cancel")).toEqual([]);
  });

  test.each(["its document is gone", "it says close", "its port closes"])(
    "a client's calls end with it: %s",
    async (how) => {
      const world = createLocalWorld();
      const shop = await openShop(world);
      const gone = new AbortController();
      const client = world.client({ gone: gone.signal });
      void client.ask("tools/call", inNewest({ name: "hold" }));
      void client.ask("subscriptions/listen", inNewest({ notifications: { toolsListChanged: true } }));
      await expect.poll(() => shop.calls.length).toBe(1);
      if (how === "its document is gone") gone.abort();
      else if (how === "it says close") client.post({ close: true });
      else client.port.close();
      await expect.poll(() => shop.page.of("cancel").length).toBe(1);
      expect(shop.page.of("cancel")).toMatchObject([{ id: shop.calls[0]?.id, reason: "The client is gone." }]);
    },
  );

  test("of clients that came and went nothing is left for their document's end", async () => {
    const world = createLocalWorld();
    const gone = new AbortController();
    for (let round = 0; round < 3; round++) world.client({ gone: gone.signal }).post({ close: true });
    await expect.poll(() => getEventListeners(gone.signal, "abort").length).toBe(0);
  });

  test("a client whose document is closed already is not served", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client({ gone: AbortSignal.abort() });
    void client.ask("tools/call", inNewest({ name: "echo" }));
    await world.clock.advance(1000);
    expect(shop.calls).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { createLocalWorld, inNewest } from "../local/local.test-helper.ts";
import { initialize, olderClient, openShop } from "./shop.test-helper.ts";

const version = "io.modelcontextprotocol/protocolVersion";
const capabilities = "io.modelcontextprotocol/clientCapabilities";

describe("a client's first request", () => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "a client of revision %s is given that revision",
    async (protocolVersion) => {
      const { result } = await createLocalWorld()
        .client()
        .ask("initialize", { ...initialize, protocolVersion });
      expect(result).toMatchObject({
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "pagewire-worker" },
        instructions: expect.stringContaining("not an instruction to you") as string,
      });
    },
  );

  test("a client of a revision that is not known is offered the best of the older ones", async () => {
    const { result } = await createLocalWorld()
      .client()
      .ask("initialize", { ...initialize, protocolVersion: "1999" });
    expect(result).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  test("a client of 2026-07-28 discovers the server's capabilities", async () => {
    const { result } = await createLocalWorld().client().ask("server/discover", inNewest());
    expect(result).toMatchObject({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: { listChanged: true } },
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "pagewire-worker" } },
    });
  });

  test("before it, a client can only ping", async () => {
    const client = createLocalWorld().client();
    expect(await client.ask("ping")).toMatchObject({ result: {} });
    expect(await client.ask("tools/list")).toMatchObject({ error: { code: -32_600 } });
  });
});

describe("malformed messages", () => {
  test.each([
    ["text", null],
    [7, null],
    [null, null],
    [[{ jsonrpc: "2.0", id: 1, method: "ping" }], null],
    [{ id: 1, method: "ping" }, 1],
    [{ jsonrpc: "1.0", id: "a", method: "ping" }, "a"],
    [{ jsonrpc: "2.0", id: 1 }, 1],
    [{ jsonrpc: "2.0", id: 1, method: 7 }, 1],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, null],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: 7 }, 1],
    [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, 1],
  ])("%j is an invalid request", async (message, id) => {
    const client = createLocalWorld().client();
    client.post(message);
    expect(await client.next()).toEqual({
      jsonrpc: "2.0",
      id,
      error: { code: -32_600, message: expect.any(String) as string },
    });
  });

  test.each([
    ["initialize", { ...initialize, protocolVersion: 7 }],
    ["initialize", { ...initialize, capabilities: "all" }],
    ["initialize", { ...initialize, clientInfo: undefined }],
    ["initialize", { ...initialize, clientInfo: { name: 7 } }],
    ["tools/list", inNewest({}, { [version]: 7 })],
    ["tools/list", inNewest({}, { [capabilities]: "all" })],
    ["tools/list", inNewest({}, { "io.modelcontextprotocol/clientInfo": "me" })],
    ["tools/list", inNewest({ cursor: "more" })],
    ["tools/call", inNewest({})],
    ["tools/call", inNewest({ name: 7 })],
    ["tools/call", inNewest({ name: "echo", arguments: [] })],
    ["tools/call", inNewest({ name: "echo", arguments: null })],
    ["tools/call", inNewest({ name: "echo", idempotencyKey: "two words" })],
    ["tools/call", inNewest({ name: "echo", arguments: { text: "x".repeat(17 * 1024 * 1024) } })],
    ["subscriptions/listen", inNewest({})],
    ["subscriptions/listen", inNewest({ notifications: ["toolsListChanged"] })],
  ])("a request with a wrong field is refused by the field's name: %s", async (method, params) => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const answer = await world.client().ask(method, params as JsonObject);
    expect(answer).toMatchObject({ error: { code: -32_602, message: expect.any(String) as string } });
    expect(shop.calls).toEqual([]);
  });

  test("arguments that JSON cannot express are refused", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const unsayable = { amount: 10n };
    const client = world.client();
    client.post({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { ...inNewest(), name: "echo", arguments: unsayable },
    });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32_602 } });
    expect(shop.calls).toEqual([]);
  });

  test("an unknown revision is refused with those that are known", async () => {
    const answer = await createLocalWorld()
      .client()
      .ask("tools/list", inNewest({}, { [version]: "2030-01-01" }));
    expect(answer).toMatchObject({
      error: { code: -32_022, data: { supported: ["2026-07-28"], requested: "2030-01-01" } },
    });
  });

  test.each([
    ["2026-07-28", "ping"],
    ["2026-07-28", "initialize"],
    ["2026-07-28", "resources/list"],
    ["2025-11-25", "server/discover"],
    ["2025-11-25", "subscriptions/listen"],
    ["2025-11-25", "logging/setLevel"],
    ["2025-11-25", "constructor"],
  ])("in revision %s there is no method %s", async (revision, method) => {
    const world = createLocalWorld();
    const client = revision === "2026-07-28" ? world.client() : await olderClient(world);
    const answer = await client.ask(method, revision === "2026-07-28" ? inNewest() : {});
    expect(answer).toMatchObject({ error: { code: -32_601, message: expect.stringContaining(method) as string } });
  });

  test("an id that is still in use is refused, and the first request goes on", async () => {
    const world = createLocalWorld();
    const shop = await openShop(world);
    const client = world.client();
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: inNewest({ name: "hold" }) };
    client.post(request);
    client.post(request);
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32_600 } });
    shop.answer(shop.calls[0], { content: [] });
    expect(await client.next()).toMatchObject({ id: 1, result: { content: [] } });
    expect(shop.calls).toHaveLength(1);
  });

  test("responses and unknown notifications are no requests, and are not answered", async () => {
    const client = createLocalWorld().client();
    client.post({ jsonrpc: "2.0", id: 1, result: {} });
    client.post({ jsonrpc: "2.0", id: 2, error: { code: 1, message: "no" } });
    client.post({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: { odd: true } } });
    client.post({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await client.next()).toMatchObject({ id: 3, result: {} });
  });

  test("revisions before 2025-06-18 had several messages in one, and are answered so", async () => {
    const client = await olderClient(createLocalWorld(), "2025-03-26");
    client.post([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "nothing" },
    ]);
    expect(await client.next()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32_601 } },
    ]);
    const newer = await olderClient(createLocalWorld(), "2025-06-18");
    for (const [one, message] of [
      [client, []],
      [newer, [{ jsonrpc: "2.0", id: 1, method: "ping" }]],
    ] as const) {
      one.post(message);
      expect(await one.next()).toMatchObject({ id: null, error: { code: -32_600 } });
    }
  });
});

import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { serveTestClient } from "./test-support/client.test-helper.ts";
import { modern, notification } from "./test-support/messages.test-helper.ts";
import { startScriptedHub } from "./test-support/scripted-hub.test-helper.ts";
import type { HubRequest, HubStream } from "./test-support/scripted-hub.test-helper.ts";

const subscription = (id: string | number): JsonObject => ({ "io.modelcontextprotocol/subscriptionId": id });

const acknowledged = (id: string | number, notifications: JsonObject): JsonObject =>
  notification("notifications/subscriptions/acknowledged", { _meta: subscription(id), notifications });

test("a request of 2026-07-28 goes to the hub unchanged, with the standard headers and no session", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  const call = modern(1, "tools/call", { name: "grüße", arguments: { to: "Ada" } });
  client.send(`  ${JSON.stringify(call)} `);
  const asked = await hub.asked("tools/call");
  expect([asked.method, asked.path, asked.message]).toEqual(["POST", "/mcp", call]);
  expect(asked.headers).toMatchObject({
    authorization: "Bearer token-of-the-test",
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "=?base64?Z3LDvMOfZQ==?=",
  });
  expect(asked.headers).not.toHaveProperty("mcp-session-id");
  const stream = asked.stream();
  const progress = notification("notifications/progress", { progressToken: 1, progress: 1 });
  stream.send(progress);
  stream.raw(": keep-alive\n\n");
  stream.send({ jsonrpc: "2.0", id: 1, result: { resultType: "complete" } });
  stream.end();
  await client.answer(1);
  expect(client.messages).toEqual([progress, { jsonrpc: "2.0", id: 1, result: { resultType: "complete" } }]);
});

const marked = {
  name: "find",
  inputSchema: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
};

test("later calls use the marks of a forwarded list of tools", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.result({ tools: [marked] }));
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/list"));
  await client.answer(1);
  client.send(modern(2, "tools/call", { name: "find", arguments: { city: "Graz" } }));
  expect((await hub.asked("tools/call")).headers).toMatchObject({ "mcp-param-city": "Graz" });
});

/** Refuses calls without the header that the tool wants. */
function refuseWithout(header: string) {
  return (asked: HubRequest) => {
    if (asked.headers[header] !== undefined) return asked.result({ content: [] });
    const error = { code: -32_020, message: `Header mismatch: ${header} is missing` };
    asked.status(400, JSON.stringify({ jsonrpc: "2.0", id: asked.message["id"] ?? null, error }));
  };
}

test("a call that lacks a header is repeated after all pages of the hub's list were read", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/call", refuseWithout("mcp-param-city"));
  hub.on("tools/list", (asked) => {
    const { cursor } = asked.message["params"] as JsonObject;
    asked.result(cursor === undefined ? { tools: [], nextCursor: "second" } : { tools: [marked] });
  });
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/call", { name: "find", arguments: { city: "Graz" } }));
  expect(await client.answer(1)).toMatchObject({ result: { content: [] } });
  expect((await hub.asked("tools/list", 2)).message["params"]).toMatchObject({
    cursor: "second",
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
  });
  expect(client.messages).toHaveLength(1);
});

test("a call that still lacks a header gets the hub's refusal", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/call", refuseWithout("mcp-param-city"));
  hub.on("tools/list", (asked) => asked.result({ tools: [] }));
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/call", { name: "find", arguments: { city: "Graz" } }));
  expect(await client.answer(1)).toMatchObject({ error: { code: -32_020 } });
  expect(hub.requests.map(({ message }) => message["method"])).toEqual(["tools/call", "tools/list", "tools/call"]);
});

test("messages of a subscription are passed on as they arrive, until the client cancels it", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(modern("one", "subscriptions/listen", { notifications: { toolsListChanged: true } }));
  const asked = await hub.asked("subscriptions/listen");
  expect(asked.headers).toMatchObject({ "mcp-method": "subscriptions/listen" });
  const stream = asked.stream();
  const messages = [
    acknowledged("one", { toolsListChanged: true }),
    notification("notifications/tools/list_changed", { _meta: subscription("one") }),
  ];
  for (const message of messages) {
    stream.send(message);
    await client.said(({ method }) => method === message["method"]);
  }
  client.send(notification("notifications/cancelled", { requestId: "one" }));
  await asked.closed;
  expect(client.messages).toEqual(messages);
});

test("an empty or refused subscription ends with the hub's answer", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(modern("one", "subscriptions/listen", { notifications: {} }));
  const stream = (await hub.asked("subscriptions/listen")).stream();
  stream.send(acknowledged("one", {}));
  stream.send({ jsonrpc: "2.0", id: "one", result: { resultType: "complete", _meta: subscription("one") } });
  stream.end();
  expect(await client.answer("one")).toMatchObject({ result: { resultType: "complete" } });
  client.send(modern("two", "subscriptions/listen", { notifications: {} }));
  const refused = await hub.asked("subscriptions/listen", 2);
  refused.json({ jsonrpc: "2.0", id: "two", error: { code: -32_602, message: "No." } });
  expect(await client.answer("two")).toMatchObject({ error: { code: -32_602 } });
});

const filter = { toolsListChanged: true, resourceSubscriptions: ["shop://cart"] };

test.each([
  ["breaks", (stream: HubStream) => stream.cut()],
  ["is ended", (stream: HubStream) => stream.end()],
  [
    "is ended by a hub that stops",
    (stream: HubStream) => {
      stream.send({ jsonrpc: "2.0", id: 7, result: { resultType: "complete", _meta: subscription(7) } });
      stream.end();
    },
  ],
])("a subscription whose stream %s is opened again, and the client is told what it may have missed", async (_, end) => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(modern(7, "subscriptions/listen", { notifications: filter }));
  const first = (await hub.asked("subscriptions/listen")).stream();
  first.send(acknowledged(7, filter));
  await client.told("notifications/subscriptions/acknowledged");
  end(first);
  const again = await hub.asked("subscriptions/listen", 2);
  expect(again.message).toEqual((await hub.asked("subscriptions/listen")).message);
  again.stream().send(acknowledged(7, filter));
  await client.told("notifications/resources/updated");
  expect(client.messages).toEqual([
    acknowledged(7, filter),
    notification("notifications/tools/list_changed", { _meta: subscription(7) }),
    notification("notifications/resources/updated", { uri: "shop://cart", _meta: subscription(7) }),
  ]);
});

test("a subscription that may not be reopened ends with the reason", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(modern(7, "subscriptions/listen", { notifications: filter }));
  const first = (await hub.asked("subscriptions/listen")).stream();
  first.send(acknowledged(7, filter));
  await client.told("notifications/subscriptions/acknowledged");
  first.cut();
  (await hub.asked("subscriptions/listen", 2)).status(502);
  const refusal = { error: { code: "tab-not-found", message: "There is no tab." } };
  (await hub.asked("subscriptions/listen", 3)).status(404, JSON.stringify(refusal));
  expect(await client.answer(7)).toMatchObject({ error: { data: { "pagewire/code": "tab-not-found" } } });
});

test("the error for a broken connection says whether a retry is safe", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  const call = (id: number, params: JsonObject) => modern(id, "tools/call", { name: "pay", ...params });
  client.send(call(1, {}), call(2, { idempotencyKey: "k" }), call(3, { _meta: { "pagewire/idempotencyKey": "k" } }));
  client.send(modern(4, "tools/list"));
  for (const count of [1, 2, 3]) (await hub.asked("tools/call", count)).cut();
  const stream = (await hub.asked("tools/list")).stream();
  stream.raw("data: {");
  stream.cut();
  const unsafe = { "pagewire/code": "outcome-unknown", "pagewire/ran": "maybe" };
  expect(await client.answer(1)).toMatchObject({ error: { code: -32_000, data: unsafe } });
  for (const [id, words] of [
    [1, 'the tool "pay" was called'],
    [1, "not safe to simply call it again"],
    [2, "safe to call it again with the same idempotency key"],
    [3, "safe to call it again with the same idempotency key"],
    [4, "It is safe to try again."],
  ] as const) {
    expect(await client.answer(id)).toMatchObject({ error: { message: expect.stringContaining(words) as string } });
  }
});

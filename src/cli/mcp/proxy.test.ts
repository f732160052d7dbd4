import { expect, test } from "vitest";
import { defaultLimits } from "../../wire/index.ts";
import { serveTestClient } from "./test-support/client.test-helper.ts";
import { initialize, modern, notification, request } from "./test-support/messages.test-helper.ts";
import { startScriptedHub } from "./test-support/scripted-hub.test-helper.ts";

test.each([
  ["nonsense", -32_700, null],
  ['{"jsonrpc":"2.0","id":1,"method":', -32_700, null],
  ["7", -32_600, null],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600, null],
  ['{"id":1,"method":"ping"}', -32_600, 1],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600, null],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, null],
  ['{"jsonrpc":"2.0","id":"x"}', -32_600, "x"],
  ['{"jsonrpc":"2.0","id":"x","result":{},"error":{}}', -32_600, "x"],
])("the line %s is answered with %i, and what follows is served", async (line, code, id) => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.result({ tools: [] }));
  const client = serveTestClient(hub.url);
  client.send(line, modern("next", "tools/list"));
  expect(await client.answer(id)).toMatchObject({ error: { code } });
  expect(await client.answer("next")).toMatchObject({ result: { tools: [] } });
  expect(hub.requests).toHaveLength(1);
});

test("the error for a line over the limit frameBytes names the limit, and has the request's id", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.result({ tools: [] }));
  const client = serveTestClient(hub.url);
  const text = "x".repeat(defaultLimits.frameBytes + 1);
  client.send(modern(1, "tools/call", { name: "big", arguments: { text } }), text, modern(2, "tools/list"));
  for (const id of [1, null]) {
    const { error } = await client.answer(id);
    expect(error).toMatchObject({ code: -32_600, data: { "pagewire/code": "frame-too-large", "pagewire/ran": "no" } });
    expect(error).toMatchObject({ message: expect.stringContaining("frameBytes (16777216 bytes)") as string });
  }
  expect(await client.answer(2)).toMatchObject({ result: {} });
  expect(hub.requests).toHaveLength(1);
});

test("requests of both kinds run in parallel, and answers are sent as they arrive", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(initialize("begin"));
  await client.answer("begin");
  client.send(request(1, "tools/list"), modern(2, "tools/list"), request(3, "prompts/list"));
  const [first, second, third] = [
    await hub.asked("tools/list"),
    await hub.asked("tools/list", 2),
    await hub.asked("prompts/list"),
  ];
  for (const asked of [third, second, first]) {
    asked.result({});
    await client.answer(asked.message["id"] as number);
  }
  expect(client.messages.map(({ id }) => id)).toEqual(["begin", 3, second.message["id"], first.message["id"]]);
});

test("an answer with several lines becomes one line for the client", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.status(200, '{"jsonrpc":"2.0",\r\n"id":1,\n"result":{"text":"a\\nb"}}\n'));
  hub.on("prompts/list", (asked) => {
    const stream = asked.stream();
    stream.raw('data: {"jsonrpc":"2.0",\ndata: "id":2,\ndata: "result":{}}\n\n');
    stream.end();
  });
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/list"), modern(2, "prompts/list"));
  expect(await client.answer(1)).toEqual({ jsonrpc: "2.0", id: 1, result: { text: "a\nb" } });
  expect(await client.answer(2)).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
});

test("invalid or unrequested messages of the hub are dropped", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => {
    const stream = asked.stream();
    stream.raw("data: nonsense\n\n");
    stream.raw("event: other\ndata: {}\n\n");
    stream.send({ jsonrpc: "2.0", id: 99, result: {} });
    stream.send({ jsonrpc: "2.0", id: 0, method: "elicitation/create", params: {} });
    stream.send({ jsonrpc: "2.0", id: 1, result: {} });
    stream.end();
  });
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/list"));
  await client.answer(1);
  expect(client.messages).toHaveLength(1);
  expect(client.notes()).toContain("no part of the answer to tools/list. It was dropped.");
});

test("a client that does not read applies backpressure to the hub", async () => {
  const hub = await startScriptedHub();
  const params = { message: "x".repeat(64 * 1024) };
  hub.on("tools/call", (asked) => {
    const stream = asked.stream();
    for (let sent = 0; sent < 500; sent++) stream.send({ jsonrpc: "2.0", method: "notifications/progress", params });
    stream.send({ jsonrpc: "2.0", id: 1, result: {} });
    stream.end();
  });
  hub.on("tools/list", (asked) => asked.result({}));
  const client = serveTestClient(hub.url);
  client.pause();
  client.send(modern(1, "tools/call", { name: "talkative" }));
  await hub.asked("tools/call");
  for (let turn = 1; turn <= 50; turn++) {
    client.send(modern(`list-${turn}`, "tools/list"));
    await hub.asked("tools/list", turn);
  }
  expect(client.unread()).toBeLessThan(1024 * 1024);
  client.resume();
  await client.answer(1);
  expect(client.messages.filter(({ method }) => method !== undefined)).toHaveLength(500);
});

test("requests over the limit callsPerAgent are refused by its name, and not sent", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  const most = defaultLimits.callsPerAgent;
  for (let id = 1; id <= most + 1; id++) client.send(modern(id, "tools/list"));
  const { error } = await client.answer(most + 1);
  expect(error).toMatchObject({ data: { "pagewire/code": "calls-too-many", "pagewire/ran": "no" } });
  (await hub.asked("tools/list")).result({});
  await client.said(({ result }) => result !== undefined);
  client.send(modern("again", "prompts/list"));
  (await hub.asked("prompts/list")).result({});
  await client.answer("again");
});

test.each([
  [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"No.","data":{"supported":[]}}}', -32_022, "No."],
  [401, '{"error":{"code":"token-invalid","message":"The token is wrong."}}', -32_000, "npx pagewire doctor"],
  [404, '{"error":{"code":"tab-not-found","message":"There is no tab."}}', -32_000, "npx pagewire tabs"],
  [502, "<html>", -32_000, "it said HTTP 502"],
  [307, "", -32_000, "it said HTTP 307"],
])("a refusal with HTTP %i and %s is the request's JSON-RPC error", async (status, body, ...[code, words]) => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.status(status, body));
  hub.on("initialize", (asked) => asked.status(status, body));
  const client = serveTestClient(hub.url);
  client.send(modern("a", "tools/list"), initialize("b"));
  for (const id of ["a", "b"]) {
    const { error } = await client.answer(id);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string });
  }
});

test("after an error of the hub, the outcome is unknown", async () => {
  const hub = await startScriptedHub();
  const failures = ['{"error":{"code":"internal-error","message":"Something failed inside the hub."}}', "<html>"];
  const client = serveTestClient(hub.url);
  for (const [id, body] of failures.entries()) {
    hub.on("tools/call", (asked) => asked.status(500, body));
    client.send(modern(id, "tools/call", { name: "pay" }));
    expect(await client.answer(id)).toMatchObject({ error: { data: { "pagewire/ran": "maybe" } } });
  }
});

test("an empty answer is an error, not an endless wait", async () => {
  const hub = await startScriptedHub();
  hub.on("tools/list", (asked) => asked.status(202));
  hub.on("prompts/list", (asked) => asked.stream().end());
  const client = serveTestClient(hub.url);
  client.send(modern(1, "tools/list"), modern(2, "prompts/list"), modern(3, "subscriptions/listen"));
  (await hub.asked("subscriptions/listen")).stream().end();
  for (const id of [1, 2, 3]) expect(await client.answer(id)).toHaveProperty("error.code", -32_000);
});

test("a cancelled request gets no answer and no error", async () => {
  const hub = await startScriptedHub();
  hub.on("prompts/list", (asked) => asked.result({}));
  const client = serveTestClient(hub.url);
  client.send(initialize("begin"));
  await client.answer("begin");
  client.send(modern(1, "tools/call", { name: "slow" }), request(2, "tools/list"));
  const call = await hub.asked("tools/call");
  const list = await hub.asked("tools/list");
  const stream = call.stream();
  client.send(notification("notifications/cancelled", { requestId: 1, reason: "not needed" }));
  await call.closed;
  stream.send({ jsonrpc: "2.0", id: 1, result: {} });
  client.send(notification("notifications/cancelled", { requestId: 2 }));
  await list.closed;
  client.send(modern(3, "prompts/list"));
  await client.answer(3);
  expect(client.messages.map(({ id }) => id)).toEqual(["begin", 3]);
  const told = hub.requests.filter(({ message }) => message["method"] === "notifications/cancelled");
  expect(told.map(({ message, headers }) => [message["params"], headers["mcp-session-id"]])).toEqual([
    [{ requestId: 2 }, "session-1"],
  ]);
});

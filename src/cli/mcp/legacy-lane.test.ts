import { expect, test } from "vitest";
import type { JsonObject } from "../../wire/index.ts";
import { serveTestClient } from "./test-support/client.test-helper.ts";
import type { ServedClient } from "./test-support/client.test-helper.ts";
import { initialize, initialized, notification, request } from "./test-support/messages.test-helper.ts";
import { initializeResult, startScriptedHub } from "./test-support/scripted-hub.test-helper.ts";
import type { HubRequest, HubStream, ScriptedHub } from "./test-support/scripted-hub.test-helper.ts";

const answerTo = (id: string | number, result: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id, result });

/** A hub with a client that has begun its session. */
async function begin(): Promise<{ hub: ScriptedHub; client: ServedClient }> {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  client.send(initialize("begin"));
  expect(await client.answer("begin")).toEqual(answerTo("begin", initializeResult));
  return { hub, client };
}

/** The same, with the stream for the hub's own messages. */
async function beginWithStream(): Promise<{ hub: ScriptedHub; client: ServedClient; stream: HubStream }> {
  const { hub, client } = await begin();
  hub.on("GET", () => {});
  client.send(initialized);
  return { hub, client, stream: (await hub.asked("GET")).stream() };
}

/** Forgets a session: requests that use it fail until a new one is started. */
function forgetSession(hub: ScriptedHub, id: string): void {
  const refuse = (asked: HubRequest) =>
    asked.status(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found."}}');
  const guard = (handle: (asked: HubRequest) => void) => (asked: HubRequest) =>
    asked.headers["mcp-session-id"] === id ? refuse(asked) : handle(asked);
  hub.on(
    "tools/list",
    guard((asked) => asked.result({ tools: [] })),
  );
  hub.on(
    "GET",
    guard(() => {}),
  );
}

test("all requests in a session have its id and version", async () => {
  const { hub, client } = await begin();
  hub.on("tools/list", (asked) => asked.result({ tools: [] }));
  client.send(initialized, request(1, "tools/list"), notification("notifications/roots/list_changed"));
  await client.answer(1);
  await hub.asked("notifications/roots/list_changed");
  const [first, ...others] = hub.requests;
  expect(first?.headers).not.toHaveProperty("mcp-session-id");
  expect(others.map(({ method, message }) => message["method"] ?? method)).toEqual(
    expect.arrayContaining(["notifications/initialized", "GET", "tools/list", "notifications/roots/list_changed"]),
  );
  for (const { headers } of others) {
    expect(headers).toMatchObject({ "mcp-session-id": "session-1", "mcp-protocol-version": "2025-11-25" });
    expect(headers).not.toHaveProperty("mcp-method");
  }
});

test("requests after the client's initialized notification reach the hub after it", async () => {
  const { hub, client } = await begin();
  client.send(initialized, request(1, "tools/list"));
  await hub.asked("tools/list");
  const order = hub.requests.map(({ message }) => message["method"]).filter((method) => method !== undefined);
  expect(order).toEqual(["initialize", "notifications/initialized", "tools/list"]);
});

test("a client that does not wait for its session to begin is served in order", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  hub.on("initialize", () => {});
  hub.on("tools/list", (asked) => asked.result({}));
  client.send(initialize(1), initialized, request(2, "tools/list"));
  (await hub.asked("initialize")).result(initializeResult, { "mcp-session-id": "its-own" });
  await client.answer(2);
  expect((await hub.asked("tools/list")).headers).toMatchObject({ "mcp-session-id": "its-own" });
});

test("a session that fails to begin does not block the next", async () => {
  const hub = await startScriptedHub();
  const client = serveTestClient(hub.url);
  hub.on("initialize", (asked) => asked.status(500));
  client.send(initialize(1), initialized, request(2, "tools/list"));
  expect(await client.answer(1)).toHaveProperty("error");
  (await hub.asked("tools/list")).status(400);
  expect(await client.answer(2)).toHaveProperty("error");
  hub.on("initialize", (asked) => asked.result(initializeResult, { "mcp-session-id": "its-own" }));
  client.send(initialize(3));
  expect(await client.answer(3)).toHaveProperty("result");
});

test("notifications of the hub are passed on, with and without a request", async () => {
  const { hub, client, stream } = await beginWithStream();
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  stream.send(changed);
  expect(await client.told("notifications/tools/list_changed")).toEqual(changed);
  client.send(request(1, "tools/call", { name: "slow" }));
  const answer = (await hub.asked("tools/call")).stream();
  const progress = notification("notifications/progress", { progress: 1 });
  answer.send(progress);
  expect(await client.told("notifications/progress")).toEqual(progress);
  answer.send(answerTo(1));
  answer.end();
  await client.answer(1);
});

test("a client that initializes again gets a new session, and the old one ends at the hub", async () => {
  const { hub, client } = await begin();
  client.send(initialize("again"));
  await client.answer("again");
  expect((await hub.asked("DELETE")).headers).toMatchObject({ "mcp-session-id": "session-1" });
  client.send(request(1, "tools/list"));
  expect((await hub.asked("tools/list")).headers).toMatchObject({ "mcp-session-id": "session-2" });
});

test("requests of the hub go to the client unchanged, even with equal ids, and its answers go back", async () => {
  const { hub, client, stream } = await beginWithStream();
  const question = (text: string) => request(0, "elicitation/create", { message: text });
  client.send(request(1, "tools/call", { name: "asks" }));
  const call = (await hub.asked("tools/call")).stream();
  call.send(question("one"));
  await client.told("elicitation/create");
  stream.send(question("two"));
  await client.said(({ params }) => (params as JsonObject | undefined)?.["message"] === "two");
  const [yes, no] = [answerTo(0, { action: "accept" }), answerTo(0, { action: "decline" })];
  client.send(yes, no, answerTo(0, { action: "cancel" }), answerTo(8));
  await hub.asked("POST", 5);
  call.send(answerTo(1));
  call.end();
  await client.answer(1);
  const answers = hub.requests.filter(({ message }) => message["result"] !== undefined);
  expect(answers.map(({ message }) => message)).toEqual(expect.arrayContaining([yes, no]));
  expect(answers).toHaveLength(2);
  expect(client.notes()).toContain("a question that nobody asks any more");
});

test("an answer to a request that the hub has cancelled is dropped", async () => {
  const { hub, client, stream } = await beginWithStream();
  stream.send(request(0, "sampling/createMessage"));
  stream.send(notification("notifications/cancelled", { requestId: 0 }));
  await client.told("notifications/cancelled");
  client.send(answerTo(0), request(1, "tools/list"));
  (await hub.asked("tools/list")).result({});
  await client.answer(1);
  expect(hub.requests.filter(({ message }) => message["result"] !== undefined)).toEqual([]);
});

test("a session that the hub does not know is replayed without the client noticing", async () => {
  const { hub, client, stream } = await beginWithStream();
  for (const [id, method, params] of [
    [1, "logging/setLevel", { level: "info" }],
    [2, "resources/subscribe", { uri: "shop://cart" }],
    [3, "resources/subscribe", { uri: "shop://orders" }],
    [4, "resources/unsubscribe", { uri: "shop://orders" }],
  ] as const) {
    hub.on(method, (asked) => asked.result({}));
    client.send(request(id, method, params));
    await client.answer(id);
  }
  const seen = hub.requests.length;
  forgetSession(hub, "session-1");
  stream.cut();
  await client.told("notifications/resources/updated");
  await hub.asked("GET", 3);
  const [gone, begun, ...after] = hub.requests.slice(seen);
  expect([gone?.method, gone?.headers["mcp-session-id"]]).toEqual(["GET", "session-1"]);
  expect(begun?.message).toEqual({ ...initialize("pagewire-initialize") });
  expect(begun?.headers).not.toHaveProperty("mcp-session-id");
  expect(after.map(({ method, message }) => [message["method"] ?? method, message["params"]])).toEqual([
    ["notifications/initialized", {}],
    ["logging/setLevel", { level: "info" }],
    ["resources/subscribe", { uri: "shop://cart" }],
    ["GET", undefined],
  ]);
  for (const { headers } of after) expect(headers).toMatchObject({ "mcp-session-id": "session-2" });
  expect(client.messages.slice(5)).toEqual([
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    { jsonrpc: "2.0", method: "notifications/resources/list_changed" },
    { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "shop://cart" } },
  ]);
});

test("a request in a lost session is repeated in the new one", async () => {
  const { hub, client } = await begin();
  forgetSession(hub, "session-1");
  client.send(request(1, "tools/list"), request(2, "tools/list"));
  expect(await client.answer(1)).toEqual(answerTo(1, { tools: [] }));
  expect(await client.answer(2)).toEqual(answerTo(2, { tools: [] }));
  expect(hub.requests.filter(({ message }) => message["method"] === "initialize")).toHaveLength(2);
});

test("a refused replay is an error for waiting requests, and is tried again", async () => {
  const { hub, client } = await begin();
  forgetSession(hub, "session-1");
  const refusal = { error: { code: "tab-not-found", message: "There is no tab." } };
  hub.on("initialize", (asked) => asked.status(404, JSON.stringify(refusal)));
  client.send(request(1, "tools/list"));
  expect(await client.answer(1)).toMatchObject({ error: { data: { "pagewire/code": "tab-not-found" } } });
  hub.on("initialize", (asked) => asked.result(initializeResult, { "mcp-session-id": "session-2" }));
  await client.told("notifications/tools/list_changed");
  client.send(request(2, "tools/list"));
  expect(await client.answer(2)).toMatchObject({ result: {} });
});

test("requests of a lost session are cancelled at the client", async () => {
  const { hub, client, stream } = await beginWithStream();
  stream.send(request(0, "elicitation/create"));
  await client.told("elicitation/create");
  forgetSession(hub, "session-1");
  stream.cut();
  expect(await client.told("notifications/cancelled")).toMatchObject({ params: { requestId: 0 } });
  client.send(answerTo(0), request(1, "tools/list"));
  await client.answer(1);
  expect(hub.requests.filter(({ message }) => message["result"] !== undefined)).toEqual([]);
});

test("an answer whose stream ended early is resumed", async () => {
  const { hub, client } = await begin();
  client.send(request(1, "tools/call", { name: "long" }));
  const first = (await hub.asked("tools/call")).stream();
  first.raw("id: e0\nretry: 10\ndata:\n\n");
  first.send(notification("notifications/progress", { progress: 1 }), "e1");
  await client.told("notifications/progress");
  hub.on("GET", () => {});
  first.end();
  const resumed = await hub.asked("GET");
  expect(resumed.headers).toMatchObject({ "last-event-id": "e1", "mcp-session-id": "session-1" });
  const second = resumed.stream();
  second.send(answerTo(1, { content: [] }), "e2");
  second.end();
  expect(await client.answer(1)).toEqual(answerTo(1, { content: [] }));
});

test("an answer that the hub no longer has is an unknown outcome", async () => {
  const { hub, client } = await begin();
  client.send(request(1, "tools/call", { name: "long" }));
  const first = (await hub.asked("tools/call")).stream();
  first.raw("id: e0\nretry: 10\ndata:\n\n");
  hub.on("GET", (asked) => asked.status(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Old."}}'));
  first.end();
  expect(await client.answer(1)).toMatchObject({ error: { data: { "pagewire/code": "outcome-unknown" } } });
});

test("a notification stream that ended before its first event may have missed changes, and the client gets them", async () => {
  const { hub, client, stream } = await beginWithStream();
  stream.end();
  const again = await hub.asked("GET", 2);
  expect(again.headers).not.toHaveProperty("last-event-id");
  again.stream();
  expect(await client.told("notifications/tools/list_changed")).toBeDefined();
});

test("the notification stream resumes after its last event; if it cannot, the client gets change notifications", async () => {
  const { hub, client, stream } = await beginWithStream();
  stream.send(notification("notifications/message", { data: 1 }), "e1");
  await client.told("notifications/message");
  stream.end();
  const again = await hub.asked("GET", 2);
  expect(again.headers).toMatchObject({ "last-event-id": "e1" });
  again.status(400);
  const reopened = await hub.asked("GET", 3);
  expect(reopened.headers).not.toHaveProperty("last-event-id");
  reopened.stream();
  expect(await client.told("notifications/tools/list_changed")).toBeDefined();
});

test("a client that disconnects ends its session at the hub, and all pending requests", async () => {
  const { hub, client, stream } = await beginWithStream();
  client.send(request(1, "tools/call", { name: "slow" }));
  const call = await hub.asked("tools/call");
  expect(await client.end()).toBe("all-read");
  expect((await hub.asked("DELETE")).headers).toMatchObject({ "mcp-session-id": "session-1" });
  await call.closed;
  stream.end();
  expect(client.messages.filter(({ id }) => id === 1)).toEqual([]);
});

import { inspect } from "node:util";
import { expect, test } from "vitest";
import { bind, isWcBindable } from "../index.ts";
import { codeOf, createClient, createSyncedClient, idOf } from "./client.test-helper.ts";
import { record } from "./remote.test-helper.ts";
import type { RemoteError } from "./remote-error.ts";

test("a client asks for the values first, and then sends set, set with an id, and cmd as the protocol has them", async () => {
  const { server, proxy } = createClient();
  expect(server.take()).toEqual([{ type: "sync", pagewire: { client: expect.any(String), heartbeat: 15_000 } }]);
  server.give({ type: "sync", values: {}, capabilities: { setAck: true } });
  proxy.set("url", "/a");
  const acknowledged = proxy.setWithAck("url", { deep: [1, null] });
  const returned = proxy.invoke("fetch", "x", { y: 1 }, undefined);
  const [set, withId, command] = server.take();
  expect(set).toEqual({ type: "set", name: "url", value: "/a" });
  expect(withId).toEqual({ type: "set", name: "url", value: { deep: [1, null] }, id: expect.any(String) });
  expect(command).toEqual({ type: "cmd", name: "fetch", id: expect.any(String), args: ["x", { y: 1 }] });
  expect(idOf(withId)).not.toBe(idOf(command));
  server.give({ type: "return", id: idOf(command), value: { ok: true } });
  server.give({ type: "return", id: idOf(withId), value: "passed over" });
  expect([await acknowledged, await returned]).toEqual([undefined, { ok: true }]);
});

test("a command returns null for null and undefined for nothing, and throws what the core threw", async () => {
  const { server, proxy } = createSyncedClient();
  const outcomes = [proxy.invoke("fetch"), proxy.invoke("fetch"), proxy.invoke("fetch")];
  const [one, two, three] = server.take().map(idOf);
  server.give({ type: "return", id: one, value: null });
  server.give({ type: "return", id: two });
  const thrown = { name: "RangeError", message: "Too far.", code: "FAR", stack: "at server", cause: { a: 1 } };
  server.give({ type: "throw", id: three, error: thrown });
  expect([await outcomes[0], await outcomes[1]]).toEqual([null, undefined]);
  const error = await outcomes[2]?.catch((caught: unknown) => caught as RemoteError);
  expect(error).toMatchObject({ name: "RangeError", message: "Too far.", code: "FAR", cause: thrown });
  expect(error).toBeInstanceOf(Error);
});

test("properties have the last received values, and observers get each, without the server's getters", () => {
  const { server, proxy } = createClient();
  const updates = record(proxy);
  expect([isWcBindable(proxy), "value" in proxy, proxy.value, updates]).toEqual([true, false, undefined, []]);
  server.give({ type: "sync", values: { value: { a: 1 }, extra: 1 }, capabilities: { setAck: true } });
  expect(["value" in proxy, "other" in proxy, proxy.value, updates.splice(0)]).toEqual([
    true,
    false,
    { a: 1 },
    [["value", { a: 1 }]],
  ]);
  server.give({ type: "update", name: "other", value: 2 });
  server.give({ type: "update", name: "other", value: 2 });
  expect([proxy.other, "other" in proxy, updates]).toEqual([
    2,
    true,
    [
      ["other", 2],
      ["other", 2],
    ],
  ]);
  expect(record(proxy)).toEqual([
    ["value", { a: 1 }],
    ["other", 2],
  ]);
});

test("a property that is undefined at the core is undefined here, never null", () => {
  const { server, proxy } = createClient();
  const updates = record(proxy);
  server.give({
    type: "sync",
    values: { other: null },
    undefinedProperties: ["value"],
    capabilities: { undefinedProperties: true },
  });
  server.give({ type: "update", name: "other" });
  server.give({ type: "update", name: "value", value: null });
  expect([updates, proxy.other, "other" in proxy]).toEqual([
    [
      ["other", null],
      ["value", undefined],
      ["other", undefined],
      ["value", null],
    ],
    undefined,
    true,
  ]);
});

test("assigning to a declared input sets it; other properties of the core, and unknown ones, are refused", () => {
  const { server, proxy } = createSyncedClient();
  const assigned = proxy as unknown as Record<string, unknown>;
  assigned["url"] = "/b";
  expect(server.take()).toEqual([{ type: "set", name: "url", value: "/b" }]);
  for (const name of ["other", "ulr", "_values"]) {
    expect(() => {
      assigned[name] = 1;
    }).toThrow(expect.objectContaining({ code: "WC_BINDABLE_UNDECLARED_INPUT" }));
  }
  expect(["ulr" in proxy, server.sent]).toEqual([false, []]);
  const mark = Symbol("mark");
  Object.assign(proxy, { [mark]: 1 });
  expect(mark in proxy).toBe(true);
});

test("invokeWithOptions takes its options last, or first as in older versions", async () => {
  const { server, proxy } = createSyncedClient();
  for (const call of [
    () => proxy.invokeWithOptions("fetch", ["a", "b"], { signal: AbortSignal.abort() }),
    () => proxy.invokeWithOptions("fetch", { signal: AbortSignal.abort() }, "a", "b"),
  ]) {
    expect(await codeOf(call())).toBe("WC_BINDABLE_ABORTED");
  }
  void proxy.invokeWithOptions("fetch", ["a", "b"], { timeoutMs: 0 });
  void proxy.invokeWithOptions("fetch", ["a", "b"]);
  void proxy.invokeWithOptions("fetch", { timeoutMs: 0 }, "a", "b");
  void proxy.invokeWithOptions("fetch", undefined, "a", "b");
  expect(server.take().map((message) => "args" in message && message.args)).toEqual(Array(4).fill(["a", "b"]));
});

test("calls before the first answer wait for it and are sent in their order; one that fails keeps no other back", async () => {
  const { server, proxy } = createClient();
  server.take();
  proxy.set("url", "/a");
  const refused = codeOf(proxy.setWithAck("url", "/b"));
  const returned = proxy.invoke("fetch");
  proxy.set("url", "/c");
  expect(server.sent).toEqual([]);
  server.give({ type: "sync", values: {} });
  const sent = server.take();
  expect(sent.map((message) => ("value" in message ? message.value : message.type))).toEqual(["/a", "cmd", "/c"]);
  server.give({ type: "return", id: idOf(sent[1]) });
  expect([await refused, await returned]).toEqual(["WC_BINDABLE_SET_ACK_UNSUPPORTED", undefined]);
});

test("the number of waiting calls and the number of unanswered calls are limited", async () => {
  const { server, proxy } = createClient({ maxPreSyncQueue: 1, maxPendingInvocations: 1 });
  const first = proxy.invoke("fetch");
  expect(await codeOf(proxy.invoke("fetch"))).toBe("WC_BINDABLE_PRE_SYNC_QUEUE_FULL");
  expect(() => proxy.set("url", "")).toThrow("maxPreSyncQueue");
  server.give({ type: "sync", values: {} });
  expect(await codeOf(proxy.invoke("fetch"))).toBe("PAGEWIRE_TOO_MANY_CALLS");
  server.give({ type: "return", id: idOf(server.sent.at(-1)), value: 1 });
  expect(await first).toBe(1);
});

test("an eager client does not let set and invoke wait, and sends nothing twice", () => {
  const { server, proxy } = createClient({ preSyncBehavior: "eager" });
  server.take();
  void proxy.setWithAck("url", "/a");
  proxy.set("url", "/b");
  void proxy.invoke("fetch");
  expect(server.take().map(({ type }) => type as string)).toEqual(["set", "cmd"]);
  server.give({ type: "sync", values: {}, capabilities: { setAck: true } });
  expect(server.take()).toMatchObject([{ type: "set", value: "/a" }]);
});

test("with a server that acknowledges no assignments only setWithAck is refused, and never sent", async () => {
  const { server, proxy } = createClient();
  server.give({ type: "sync", values: { value: 1 } });
  server.take();
  expect(await codeOf(proxy.setWithAck("url", "/a"))).toBe("WC_BINDABLE_SET_ACK_UNSUPPORTED");
  proxy.set("url", "/b");
  void proxy.invoke("fetch");
  expect(server.take()).toMatchObject([{ type: "set", value: "/b" }, { type: "cmd" }]);
});

test("malformed, unknown and late messages are dropped with a line in the log, and later messages count", async () => {
  const { server, proxy, logger } = createSyncedClient();
  const updates = record(proxy);
  updates.length = 0;
  const wrong: unknown[] = [
    null,
    "text",
    7,
    {},
    { type: "other" },
    { type: "update" },
    { type: "update", name: 7, value: 1 },
    { type: "update", name: "value", value: 1n },
    { type: "update", name: "unknown", value: 1 },
    { type: "return", id: "nobody's", value: 1 },
    { type: "throw" },
    { type: "sync", values: { value: "late" } },
  ];
  for (const message of wrong) {
    server.give(message);
    expect(logger.lines.splice(0), inspect(message)).toHaveLength(1);
  }
  expect(updates).toEqual([]);
  server.give({ type: "update", name: "value", value: "heard" });
  expect([proxy.value, updates, server.disposed]).toEqual(["heard", [["value", "heard"]], 0]);
});

test("a malformed answer ends its call with WC_BINDABLE_PROTOCOL_ERROR, and only that", async () => {
  const { server, proxy, logger } = createSyncedClient();
  for (const answer of [{ type: "throw" }, { type: "throw", error: () => {} }, { type: "return", value: 1n }]) {
    const code = codeOf(proxy.invoke("fetch"));
    server.give({ ...answer, id: idOf(server.take()[0]) });
    expect(await code).toBe("WC_BINDABLE_PROTOCOL_ERROR");
  }
  expect(logger.lines).toEqual([]);
  const returned = proxy.invoke("fetch");
  server.give({ type: "return", id: idOf(server.take()[0]), value: "fine" });
  expect(await returned).toBe("fine");
});

test("a call rejects with the value that the server threw, even if it is no error", async () => {
  const { server, proxy } = createSyncedClient();
  for (const error of [{ status: 429 }, { name: 1, message: "x" }, "text", null]) {
    const call = proxy.invoke("fetch");
    server.give({ type: "throw", id: idOf(server.take()[0]), error });
    await expect(call).rejects.toEqual(error);
  }
});

test("a malformed first answer ends the connection, and every call that waits for it", async () => {
  for (const wrong of [
    {},
    { values: [] },
    { values: {}, undefinedProperties: "value" },
    { values: {}, getterFailures: [1] },
    { values: {}, capabilities: 1 },
    { values: { value: 1n } },
    { values: {}, declarationFingerprint: { protocol: "wc-bindable-2" } },
  ]) {
    const { server, proxy } = createClient();
    const codes: unknown[] = [];
    const calls = [proxy.setWithAck("url", 1), proxy.invoke("fetch")].map((call) => codeOf(call));
    void calls.map(async (call, at) => codes.push([at, await call]));
    server.give({ type: "sync", ...wrong });
    await Promise.all(calls);
    expect([codes, server.disposed]).toEqual([
      [
        [0, "WC_BINDABLE_PROTOCOL_ERROR"],
        [1, "WC_BINDABLE_PROTOCOL_ERROR"],
      ],
      1,
    ]);
    expect(await codeOf(proxy.invoke("fetch"))).toBe("WC_BINDABLE_TERMINAL_FAILURE");
  }
});

test("a call that an observer makes during the first values is answered after them", () => {
  const { server, proxy } = createClient();
  server.take();
  bind(proxy, () => proxy.set("url", "/again"));
  server.give({ type: "sync", values: { value: 1 }, capabilities: { setAck: true } });
  expect(server.take()).toEqual([{ type: "set", name: "url", value: "/again" }]);
});

import { expect, test, vi } from "vitest";
import { codeOf, createClient, createSyncedClient, declaration, idOf } from "./client.test-helper.ts";
import { createHandServer } from "./fake-sockets.test-helper.ts";
import { createRemoteCoreProxy } from "./remote-core-proxy.ts";
import { record } from "./remote.test-helper.ts";

test("a call that is not answered in time, or whose caller aborts it, ends at once, and a late answer is passed over", async () => {
  const { server, proxy, clock, logger } = createSyncedClient();
  const late = codeOf(proxy.invoke("fetch"));
  const soon = codeOf(proxy.setWithAckOptions("url", 1, { timeoutMs: 5 }));
  const never = vi.fn<() => void>();
  void proxy.invokeWithOptions("fetch", [], { timeoutMs: 0 }).finally(never);
  const controller = new AbortController();
  const aborted = proxy.invokeWithOptions("fetch", [], { signal: controller.signal });
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toMatchObject({ name: "AbortError", code: "WC_BINDABLE_ABORTED" });
  await clock.advance(5);
  expect(await soon).toBe("WC_BINDABLE_TIMEOUT");
  await clock.advance(29_995);
  expect([await late, never.mock.calls]).toEqual(["WC_BINDABLE_TIMEOUT", []]);
  server.give({ type: "return", id: idOf(server.sent[0]), value: "late" });
  expect(logger.lines).toHaveLength(1);
  expect(server.sent.map(({ type }) => type as string)).not.toContain("cancel");
});

test("a call with impossible options, or that was aborted before, is refused and not sent", async () => {
  const { server, proxy } = createSyncedClient();
  for (const timeoutMs of [-1, NaN, Infinity, "5"]) {
    const refused = proxy.invokeWithOptions("fetch", [], { timeoutMs: timeoutMs as number });
    await expect(refused).rejects.toMatchObject({ name: "RangeError", code: "WC_BINDABLE_INVALID_ACK_OPTIONS" });
  }
  expect(await codeOf(proxy.invokeWithOptions("fetch", [], { signal: AbortSignal.abort() }))).toBe(
    "WC_BINDABLE_ABORTED",
  );
  expect(await codeOf(proxy.invoke("steal"))).toBe("WC_BINDABLE_UNDECLARED_COMMAND");
  expect(await codeOf(proxy.setWithAck("other", 1))).toBe("WC_BINDABLE_UNDECLARED_INPUT");
  expect(() => proxy.set("other", 1)).toThrow('"other"');
  expect(server.sent).toEqual([]);
});

test("dispose ends every call in its order, and all that come after it; it can be called twice", async () => {
  const { server, proxy, logger } = createSyncedClient();
  const ended: number[] = [];
  const codes = [proxy.setWithAck("url", 1), proxy.invoke("fetch")].map(async (call, at) => {
    const code = await codeOf(call);
    ended.push(at);
    return code;
  });
  const [first] = server.take();
  proxy.dispose();
  proxy.dispose();
  server.give({ type: "return", id: idOf(first) });
  expect([await Promise.all(codes), ended, server.disposed]).toEqual([
    ["WC_BINDABLE_DISPOSED", "WC_BINDABLE_DISPOSED"],
    [0, 1],
    1,
  ]);
  expect(await codeOf(proxy.invoke("fetch"))).toBe("WC_BINDABLE_DISPOSED");
  expect(() => proxy.set("url", 1)).toThrow(expect.objectContaining({ code: "WC_BINDABLE_DISPOSED" }));
  expect(() => proxy.reconnect(createHandServer())).toThrow(expect.objectContaining({ code: "WC_BINDABLE_DISPOSED" }));
  expect([proxy.value, logger.lines]).toEqual([1, []]);
});

test("a lost connection ends its calls; after reconnect the values are kept, and nothing is sent again", async () => {
  const { server, proxy } = createSyncedClient();
  const updates = record(proxy);
  updates.length = 0;
  expect(() => proxy.reconnect(createHandServer())).toThrow("not lost");
  const lost = codeOf(proxy.invoke("fetch"));
  server.end();
  expect(await lost).toBe("WC_BINDABLE_TERMINAL_FAILURE");
  expect(() => proxy.set("url", 1)).toThrow(expect.objectContaining({ code: "WC_BINDABLE_TERMINAL_FAILURE" }));
  expect(["value" in proxy, proxy.value]).toEqual([true, 1]);

  const next = createHandServer();
  proxy.reconnect(next);
  expect(next.take()).toMatchObject([{ type: "sync" }]);
  server.give({ type: "update", name: "value", value: "from the old one" });
  next.give({ type: "sync", values: { other: 2 }, capabilities: { undefinedProperties: true } });
  const seen = [
    ["value", undefined],
    ["other", 2],
  ];
  expect([proxy.other, "value" in proxy, updates, next.sent]).toEqual([2, false, seen, []]);
});

test("a transport that fails to send is lost", async () => {
  const { server, proxy } = createSyncedClient();
  server.failing = true;
  expect(() => proxy.set("url", 1)).toThrow(expect.objectContaining({ code: "WC_BINDABLE_TERMINAL_FAILURE" }));
  expect(await codeOf(proxy.invoke("fetch"))).toBe("WC_BINDABLE_TERMINAL_FAILURE");
});

test("a property that the server could not read keeps its value until the next update", () => {
  const { server, proxy, logger } = createSyncedClient();
  const updates = record(proxy);
  updates.length = 0;
  server.end();
  const next = createHandServer();
  proxy.reconnect(next);
  const capabilities = { undefinedProperties: true, getterFailures: true };
  next.give({ type: "sync", values: {}, getterFailures: ["value"], capabilities });
  expect([proxy.value, updates, logger.lines.join()]).toEqual([1, [], expect.stringContaining('"value"') as string]);
  next.give({ type: "update", name: "value", value: 99 });
  expect([proxy.value, updates]).toEqual([99, [["value", 99]]]);
});

test("with an older server a property that is no longer sent becomes undefined", () => {
  const { server, proxy } = createSyncedClient();
  const updates = record(proxy);
  server.end();
  const next = createHandServer();
  proxy.reconnect(next);
  next.give({ type: "sync", values: {} });
  expect([proxy.value, updates.at(-1)]).toEqual([undefined, ["value", undefined]]);
});

test("a server with another declaration is accepted, and the log says what differs", () => {
  const { server, proxy, logger } = createClient();
  const fingerprint = { version: 1, properties: ["other", "value"], inputs: ["url", "value"], commands: ["abort"] };
  server.give({ type: "sync", values: { value: 1 }, declarationFingerprint: fingerprint });
  expect([proxy.value, logger.lines]).toEqual([1, [expect.stringContaining("commands")]]);
  const same = createClient();
  same.server.give({
    type: "sync",
    values: {},
    declarationFingerprint: { ...fingerprint, commands: ["abort", "fetch"], later: true },
  });
  expect(same.logger.lines).toEqual([]);
});

test("a value is sent as JSON makes it", () => {
  const { server, proxy } = createSyncedClient();
  class Point {
    readonly x = 1;
    get y(): number {
      return expect.unreachable();
    }
  }
  const holes: unknown[] = [1];
  holes[2] = 3;
  const values: unknown[] = [
    new Date(0),
    NaN,
    -Infinity,
    undefined,
    holes,
    [undefined, () => {}, Symbol("x")],
    { a: undefined, b: () => {}, c: Symbol("x"), [Symbol("meta")]: 1, at: [new Date(1)] },
    Object.create({ inherited: 1 }),
    Object.defineProperty({}, "hidden", { value: 1 }),
    new Map([[1, 2]]),
    new Point(),
    { toJSON: () => ({ by: "itself" }) },
    { list: [{ toJSON: (key: string) => key }] },
    JSON.parse('{"__proto__":1,"constructor":"x","a":[null,true,1.5,""]}'),
  ];
  for (const value of values) {
    proxy.set("url", value);
    void proxy.setWithAck("url", value);
    void proxy.invoke("fetch", value, 1);
    const id: unknown = expect.any(String);
    const sent = JSON.parse(JSON.stringify(server.take())) as unknown;
    const made = JSON.parse(JSON.stringify({ value, args: [value, 1] })) as { value?: unknown; args: unknown };
    const assigned = { type: "set", name: "url", ...("value" in made && { value: made.value }) };
    expect(sent).toEqual([assigned, { ...assigned, id }, { type: "cmd", name: "fetch", id, args: made.args }]);
  }
});

test("a value that JSON cannot hold, or that is too deep, is refused at the call", async () => {
  const { server, proxy } = createSyncedClient();
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  let deep: unknown = 1;
  for (let depth = 0; depth < 65; depth++) deep = [deep];
  for (const value of [1n, cyclic, deep, new Proxy({}, { ownKeys: () => expect.unreachable() })]) {
    expect(() => proxy.set("url", value)).toThrow();
    await expect(proxy.setWithAck("url", { a: [value] })).rejects.toBeInstanceOf(Error);
    await expect(proxy.invoke("fetch", value)).rejects.toBeInstanceOf(Error);
  }
  await expect(proxy.invoke("fetch", { list: [1, { at: 1n }] })).rejects.toMatchObject({
    code: "WC_BINDABLE_INVALID_JSON_VALUE",
    message: expect.stringContaining("$[0].list[1].at") as string,
  });
  expect(server.sent).toEqual([]);
});

test("a declaration with a reserved name, or none, makes no proxy and sends nothing", () => {
  for (const name of ["@wc-bindable/x", "__proto__", "constructor", "prototype"]) {
    for (const list of ["properties", "inputs", "commands"]) {
      const server = createHandServer();
      const reserved = { ...declaration, [list]: [{ name, event: "changed" }] };
      expect(() => createRemoteCoreProxy(reserved, server)).toThrow(
        expect.objectContaining({ code: "WC_BINDABLE_RESERVED_NAME" }),
      );
      expect(server.sent).toEqual([]);
    }
  }
  expect(() => createRemoteCoreProxy({ ...declaration, version: 2 as 1 }, createHandServer())).toThrow(TypeError);
});

test("a newer token is sent as the command auth:refresh, which the core need not declare", async () => {
  const { server, proxy } = createSyncedClient();
  const refreshed = proxy.refreshAuth("token-2");
  const [message] = server.take();
  expect(message).toEqual({ type: "cmd", name: "auth:refresh", id: expect.any(String), args: ["token-2"] });
  server.give({ type: "return", id: idOf(message) });
  await refreshed;
});

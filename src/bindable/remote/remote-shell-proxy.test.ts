import { expect, test } from "vitest";
import { ChatCore } from "./chat-core.test-helper.ts";
import { createHandClient, createLogger, settle } from "./fake-sockets.test-helper.ts";
import { RemoteShellProxy } from "./remote-shell-proxy.ts";
import type { RemoteShellProxyOptions } from "./remote-shell-proxy.ts";

function underTest<Core extends EventTarget = ChatCore>(
  core: Core = new ChatCore() as unknown as Core,
  options: RemoteShellProxyOptions = {},
) {
  const client = createHandClient();
  const logger = createLogger();
  const shell = new RemoteShellProxy(core, client, { logger, ...options });
  return { core, client, logger, shell };
}

const everything = {
  type: "sync",
  values: { content: "", messages: [], loading: false, error: null },
  capabilities: { setAck: true, undefinedProperties: true, getterFailures: true },
  declarationFingerprint: {
    protocol: "wc-bindable",
    version: 1,
    properties: ["content", "error", "loading", "messages"],
    inputs: ["messages", "provider"],
    commands: ["abort", "fail", "send"],
  },
};

test("a stock client gets the values when it asks, then changes in full, without Pagewire's extensions", async () => {
  const { core, client } = underTest();
  core.change("loading", true);
  expect(client.take()).toEqual([]);
  client.give({ type: "sync" });
  expect(client.take()).toEqual([{ ...everything, values: { ...everything.values, loading: true } }]);
  core.change("content", "It");
  core.change("loading", true);
  core.change("loading", true);
  expect(client.take()).toEqual([
    { type: "update", name: "content", value: "It" },
    { type: "update", name: "loading", value: true },
    { type: "update", name: "loading", value: true },
  ]);
  client.give({ type: "cmd", name: "send", id: "1", args: ["Hello"] });
  await settle();
  const updates = client.take();
  expect(updates.at(-1)).toEqual({ type: "return", id: "1", value: "It is 12 degrees in Tokyo." });
  expect(updates.at(-3)).toEqual({
    type: "update",
    name: "messages",
    value: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "It is 12 degrees in Tokyo." },
    ],
  });
});

test("properties that share an event are distinguished, and so are null and undefined", () => {
  class Fetcher extends EventTarget {
    static readonly wcBindable = {
      protocol: "wc-bindable",
      version: 1,
      properties: [
        { name: "value", event: "response", getter: (event: CustomEvent<{ value: unknown }>) => event.detail.value },
        { name: "status", event: "response", getter: (event: CustomEvent<{ status: number }>) => event.detail.status },
        { name: "missing", event: "other" },
      ],
    };
    value: unknown = undefined;
    status = 0;
  }
  const { core, client } = underTest(new Fetcher());
  client.give({ type: "sync" });
  expect(client.take()).toMatchObject([{ values: { status: 0 }, undefinedProperties: ["value"] }]);
  core.dispatchEvent(new CustomEvent("response", { detail: { value: null, status: 204 } }));
  core.dispatchEvent(new CustomEvent("response", { detail: { status: 500 } }));
  core.value = undefined;
  core.dispatchEvent(new CustomEvent("other", { detail: undefined }));
  expect(client.take()).toEqual([
    { type: "update", name: "value", value: null },
    { type: "update", name: "status", value: 204 },
    { type: "update", name: "value" },
    { type: "update", name: "status", value: 500 },
    { type: "update", name: "missing", value: null },
  ]);
});

test("an assignment is acknowledged after it was made, and a failed one returns its error", async () => {
  const { core, client, logger } = underTest();
  client.give({ type: "set", name: "provider", value: "openai", id: "1" });
  expect(core.provider).toBe("openai");
  client.give({ type: "set", name: "provider", value: "", id: "2" });
  client.give({ type: "set", name: "provider", value: "azure" });
  expect(core.provider).toBe("azure");
  client.give({ type: "set", name: "provider", value: "" });
  await settle();
  expect(client.take()).toEqual([
    { type: "return", id: "1" },
    {
      type: "throw",
      id: "2",
      error: { name: "RangeError", message: "A provider has a name.", code: "WC_BINDABLE_REMOTE_THROW" },
    },
  ]);
  expect(logger.lines).toEqual([expect.stringContaining("A provider has a name.")]);
});

test("undeclared names, reserved names and values that are no JSON are refused with their code before they reach the core", async () => {
  const { core, client, logger } = underTest();
  const touched: PropertyKey[] = [];
  for (const name of ["change", "sends", "content"] as const) {
    const value: unknown = core[name];
    const get = () => (touched.push(name), value);
    Object.defineProperty(core, name, { get });
  }
  const requests = [
    [{ type: "set", name: "content", value: "x", id: "1" }, "UNDECLARED_INPUT"],
    [{ type: "cmd", name: "change", args: [], id: "2" }, "UNDECLARED_COMMAND"],
    [{ type: "cmd", name: "dispatchEvent", args: [], id: "3" }, "UNDECLARED_COMMAND"],
    [{ type: "set", name: "__proto__", value: {}, id: "4" }, "RESERVED_NAME"],
    [{ type: "cmd", name: "constructor", args: [], id: "5" }, "RESERVED_NAME"],
    [{ type: "cmd", name: "@wc-bindable/x", args: [], id: "6" }, "RESERVED_NAME"],
    [{ type: "set", name: "provider", value: 1n, id: "7" }, "INVALID_JSON_VALUE"],
    [{ type: "cmd", name: "send", args: [1n], id: "8" }, "INVALID_JSON_VALUE"],
    [{ type: "cmd", name: "send", args: "all", id: "9" }, "PROTOCOL_ERROR"],
    [{ type: "cmd", args: [], id: "10" }, "PROTOCOL_ERROR"],
    [{ type: "set", name: 7, value: 1, id: "11" }, "PROTOCOL_ERROR"],
  ] as const;
  for (const [request, code] of requests) {
    client.give(request);
    await settle();
    expect(client.take()).toMatchObject([{ type: "throw", id: request.id, error: { code: `WC_BINDABLE_${code}` } }]);
  }
  expect([touched, logger.lines]).toEqual([[], []]);
});

test("a message that cannot be answered is dropped with a line in the log", async () => {
  const { core, client, logger } = underTest();
  const hostile = new Proxy({}, { get: () => expect.unreachable() });
  const wrong: unknown[] = [
    null,
    "sync",
    7,
    [],
    {},
    { type: "other" },
    { type: "set" },
    { type: "set", name: "content", value: 1 },
    { type: "set", name: "provider", value: "x", id: "" },
    { type: "set", name: "provider", value: "x", id: 7 },
    { type: "cmd", name: "send", args: [] },
    { type: "cmd", name: "send", args: [], id: "" },
    { type: "cmd", name: "send", args: [], id: null },
    { type: "cancel" },
    { type: "got", ids: "all" },
    hostile,
  ];
  for (const message of wrong) client.give(message);
  await settle();
  expect([client.sent, core.provider, core.sends, logger.lines.length]).toEqual([[], "", 0, wrong.length]);
});

test("an id that is not answered yet is not taken for another call, and the first is answered as ever", async () => {
  const { core, client, logger } = underTest();
  client.give({ type: "cmd", name: "send", id: "1", args: ["a"] });
  client.give({ type: "cmd", name: "send", id: "1", args: ["b"] });
  client.give({ type: "set", name: "provider", id: "1", value: "b" });
  await settle();
  expect([core.sends, core.provider, client.sent.length, logger.lines.length]).toEqual([1, "", 1, 2]);
  client.give({ type: "set", name: "provider", id: "1", value: "c" });
  await settle();
  expect([core.provider, client.sent.length]).toEqual(["c", 2]);
});

test("an error crosses as its name, message, code and causes, without a stack", async () => {
  class Failing extends EventTarget {
    static readonly wcBindable = {
      protocol: "wc-bindable",
      version: 1,
      properties: [],
      commands: [{ name: "run" }],
    };
    thrown: unknown;
    run(): never {
      throw this.thrown;
    }
  }
  const { core, client } = underTest(new Failing());
  const get = () => {
    throw new Error("hostile");
  };
  const hostile = Object.defineProperties(new Error("x"), { name: { get }, code: { get } });
  const ring = new Error("Round.");
  ring.cause = ring;
  const inner = { name: "RangeError", message: "inside", code: "FAR", cause: { status: 503 } };
  const far = Object.assign(new RangeError("inside", { cause: { status: 503 } }), { code: "FAR" });
  const cases: [unknown, object][] = [
    [new TypeError("No.", { cause: far }), { name: "TypeError", message: "No.", cause: inner }],
    [new Error("No.", { cause: "text" }), { message: "No.", cause: "text" }],
    [new Error("No.", { cause: 1n }), { message: "No." }],
    [ring, { message: "Round.", cause: { message: "Round." } }],
    [Object.assign(new Error("No."), { code: "EACCES" }), { name: "Error", message: "No.", code: "EACCES" }],
    ["text", { name: "NonErrorThrow", message: "text" }],
    [{ at: 1n, secret: 1 }, { name: "NonErrorThrow" }],
    [null, { name: "NonErrorThrow" }],
    [[1], { name: "NonErrorThrow" }],
    [hostile, { name: "Error" }],
  ];
  for (const [thrown, error] of cases) {
    core.thrown = thrown;
    client.give({ type: "cmd", name: "run", id: "1", args: [] });
    await settle();
    const [answer] = client.take();
    expect(answer).toMatchObject({ type: "throw", id: "1", error });
    const fields = Object.keys((answer as { error: object }).error).filter((field) => field !== "cause");
    expect(fields.sort()).toEqual(["code", "message", "name"]);
    expect(JSON.stringify(answer)).not.toMatch(/secret|\.test\.ts/);
  }
});

test("a property that is an error crosses as its name, message and code", () => {
  const { core, client } = underTest();
  core.error = new RangeError("Too far.", { cause: new Error("inside") });
  client.give({ type: "sync" });
  core.change("error", Object.assign(new Error("No."), { code: "EACCES" }));
  core.change("error", { status: 429, retryAfter: 3 });
  expect(client.take()).toMatchObject([
    { values: { error: { name: "RangeError", message: "Too far." } } },
    { value: { name: "Error", message: "No.", code: "EACCES" } },
    { value: { status: 429, retryAfter: 3 } },
  ]);
});

test("a value or result that JSON does not carry is not sent, and the log or the caller's error says why", async () => {
  class Odd extends ChatCore {
    static override readonly wcBindable = { ...ChatCore.wcBindable, commands: [{ name: "read" }, { name: "none" }] };
    read(): unknown {
      return { at: 1n };
    }
    none(): unknown {
      return null;
    }
  }
  const { core, client, logger } = underTest(new Odd());
  client.give({ type: "sync" });
  client.take();
  core.change("content", 1n);
  expect([client.take(), logger.lines.join()]).toEqual([[], expect.stringContaining('"content"')]);
  core.change("content", "again");
  client.give({ type: "cmd", name: "read", id: "1", args: [] });
  client.give({ type: "cmd", name: "none", id: "2", args: [] });
  await settle();
  expect(client.take()).toMatchObject([
    { type: "update", value: "again" },
    { type: "throw", id: "1", error: { code: "WC_BINDABLE_INVALID_RETURN_VALUE" } },
    { type: "return", id: "2", value: null },
  ]);
});

test("a property or getter that throws is left out, named in getterFailures and the log, and sent once it works again", () => {
  class Moody extends EventTarget {
    static readonly wcBindable = {
      protocol: "wc-bindable",
      version: 1,
      properties: [
        { name: "calm", event: "calm" },
        {
          name: "mood",
          event: "mood",
          getter({ detail }: CustomEvent<string>) {
            if (detail === "bad") throw new Error("no mood");
            return detail;
          },
        },
      ],
    };
    calm = 1;
    get mood(): string {
      throw new Error("no mood");
    }
  }
  const { core, client, logger } = underTest(new Moody());
  client.give({ type: "sync" });
  expect(client.take()).toMatchObject([{ values: { calm: 1 }, getterFailures: ["mood"] }]);
  core.dispatchEvent(new CustomEvent("mood", { detail: "bad" }));
  core.dispatchEvent(new CustomEvent("mood", { detail: "good" }));
  expect(client.take()).toEqual([{ type: "update", name: "mood", value: "good" }]);
  expect(logger.lines.filter((line) => line.includes('"mood"'))).toHaveLength(2);
});

test("changes during the reading of the first values are sent after them, up to maxSyncUpdateBuffer", () => {
  class Chatty extends ChatCore {
    override get provider(): string {
      return super.provider;
    }
  }
  const core = new Chatty();
  let content = "";
  Object.defineProperty(core, "content", {
    get() {
      if (content === "") for (const loading of [true, false, true]) core.change("loading", loading);
      return (content = "said");
    },
  });
  const { client, logger } = underTest(core, { maxSyncUpdateBuffer: 2 });
  client.give({ type: "sync" });
  expect(client.take()).toMatchObject([
    { type: "sync", values: { content: "said", loading: true } },
    { type: "update", name: "loading", value: true },
    { type: "update", name: "loading", value: true },
  ]);
  expect(logger.lines.join()).toContain("maxSyncUpdateBuffer");
});

test("the shell releases the core with its transport or when it is disposed, and leaves the socket to its owner", async () => {
  for (const how of ["end", "dispose"] as const) {
    const { core, client, shell } = underTest();
    client.give({ type: "sync" });
    client.give({ type: "cmd", name: "send", id: "1", args: ["x"] });
    client.take();
    if (how === "end") client.end();
    else shell.dispose();
    shell.dispose();
    core.change("content", "unheard");
    client.give({ type: "set", name: "provider", value: "late" });
    await settle();
    expect([client.sent, core.provider, client.disposed, client.closedWith]).toEqual([[], "", 1, undefined]);
  }
});

test("a transport that fails does not harm the core", () => {
  const { core, client, logger } = underTest();
  client.give({ type: "sync" });
  client.failing = true;
  core.change("content", "x");
  expect(logger.lines).toHaveLength(1);
});

test("a core without a sound declaration, or with a reserved name, is not shown", () => {
  expect(() => underTest(new EventTarget())).toThrow("wcBindable");
  const reserved = { ...ChatCore.wcBindable, commands: [{ name: "prototype" }] };
  expect(() => underTest(new ChatCore(), { declaration: reserved })).toThrow(
    expect.objectContaining({ code: "WC_BINDABLE_RESERVED_NAME" }),
  );
});

test("a shell may show stock clients less than those of Pagewire", async () => {
  const plainDeclaration = {
    ...ChatCore.wcBindable,
    properties: ChatCore.wcBindable.properties.slice(0, 1),
    commands: [{ name: "abort" }],
  };
  const core = new ChatCore();
  const stock = underTest(core, { plainDeclaration });
  stock.client.give({ type: "sync" });
  core.change("loading", true);
  stock.client.give({ type: "cmd", name: "fail", id: "1", args: [] });
  await settle();
  expect(stock.client.take()).toMatchObject([
    { values: { content: "" }, declarationFingerprint: { properties: ["content"], commands: ["abort"] } },
    { type: "throw", error: { code: "WC_BINDABLE_UNDECLARED_COMMAND" } },
  ]);
  const ours = underTest(core, { plainDeclaration });
  ours.client.give({ type: "sync", pagewire: { client: "c" } });
  expect(ours.client.take()).toMatchObject([{ values: { content: "", loading: true } }]);
});

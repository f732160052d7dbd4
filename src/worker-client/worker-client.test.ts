import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CallOutcome } from "../toolbox/index.ts";
import { createFakeBrowser, createFakePages } from "./fake-page.test-helper.ts";
import type { FakeBrowser, FakePages } from "./fake-page.test-helper.ts";
import { WorkerClient } from "./worker-client.ts";

let pages: FakePages;
let browser: FakeBrowser;
let client: WorkerClient;

beforeEach(() => {
  vi.stubGlobal("location", { hostname: "shop.example", href: "https://shop.example/tea" });
  vi.stubGlobal("document", { title: "Tea", hasFocus: () => true });
  pages = createFakePages();
  browser = createFakeBrowser();
  client = newClient();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const newClient = () => new WorkerClient(pages.connect, browser.offer);
const onError = expect.any(Function) as () => void;
const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const connected = { status: "connected", message: "Connected.", tabId: "t1", via: { kind: "shared-worker" } } as const;
const lost = { status: "reconnecting", message: "Lost.", retryAt: 1 } as const;
const resultOf = (outcome: CallOutcome) => (outcome.kind === "result" ? JSON.parse(outcome.payload) : outcome);
const names = () => pages.page.toolbox.list().map(({ name }) => name);

test("init makes one page, however often it is called", async () => {
  const waiting = client.waitForInit();
  expect(client.initialized).toBe(false);
  await Promise.all([client.init(), client.init({ app: "other" }), waiting]);
  await client.init();
  await client.waitForInit();
  expect([client.initialized, pages.options.length]).toEqual([true, 1]);
});

test("an init that failed rejects with the reason, and can be repeated", async () => {
  pages.problem = new Error("not today");
  await expect(Promise.all([client.init(), client.init()])).rejects.toThrow("not today");
  expect(client.initialized).toBe(false);
  pages.problem = undefined;
  await client.init();
  expect(client.initialized).toBe(true);
});

test("without options it takes the workers at their usual addresses, this computer's hub, and the host's name", async () => {
  await client.init();
  expect(pages.options).toEqual([
    { app: "shop.example", worker: "/pagewire-worker.js", serviceWorker: "/pagewire-service-worker.js", onError },
  ]);
});

test.each([
  ["ws://localhost:3001", "http://localhost:3001"],
  ["wss://hub.example/", "https://hub.example/"],
  ["http://127.0.0.1:7337", "http://127.0.0.1:7337"],
  ["https://hub.example", "https://hub.example"],
])("a hub may be named as %s", async (backendWsUrl, hub) => {
  await client.init({ app: "tea", sharedWorkerUrl: "/w.js", serviceWorkerUrl: "/s.js", backendWsUrl });
  expect(pages.options).toEqual([{ app: "tea", worker: "/w.js", serviceWorker: "/s.js", hub, onError }]);
});

test.each([
  "",
  "localhost:3001",
  "ftp://hub.example",
  "ws://hub.example/path",
  "ws://user@hub.example",
  "ws://hub?t=1",
])('"%s" is no address of a hub', async (backendWsUrl) => {
  await expect(client.init({ backendWsUrl })).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining("backendWsUrl") as string,
  });
  expect(pages.options).toEqual([]);
});

test("with a registration, the page gets its ServiceWorker and no other worker", async () => {
  const worker = (scriptURL: string) => ({ scriptURL }) as ServiceWorker;
  const registration = { scope: "https://shop.example/", active: null, waiting: null, installing: worker("/own.js") };
  await client.init(registration as unknown as ServiceWorkerRegistration, { backendWsUrl: "wss://hub.example" });
  expect(pages.options).toEqual([
    { app: "shop.example", worker: false, serviceWorker: "/own.js", hub: "https://hub.example", onError },
  ]);
});

test("a registration without a ServiceWorker is refused", async () => {
  const registration = { scope: "https://shop.example/", active: null, waiting: null, installing: null };
  await expect(client.init(registration as unknown as ServiceWorkerRegistration)).rejects.toMatchObject({
    code: "options-invalid",
  });
});

test("tools registered before, during and after init are offered, with their whole definitions", async () => {
  const options = {
    title: "Get",
    outputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    icons: [{ src: "https://shop.example/icon.png" }],
    _meta: { "shop/one": 1 },
  } as const;
  await client.registerTool("before", "Before.", {}, () => text("b"), options);
  const initializing = client.init();
  await client.registerTool("while", undefined, { type: "object" }, () => text("w"));
  await initializing;
  await client.registerTool("after", "After.", undefined, () => text("a"));
  expect(pages.page.toolbox.offer().tools).toEqual([
    { name: "before", description: "Before.", inputSchema: { type: "object" }, ...options },
    { name: "while", inputSchema: { type: "object" } },
    { name: "after", description: "After.", inputSchema: { type: "object", properties: {} } },
  ]);
});

test.each([
  ["name-invalid", "no spaces", {}],
  ["name-taken", "list_browser_tabs", {}],
  ["schema-invalid", "tool", { type: "string" }],
])("a tool that cannot be registered is refused with %s, before init and after, and is not counted", async (...row) => {
  const [code, name, schema] = row;
  const register = () => client.registerTool(name, "", schema, () => text(""));
  await expect(register()).rejects.toMatchObject({ code });
  await client.init();
  expect(client.isToolRegistered(name)).toBe(false);
});

test("a tool that cannot be registered after init is refused, and leaves the one of its name in place", async () => {
  await client.init();
  await client.registerTool("tool", "First.", {}, () => text("first"));
  await expect(client.registerTool("tool", "", { type: "string" }, () => text(""))).rejects.toThrow("inputSchema");
  expect(client.getToolInfo("tool")).toEqual({ refCount: 1, isRegistered: true });
  expect(pages.page.toolbox.offer().tools).toMatchObject([{ description: "First." }]);
});

test.each(["before", "after"])("registered twice %s init, a tool goes with the second unregister", async (when) => {
  if (when === "after") await client.init();
  await client.registerTool("tool", "Old.", {}, () => text("old"));
  await client.registerTool("tool", "New.", { type: "object", properties: { a: {} } }, () => text("new"));
  await client.init();
  expect(pages.page.toolbox.offer().tools).toMatchObject([
    { description: "New.", inputSchema: { properties: { a: {} } } },
  ]);
  expect(await pages.callTool("tool")).toMatchObject({ payload: JSON.stringify(text("new")) });
  expect(await client.unregisterTool("tool")).toBe(true);
  expect(names()).toEqual(["tool"]);
  expect(await client.unregisterTool("tool")).toBe(true);
  expect(names()).toEqual([]);
  expect(await client.unregisterTool("tool")).toBe(false);
});

test("a tool that was taken back before init is not offered", async () => {
  await client.registerTool("tool", "", {}, () => text(""));
  expect(await client.unregisterTool("tool")).toBe(true);
  await client.init();
  expect(names()).toEqual([]);
});

test("a tool's listener is called at once and at each change, until it is removed", async () => {
  const heard: unknown[] = [];
  const stop = client.onToolChange("tool", (info) => heard.push(info));
  await client.registerTool("other", "", {}, () => text(""));
  await client.registerTool("tool", "", {}, () => text(""));
  await client.registerTool("tool", "", {}, () => text(""));
  expect(client.getRegisteredTools()).toEqual(["other", "tool"]);
  expect([client.getToolInfo("tool"), client.isToolRegistered("tool")]).toEqual([heard.at(-1), true]);
  await client.init();
  await client.unregisterTool("tool");
  await client.unregisterTool("tool");
  expect([client.getToolInfo("tool"), client.isToolRegistered("tool")]).toEqual([null, false]);
  stop();
  stop();
  await client.registerTool("tool", "", {}, () => text(""));
  const info = (refCount: number) => ({ refCount, isRegistered: true });
  expect(heard).toEqual([null, info(1), info(2), info(1), null]);
});

test("a listener that throws is reported and keeps nothing from the others", async () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  const heard: unknown[] = [];
  const mistake = new Error("mistake");
  const fail = () => {
    throw mistake;
  };
  client.onToolChange("tool", fail);
  client.onToolChange("tool", (info) => heard.push(info?.refCount));
  client.onConnectionStatus(fail);
  client.onConnectionStatus((isConnected) => heard.push(isConnected));
  await client.registerTool("tool", "", {}, () => text(""));
  await client.init();
  pages.setState(connected);
  expect(heard).toEqual([undefined, 1, true]);
  expect(reported).toEqual([mistake, mistake, mistake]);
});

test("a token that is set before init is the page's from the start; without one the page has none", async () => {
  client.setAuthToken("first");
  client.setAuthToken("second");
  await client.init();
  expect([pages.options[0]?.token, pages.tokens]).toEqual(["second", []]);
});

test.each([null, ""])("%j signs out, before init and after", async (nothing) => {
  client.setAuthToken(nothing);
  await client.init();
  client.setAuthToken("token");
  client.setAuthToken(nothing);
  expect([pages.options[0]?.token, pages.tokens]).toEqual([null, ["token", null]]);
});

test("a token that is set while init runs is not lost", async () => {
  const initializing = client.init();
  client.setAuthToken("token");
  await initializing;
  expect(pages.tokens).toEqual(["token"]);
});

test("the connection's status can be read and listened to, and has a message for people", async () => {
  const heard: unknown[] = [];
  const listener = (isConnected: boolean, { message }: { readonly message: string }) =>
    heard.push(isConnected, message);
  client.onConnectionStatus(listener);
  expect(await client.getConnectionStatus()).toBe(false);
  await client.init();
  pages.setState(connected);
  pages.setState({ ...connected });
  expect(await client.getConnectionStatus()).toBe(true);
  pages.setState(lost);
  pages.setState({ ...lost, message: "Still lost." });
  expect(await client.getConnectionStatus()).toBe(false);
  client.offConnectionStatus(listener);
  pages.setState(connected);
  expect(heard).toEqual([true, "Connected.", false, "Lost."]);
});

test("the tab has an id as soon as the hub has welcomed it, and keeps it while it reconnects", async () => {
  expect([client.getTabId(), client.getTabInfo()]).toEqual([
    undefined,
    { tabId: undefined, url: "https://shop.example/tea", title: "Tea", isActive: true },
  ]);
  await client.init();
  pages.setState(connected);
  pages.setState(lost);
  expect([client.getTabId(), client.getTabInfo().tabId]).toEqual(["t1", "t1"]);
});

test("a handler is given its arguments and the call's context, and may answer whatever a tool may", async () => {
  await client.init();
  const schema = { type: "object", properties: { grams: { type: "number" } }, required: ["grams"] } as const;
  await client.registerTool("weigh", "", schema, ({ grams }, { agent }) => ({ grams, agent: agent.name }));
  await client.registerTool("say", "", {}, async () => text("said"));
  await client.registerTool("fail", "", {}, () => {
    throw new Error("The scales are broken.");
  });
  expect(await pages.callTool("weigh", { grams: 5 })).toMatchObject({
    payload: expect.stringContaining('"structuredContent":{"grams":5,"agent":"tester"}') as string,
  });
  expect(await pages.callTool("weigh", { grams: "5" })).toMatchObject({ kind: "refused", code: "input-invalid" });
  expect(await pages.callTool("say")).toEqual({
    kind: "result",
    payload: JSON.stringify(text("said")),
    isError: false,
  });
  expect(await pages.callTool("fail")).toMatchObject({ isError: true });
});

test("a closed client offers nothing more, and refuses further use", async () => {
  await client.registerTool("tool", "", {}, () => text(""));
  await client.init();
  client.close();
  client.close();
  expect(names()).toEqual([]);
  expect([client.initialized, client.isToolRegistered("tool")]).toEqual([false, false]);
  await expect(client.registerTool("other", "", {}, () => text(""))).rejects.toThrow("new WorkerClient()");
});

test("a client that is closed before or while init runs connects nothing that stays", async () => {
  const initializing = client.init();
  const waiting = client.waitForInit();
  client.close();
  await expect(initializing).rejects.toMatchObject({ code: "cancelled" });
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  expect(pages.isClosed).toBe(true);
  await expect(client.init()).rejects.toMatchObject({ code: "cancelled" });
  expect(pages.options).toHaveLength(1);
});

test("a tool with an output schema may answer with JSON as text, as the worker-proxy's do", async () => {
  const outputSchema = { type: "object", properties: { x: { type: "number" } }, required: ["x"] } as const;
  await client.registerTool("count", "", {}, () => text('{"x":1}'), { outputSchema });
  await client.init();
  expect(resultOf(await pages.callTool("count"))).toMatchObject({
    structuredContent: { x: 1 },
    content: [{ type: "text", text: '{"x":1}' }],
  });
  await client.registerTool("words", "", {}, () => text("no JSON"), { outputSchema });
  expect(resultOf(await pages.callTool("words"))).toMatchObject({ isError: true });
});

test("registered definitions can be read, without their handlers", async () => {
  await client.registerTool("tool", "Does it.", { type: "object" }, () => text(""), { title: "Tool" });
  expect(client.getToolDetails("tool")).toEqual({
    name: "tool",
    description: "Does it.",
    inputSchema: { type: "object" },
    title: "Tool",
    refCount: 1,
    isRegistered: true,
  });
  expect(client.getToolDetails("none")).toBeNull();
});

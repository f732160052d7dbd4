// Code that was written for another client of this kind expects more than tools: its messages, its other exports, and
// several clients in one page.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeBrowser, createFakePages } from "./fake-page.test-helper.ts";
import type { FakeBrowser, FakePages } from "./fake-page.test-helper.ts";
import { TabManager, logger, queryEvents, storeEvent } from "./stand-ins.ts";
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
const text = (said: string) => ({ content: [{ type: "text", text: said }] });
const connected = { status: "connected", message: "Connected.", tabId: "t1", via: { kind: "shared-worker" } } as const;
const lost = { status: "reconnecting", message: "Lost.", retryAt: 1 } as const;
const names = () => pages.page.toolbox.list().map(({ name }) => name);

test("a refused token reaches the page's handler and the status listener with its reason, once for each reason", async () => {
  const heard: unknown[] = [];
  const told: unknown[] = [];
  client.onConnectionStatus((isConnected, state) => heard.push([isConnected, state.message]));
  client.setAuthToken("expired");
  await client.init({ onError: (error, { stage }) => told.push([stage, error]) });
  const refused = (code: string, message: string) => ({ status: "refused", code, message, retryAt: 1 }) as const;
  pages.setState(refused("token-expired", "The token has expired."));
  pages.setState({ status: "connecting", message: "Connecting." });
  pages.setState(refused("token-expired", "The token has expired."));
  expect(heard).toEqual([[false, "The token has expired."]]);
  expect(told).toMatchObject([["hub", { code: "token-expired", message: "The token has expired." }]]);
  pages.setState(refused("token-invalid", "The token is of nobody."));
  pages.setState(connected);
  pages.setState(lost);
  pages.setState(refused("token-invalid", "The token is of nobody."));
  expect(heard.slice(1)).toEqual([
    [false, "The token is of nobody."],
    [true, "Connected."],
    [false, "Lost."],
    [false, "The token is of nobody."],
  ]);
  expect(told).toHaveLength(3);
});

test("two clients of one hub are one tab, and each one's tools are there whatever the other does with its own", async () => {
  const other = newClient();
  await client.registerTool("mine", "", {}, () => text("mine"));
  await other.registerTool("theirs", "", {}, () => text("theirs"));
  await client.registerTool("both", "First.", {}, () => text("first"));
  await Promise.all([client.init(), other.init({ backendWsUrl: "ws://127.0.0.1:7337/" })]);
  await other.registerTool("both", "Second.", {}, () => text("second"));
  pages.setState(connected);
  expect([pages.options.length, client.getTabId(), other.getTabId()]).toEqual([1, "t1", "t1"]);
  expect(names()).toEqual(["mine", "both", "theirs"]);
  expect(await pages.callTool("both")).toMatchObject({ payload: JSON.stringify(text("second")) });
  await other.unregisterTool("both");
  expect(await pages.callTool("both")).toMatchObject({ payload: JSON.stringify(text("first")) });
  expect([client.getRegisteredTools(), other.getRegisteredTools()]).toEqual([["mine", "both"], ["theirs"]]);
  client.close();
  expect([names(), pages.isClosed, other.initialized]).toEqual([["theirs"], false, true]);
  other.close();
  expect(pages.isClosed).toBe(true);
});

test("a tool that one client replaces twice, while another has it too, leaves nothing behind", async () => {
  const other = newClient();
  await Promise.all([client.init(), other.init()]);
  await client.registerTool("both", "1", {}, () => "");
  await other.registerTool("both", "2", {}, () => "");
  await client.registerTool("both", "3", {}, () => "");
  const described = () => pages.page.toolbox.list().map(({ description }) => description);
  expect(described()).toEqual(["3"]);
  await client.unregisterTool("both");
  await client.unregisterTool("both");
  expect(described()).toEqual(["2"]);
  await other.unregisterTool("both");
  expect(described()).toEqual([]);
});

test("failures of a shared page reach each client's handler, a token of one is the page's, and another hub is another page", async () => {
  const told: unknown[] = [];
  const other = newClient();
  await client.init({ onError: (error) => told.push(["one", error]) });
  other.setAuthToken("ann");
  await other.init({ onError: (error) => told.push(["other", error]) });
  pages.options[0]?.onError?.("broken", { stage: "hub frame" });
  expect([told, pages.tokens]).toEqual([
    [
      ["one", "broken"],
      ["other", "broken"],
    ],
    ["ann"],
  ]);
  await newClient().init({ backendWsUrl: "wss://hub.example" });
  expect(pages.options).toHaveLength(2);
});

test("a client that begins after a failed one, or after the last has left, connects a page of its own", async () => {
  pages.problem = new Error("not today");
  await expect(client.init()).rejects.toThrow("not today");
  pages.problem = undefined;
  const next = newClient();
  await next.init();
  next.close();
  await newClient().init();
  expect(pages.options).toHaveLength(2);
});

test("the browser's own agent has the tools by default, and as the client says at any time", async () => {
  expect([WorkerClient.isWebMcpSupported(), client.isWebMcpAvailable()]).toEqual([false, false]);
  vi.stubGlobal("document", { title: "Tea", hasFocus: () => true, modelContext: {} });
  expect([WorkerClient.isWebMcpSupported(), client.isWebMcpAvailable()]).toEqual([true, true]);
  await client.registerTool("tool", "", {}, () => "");
  expect(client.getWebMcpRegisteredTools()).toEqual([]);
  await client.init();
  browser.taken = ["tool", "another client's"];
  expect([client.getWebMcpRegisteredTools(), client.isToolRegisteredViaWebMcp("tool")]).toEqual([["tool"], true]);
  client.setWebMcpEnabled(true);
  expect(browser.offers).toEqual([true]);
  client.setWebMcpEnabled(false);
  expect([client.isWebMcpAvailable(), client.getWebMcpRegisteredTools(), browser.offers]).toEqual([false, [], [false]]);
  client.setWebMcpEnabled(true);
  expect(browser.offers).toEqual([false, true]);
  client.close();
  client.setWebMcpEnabled(true);
  expect(browser.offers).toEqual([false, false]);
});

test("a client that is told so before or in init keeps the tools from the browser's own agent", async () => {
  await client.init({ enableWebMcp: false });
  const other = newClient();
  other.setWebMcpEnabled(false);
  await other.init({ enableWebMcp: true });
  expect([browser.offers, client.isWebMcpAvailable(), other.isWebMcpAvailable()]).toEqual([[], false, false]);
});

test("two clients of a page offer it to the browser's own agent once, while one wants it, and each knows its own tools", async () => {
  const other = newClient();
  await client.registerTool("mine", "", {}, () => "");
  await other.registerTool("theirs", "", {}, () => "");
  await Promise.all([client.init(), other.init()]);
  browser.taken = ["mine", "theirs"];
  expect(browser.offers).toEqual([true]);
  expect([client.getWebMcpRegisteredTools(), other.getWebMcpRegisteredTools()]).toEqual([["mine"], ["theirs"]]);
  client.setWebMcpEnabled(false);
  expect([browser.offers, client.getWebMcpRegisteredTools()]).toEqual([[true], []]);
  expect([client.isToolRegisteredViaWebMcp("mine"), other.isToolRegisteredViaWebMcp("theirs")]).toEqual([false, true]);
  client.setWebMcpEnabled(true);
  other.close();
  expect(browser.offers).toEqual([true]);
  client.setWebMcpEnabled(false);
  expect(browser.offers).toEqual([false]);
});

test("the browser's own agent has the tools of the clients that want it to, whatever another client wants", async () => {
  const other = newClient();
  await client.registerTool("mine", "", {}, () => "");
  await other.registerTool("theirs", "", {}, () => "");
  await client.init();
  await other.init({ enableWebMcp: false });
  expect(browser.seen.at(-1)).toEqual(["mine"]);
  other.setWebMcpEnabled(true);
  expect(browser.seen.at(-1)).toEqual(["mine", "theirs"]);
  client.setWebMcpEnabled(false);
  expect(browser.seen.at(-1)).toEqual(["theirs"]);
  await client.registerTool("more", "", {}, () => "");
  await client.registerTool("theirs", "", {}, () => "");
  expect([browser.seen.at(-1), browser.seen.some((tools) => tools.includes("more"))]).toEqual([[], false]);
  await client.unregisterTool("theirs");
  expect(browser.seen.at(-1)).toEqual(["theirs"]);
  expect([names(), browser.offers]).toEqual([["mine", "more", "theirs"], [true]]);
});

test("a client that is closed listens to the page that it shared no more, and its token is not the page's", async () => {
  const other = newClient();
  await Promise.all([client.init(), other.init()]);
  expect(pages.listening).toBe(2);
  client.close();
  client.setAuthToken("late");
  expect([pages.listening, pages.tokens, pages.isClosed]).toEqual([1, [], false]);
  other.close();
  expect(pages.listening).toBe(0);
});

test("a client whose tools are too many for the page leaves it as it was, and can begin again", async () => {
  const other = newClient();
  await other.init();
  const fillers = Array.from({ length: 255 }, (_, index) =>
    pages.page.registerTool({ name: `filler_${index}`, execute: () => "" }),
  );
  await client.registerTool("one", "", {}, () => "");
  await client.registerTool("two", "", {}, () => "");
  await expect(client.init()).rejects.toMatchObject({ code: "offers-too-many" });
  expect([client.initialized, names().length, pages.listening]).toEqual([false, 255, 1]);
  fillers.pop()?.remove();
  await client.init();
  expect([client.initialized, names().slice(-2), pages.isClosed]).toEqual([true, ["one", "two"], false]);
});

test("messages to the worker are answered by what does the same here, and every other says what to use", async () => {
  await client.init();
  pages.setState(connected);
  expect(await client.request("GET_CONNECTION_STATUS", {}, 2000)).toEqual({ success: true, connected: true });
  await client.post("SET_AUTH_TOKEN", { token: "ann" });
  expect(pages.tokens).toEqual(["ann"]);
  for (const [type, use] of [
    ["REGISTER_TOOL", "use registerTool("],
    ["UNREGISTER_TOOL", "use unregisterTool("],
    ["SET_BACKEND_URL", "use init({ backendWsUrl })"],
    ["GET_EVENTS", 'registerTool("get_user_events"'],
    ["STORE_EVENT", 'registerTool("get_user_events"'],
    ["toString", "use the client's own methods"],
  ] as const) {
    await expect(client.request(type)).rejects.toThrow(use);
    await expect(client.post(type)).rejects.toMatchObject({ code: "options-invalid" });
  }
});

test("events of users are not stored, and the error says how to keep them", async () => {
  const event = { type: "click", timestamp: 1, element: "button" } as const;
  await expect(storeEvent(event)).rejects.toThrow("keep them in your app");
  await expect(queryEvents({ type: "click", limit: 10 })).rejects.toThrow("keep them in your app");
});

test("there is no TabManager in a page, and the error says who knows the tabs", () => {
  expect(() => new TabManager()).toThrow(/the hub knows the tabs.*getTabInfo\(\).*list_browser_tabs/);
});

test.each(["debug", "error", "info", "log", "warn"] as const)("the logger's %s is the console's", (level) => {
  const said = vi.spyOn(console, level).mockImplementation(() => {});
  logger[level]("a", 1);
  expect(said.mock.calls).toEqual([["a", 1]]);
  said.mockRestore();
});

test("a tool that could only run as a task is refused, with what to do instead", async () => {
  const register = (taskSupport: "optional" | "required" | "forbidden") =>
    client.registerTool(taskSupport, "", {}, () => "", { execution: { taskSupport } });
  await register("optional");
  await register("forbidden");
  await expect(register("required")).rejects.toThrow("there are no tasks: leave it out");
  expect(client.getRegisteredTools()).toEqual(["optional", "forbidden"]);
});

// MCP clients that a worker serves itself, in a real browser: with a hub, without one, and while it comes and goes.
import { createHub } from "pagewire/hub";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Tab } from "./support/tab.ts";
import { connected, countsOf, listTabs, started, tabIdOf, worldToken } from "./support/world.ts";
import { agentPages } from "./worker-mcp.test-helper.ts";
import type { AgentOptions, AgentWindow, ClientKind } from "./worker-mcp.test-helper.ts";
import { builtScript, createWorkerWorld } from "./worker.test-helper.ts";
import type { WorkerWorld } from "./worker.test-helper.ts";

declare const window: Window & AgentWindow;

const kinds = ["2026-07-28", "auto", "legacy", "older"] as const;
const attributes = 'data-worker="/pagewire-worker.js?serve"';

let world: WorkerWorld;

beforeAll(async () => {
  world = await createWorkerWorld();
  Object.assign(world.served, await agentPages(), {
    "/pagewire-worker-serve.js": builtScript("pagewire-worker-serve.js"),
    "/shop": world.main.page({ attributes }),
  });
});

afterEach(async () => {
  world.main.proxy.refuse(false);
  await Promise.all((await world.browser.tabs()).map((tab) => tab.close()));
});

afterAll(() => world.close());

async function openAgent(): Promise<Tab> {
  const tab = await world.browser.open(world.pages.url("/agent"));
  await tab.waitFor("globalThis.ready");
  return tab;
}

/** A client in the page of an agent, as it is used from here. */
async function connect(tab: Tab, kind: ClientKind = "2026-07-28", options: AgentOptions = {}) {
  await tab.evaluate((name, options) => window.connectAgent(name, name, options), kind, options);
  return {
    names: () => tab.evaluate((name) => window.agents[name]?.names(), kind),
    call: (tool: string, input: object = {}) =>
      tab.evaluate((name, tool, input) => window.agents[name]?.call(tool, input), kind, tool, input),
    begin: (tool: string, input: object) =>
      tab.evaluate((name, tool, input) => window.agents[name]?.begin(tool, input), kind, tool, input),
    cancel: () => tab.evaluate((name) => window.agents[name]?.cancel(), kind),
    progress: () => tab.evaluate((name) => window.agents[name]?.progress, kind),
    changed: () => tab.waitFor((name) => window.agents[name]?.changes, { values: [kind] }),
    outcome: () => tab.waitFor((name) => window.agents[name]?.outcome, { values: [kind], timeout: 20_000 }),
  };
}

type ConnectedAgent = Awaited<ReturnType<typeof connect>>;

/** The ids of the open tabs, as the worker tells them. */
async function tabsOf(agent: ConnectedAgent): Promise<readonly string[]> {
  const result = await agent.call("list_browser_tabs");
  const { tabs } = (result?.structuredContent ?? {}) as { tabs?: readonly { tabId: string }[] };
  return tabs?.map(({ tabId }) => tabId) ?? [];
}

test.each(kinds)("WM1: a client of the SDK lists and calls the tools of tabs, each call once: %s", async (kind) => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent(), kind);
  expect(await agent.names()).toEqual(expect.arrayContaining(["list_browser_tabs", "echo", "wait"]));
  const tag = `once ${kind}`;
  expect(await agent.call("echo", { tag })).toMatchObject({ structuredContent: { tag } });
  expect(await countsOf(shop, tag)).toEqual({ ran: 1, aborted: 0 });
  expect(await world.main.call("echo", { tag: `hub ${kind}` })).toMatchObject({ outcome: "ok" });
  expect(await countsOf(shop, `hub ${kind}`)).toEqual({ ran: 1, aborted: 0 });
});

test.each(kinds)("WM4, WM5: it hears of progress and cancels: %s", async (kind) => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent(), kind);
  await agent.call("steps", { tag: "s" });
  expect(await agent.progress()).toEqual([1, 2, 3]);
  const tag = `cancelled ${kind}`;
  await agent.begin("never", { tag });
  await started(shop, tag);
  await agent.cancel();
  await shop.waitFor((tag) => localStorage.getItem(`aborted:${tag}`), { values: [tag] });
  expect(await countsOf(shop, tag)).toEqual({ ran: 1, aborted: 1 });
});

test.each(kinds)("WM7: it hears when a tab has another tool: %s", async (kind) => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent(), kind);
  await agent.names();
  await shop.evaluate(() => void window.pagewire.registerTool({ name: "new_tool", execute: () => "new" }));
  await agent.changed();
  expect(await agent.names()).toContain("new_tool");
});

test("WM2: a worker whose address does not say so serves nobody, and says what is missing", async () => {
  const agent = await openAgent();
  await expect(connect(agent, "auto", { url: "/pagewire-worker.js" })).rejects.toThrow("?serve");
});

test("WM2: where the script that serves is missing, clients are told, and pages are carried all the same", async () => {
  world.served["/alone/worker.js"] = builtScript("pagewire-worker.js");
  world.served["/unserved"] = world.main.page({ attributes: 'data-worker="/alone/worker.js?serve"' });
  const shop = await world.open("/unserved");
  expect(await shop.evaluate("pagewire.state.via")).toEqual({ kind: "shared-worker" });
  const agent = await openAgent();
  await expect(connect(agent, "auto", { url: "/alone/worker.js?serve" })).rejects.toThrow("pagewire-worker-serve.js");
});

test("WM6: a client's calls end with its document", async () => {
  const shop = await world.open("/shop");
  const window = await openAgent();
  const agent = await connect(window);
  await agent.begin("never", { tag: "left alone" });
  await started(shop, "left alone");
  await window.close();
  await shop.waitFor("localStorage.getItem('aborted:left alone')");
});

test("WM8: tabs and clients belong together by the subject of their tokens", async () => {
  const tokenOf = (sub: string, more: string) =>
    `e30.${Buffer.from(JSON.stringify({ sub, more })).toString("base64url")}.x`;
  const page = (name: string) => world.main.page({ attributes: `${attributes} data-token="${tokenOf(name, "page")}"` });
  Object.assign(world.served, { "/ann": page("ann"), "/bob": page("bob") });
  const [ann, bob, window] = [await world.open("/ann"), await world.open("/bob"), await openAgent()];
  for (const [name, tab, other] of [
    ["ann", ann, bob],
    ["bob", bob, ann],
  ] as const) {
    const agent = await connect(window, "2026-07-28", { token: tokenOf(name, "client") });
    expect(await tabsOf(agent)).toEqual([await tabIdOf(tab)]);
    const aimed = { tabId: await tabIdOf(other), name: "echo", arguments: { tag: "crossed" } };
    expect(await agent.call("call_tab_tool", aimed)).toMatchObject({ isError: true });
  }
  expect(await tabsOf(await connect(window))).toEqual([]);
  expect(await countsOf(ann, "crossed")).toEqual({ ran: 0, aborted: 0 });
});

test("WM11, WM12: without a hub tabs are served under the same names, and once it is there it has them too", async () => {
  const shop = await world.open("/shop");
  const tabId = await tabIdOf(shop);
  const agent = await connect(await openAgent());
  expect(await tabsOf(agent)).toEqual([tabId]);

  world.main.proxy.refuse(true);
  world.main.proxy.reset();
  await shop.reload();
  await connected(shop);
  expect(await tabIdOf(shop)).toBe(tabId);
  expect(await agent.call("echo", { tag: "no hub" })).toMatchObject({ structuredContent: { tag: "no hub" } });
  await agent.begin("hold", { tag: "over it" });
  await started(shop, "over it");
  expect((await listTabs(world.main.call)).filter(({ state }) => state === "connected")).toEqual([]);

  world.main.proxy.refuse(false);
  await expect
    .poll(async () => (await listTabs(world.main.call)).find((tab) => tab.tabId === tabId)?.state, { timeout: 40_000 })
    .toBe("connected");
  await connected(shop);
  expect(await world.main.call("echo", { tag: "hub again" })).toMatchObject({ outcome: "ok" });
  await shop.evaluate("finish()");
  expect(await agent.outcome()).toMatchObject({ structuredContent: { tag: "over it" } });
  expect(await countsOf(shop, "over it")).toEqual({ ran: 1, aborted: 0 });
});

test("WM12: a call runs on, once, while the hub is restarted", async () => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent());
  await agent.begin("hold", { tag: "restarted" });
  await started(shop, "restarted");
  await world.main.restart();
  await expect
    .poll(async () => (await listTabs(world.main.call)).map(({ state }) => state), { timeout: 40_000 })
    .toEqual(["connected"]);
  await connected(shop);
  await shop.evaluate("finish()");
  expect(await agent.outcome()).toMatchObject({ structuredContent: { tag: "restarted" } });
  expect(await countsOf(shop, "restarted")).toEqual({ ran: 1, aborted: 0 });
});

test("WM13: a hub that lets this origin not in keeps nobody from being served", async () => {
  const hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [] });
  world.served["/stranger"] = world.main.page({ attributes }).replace(/data-hub="[^"]*"/, `data-hub="${hub.url}"`);
  const shop = await world.open("/stranger");
  const agent = await connect(await openAgent());
  expect(await tabsOf(agent)).toEqual([await tabIdOf(shop)]);
  expect(await agent.call("echo", { tag: "stranger" })).toMatchObject({ structuredContent: { tag: "stranger" } });
  await hub.close();
});

test("WM21: what a worker that died had called is called off, and its clients find the next one", async () => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent());
  await agent.begin("never", { tag: "orphan" });
  await started(shop, "orphan");
  await world.browser.closeWorkers("pagewire-worker.js?serve");
  await shop.waitFor("localStorage.getItem('aborted:orphan')");
  const next = await connect(await openAgent());
  expect(await next.call("echo", { tag: "next worker" })).toMatchObject({
    structuredContent: { tag: "next worker" },
  });
  expect(await countsOf(shop, "orphan")).toEqual({ ran: 1, aborted: 1 });
});

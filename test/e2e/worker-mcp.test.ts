// MCP clients that a worker serves itself, in a real browser: with a hub, without one, and while the hub comes and goes.
import { createHub } from "pagewire/hub";
import type { ServingWorkerOptions } from "pagewire/worker";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Tab } from "./support/tab.ts";
import { connected, countsOf, listTabs, offered, started, tabIdOf, worldToken } from "./support/world.ts";
import { agentPages } from "./worker-mcp.test-helper.ts";
import type { AgentWindow, ClientKind } from "./worker-mcp.test-helper.ts";
import { builtScript, createWorkerWorld } from "./worker.test-helper.ts";
import type { WorkerWorld } from "./worker.test-helper.ts";

declare const window: Window & AgentWindow;

const kinds = ["2026-07-28", "auto", "legacy", "older"] as const;
const worker = "/pagewire-serving-worker.js";
const serviceWorker = "/pagewire-serving-service-worker.js";
const attributes = `data-worker="${worker}"`;

let world: WorkerWorld;

beforeAll(async () => {
  world = await createWorkerWorld();
  Object.assign(world.served, await agentPages(), {
    [worker]: builtScript("pagewire-serving-worker.js"),
    [serviceWorker]: builtScript("pagewire-serving-service-worker.js"),
    "/shop": world.main.page({ attributes }),
  });
});

afterEach(async () => {
  world.main.proxy.refuse(false);
  await world.browser.closeTabs();
});

afterAll(() => world.close());

async function openAgent(): Promise<Tab> {
  const tab = await world.browser.open(world.pages.url("/agent"));
  await tab.waitFor("globalThis.ready");
  return tab;
}

/** A client in an agent's page, driven from this test. */
async function connect(tab: Tab, kind: ClientKind = "2026-07-28", options: ServingWorkerOptions = { worker }) {
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
    close: () => tab.evaluate((name) => window.agents[name]?.close(), kind),
    ends: () => tab.evaluate((name) => window.agents[name]?.ends, kind),
    ended: () => tab.waitFor((name) => window.agents[name]?.ends.includes("closed"), { values: [kind] }),
    outcome: () => tab.waitFor((name) => window.agents[name]?.outcome, { values: [kind] }),
  };
}

type ConnectedAgent = Awaited<ReturnType<typeof connect>>;

/** The ids of the open tabs, as the worker lists them. */
async function tabsOf(agent: ConnectedAgent): Promise<readonly string[]> {
  const result = await agent.call("list_browser_tabs");
  const { tabs } = (result?.structuredContent ?? {}) as { tabs?: readonly { tabId: string }[] };
  return tabs?.map(({ tabId }) => tabId) ?? [];
}

test.each(kinds)(
  "WM1: a client of the SDK lists and calls the tools of tabs, each call once, follows and cancels them: %s",
  async (kind) => {
    const shop = await world.open("/shop");
    const agent = await connect(await openAgent(), kind);
    expect(await agent.names()).toEqual(expect.arrayContaining(["list_browser_tabs", "echo", "wait"]));
    const tag = `once ${kind}`;
    expect(await agent.call("echo", { tag })).toMatchObject({ structuredContent: { tag } });
    expect(await countsOf(shop, tag)).toEqual({ ran: 1, aborted: 0 });
    expect(await world.main.call("echo", { tag: `hub ${kind}` })).toMatchObject({ outcome: "ok" });
    expect(await countsOf(shop, `hub ${kind}`)).toEqual({ ran: 1, aborted: 0 });

    await agent.call("steps", { tag: "s" });
    expect(await agent.progress()).toEqual([1, 2, 3]);
    const cancelled = `cancelled ${kind}`;
    await agent.begin("never", { tag: cancelled });
    await started(shop, cancelled);
    await agent.cancel();
    await shop.waitFor((tag) => localStorage.getItem(`aborted:${tag}`), { values: [cancelled] });
    expect(await countsOf(shop, cancelled)).toEqual({ ran: 1, aborted: 1 });

    await shop.evaluate(() => void window.pagewire.registerTool({ name: "new_tool", execute: () => "new" }));
    await agent.changed();
    expect(await agent.names()).toContain("new_tool");
  },
);

test("a worker that only carries serves nobody, and says which files do", async () => {
  const agent = await openAgent();
  await expect(connect(agent, "auto", { worker: "/pagewire-worker.js" })).rejects.toThrow("pagewire-serving-worker.js");
});

test("a client that says no hello, or brings no port, is refused", async () => {
  const agent = await openAgent();
  const refusals = await agent.evaluate(async (url) => {
    const { port } = new SharedWorker(url, { type: "module" });
    const failed: string[] = [];
    return new Promise<readonly string[]>((resolve) => {
      port.onmessage = ({ data }) => {
        if (data.type === "failed") failed.push(data.id);
        if (failed.length === 2) resolve(failed);
      };
      port.postMessage({ type: "mcp", id: "no-hello" }, [new MessageChannel().port1]);
      port.postMessage({ type: "hello", versions: [1], page: "no-lock" });
      port.postMessage({ type: "mcp", id: "no-port" });
    });
  }, worker);
  expect(refusals).toEqual(["no-hello", "no-port"]);
});

test("a client without an SDK talks to the worker as it is", async () => {
  await world.open("/shop");
  const agent = await openAgent();
  const answer = await agent.evaluate(async (worker) => {
    const transport = await window.connectServingWorker({ worker });
    const answer = new Promise((resolve) => (transport.onmessage = resolve));
    await transport.start();
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "by hand", version: "1" } };
    await transport.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    return answer;
  }, worker);
  expect(answer).toMatchObject({ id: 1, result: { serverInfo: { name: "pagewire-worker" } } });
});

test("a client for which there is no worker is told why", async () => {
  const agent = await openAgent();
  const refused = connect(agent, "auto", { worker: "/none.js", serviceWorker: "/none-either.js" });
  await expect(refused).rejects.toThrow(/shared-worker: .+none\.js.+ service-worker: .+/s);
});

test("a client that closes ends its calls, and is told so once", async () => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent());
  await agent.begin("never", { tag: "closed" });
  await started(shop, "closed");
  await agent.close();
  await shop.waitFor("localStorage.getItem('aborted:closed')");
  expect(await agent.ends()).toEqual(["closed"]);
});

test("a client's page that goes into the back/forward cache ends its calls, and connects anew when it is back", async () => {
  const shop = await world.open("/shop");
  const window = await openAgent();
  const agent = await connect(window);
  await window.evaluate("addEventListener('pageshow', (event) => { globalThis.restored = event.persisted; })");
  await agent.begin("never", { tag: "cached" });
  await started(shop, "cached");
  await window.navigate(world.pages.otherSite("/elsewhere"));
  await shop.waitFor("localStorage.getItem('aborted:cached')");
  await window.back();
  expect(await window.evaluate("globalThis.restored")).toBe(true);
  await agent.ended();
  expect(await agent.ends()).toEqual(["tab-suspended", "closed"]);
  const next = await connect(window);
  expect(await next.call("echo", { tag: "restored" })).toMatchObject({ structuredContent: { tag: "restored" } });
});

test("where there is no SharedWorker, a ServiceWorker serves in the same way", async () => {
  world.served["/service"] = world.main.page({
    before: "<script>delete window.SharedWorker</script>",
    attributes: `${attributes} data-service-worker="${serviceWorker}"`,
  });
  const shop = await world.open("/service");
  const window = await openAgent();
  await window.evaluate("delete globalThis.SharedWorker");
  const agent = await connect(window, "2026-07-28", { worker, serviceWorker });
  expect(await tabsOf(agent)).toEqual([await tabIdOf(shop)]);
  expect(await agent.call("echo", { tag: "service" })).toMatchObject({ structuredContent: { tag: "service" } });
  expect(await countsOf(shop, "service")).toEqual({ ran: 1, aborted: 0 });
  await agent.begin("never", { tag: "stopped" });
  await started(shop, "stopped");
  await world.browser.closeWorkers(serviceWorker);
  await shop.waitFor("localStorage.getItem('aborted:stopped')");
  await agent.ended();
  expect(await agent.ends()).toEqual(["heartbeat-missed", "closed"]);
});

test("a client's calls end with its document", async () => {
  const shop = await world.open("/shop");
  const window = await openAgent();
  const agent = await connect(window);
  await agent.begin("never", { tag: "left alone" });
  await started(shop, "left alone");
  await window.close();
  await shop.waitFor("localStorage.getItem('aborted:left alone')");
});

test("tabs and clients belong together by the subject of their tokens", async () => {
  const tokenOf = (sub: string, more: string) =>
    `e30.${Buffer.from(JSON.stringify({ sub, more })).toString("base64url")}.x`;
  const page = (name: string) => world.main.page({ attributes: `${attributes} data-token="${tokenOf(name, "page")}"` });
  Object.assign(world.served, { "/ann": page("ann"), "/bob": page("bob") });
  const [ann, bob, window] = [await world.open("/ann"), await world.open("/bob"), await openAgent()];
  for (const [name, tab, other] of [
    ["ann", ann, bob],
    ["bob", bob, ann],
  ] as const) {
    const agent = await connect(window, "2026-07-28", { worker, token: tokenOf(name, "client") });
    expect(await tabsOf(agent)).toEqual([await tabIdOf(tab)]);
    const aimed = { tabId: await tabIdOf(other), name: "echo", arguments: { tag: "crossed" } };
    expect(await agent.call("call_tab_tool", aimed)).toMatchObject({ isError: true });
  }
  expect(await tabsOf(await connect(window))).toEqual([]);
  expect(await countsOf(ann, "crossed")).toEqual({ ran: 0, aborted: 0 });
});

test("without a hub tabs are served under the same names, and once it is there it has them too", async () => {
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
    .poll(async () => (await listTabs(world.main.call)).find((tab) => tab.tabId === tabId)?.state)
    .toBe("connected");
  await connected(shop);
  await offered(shop, world.main.call);
  expect(await world.main.call("echo", { tag: "hub again" })).toMatchObject({ outcome: "ok" });
  await shop.evaluate("finish()");
  expect(await agent.outcome()).toMatchObject({ structuredContent: { tag: "over it" } });
  expect(await countsOf(shop, "over it")).toEqual({ ran: 1, aborted: 0 });
});

test("a call runs on, once, while the hub is restarted", async () => {
  const shop = await world.open("/shop");
  const agent = await connect(await openAgent());
  await agent.begin("hold", { tag: "restarted" });
  await started(shop, "restarted");
  await world.main.restart();
  await expect.poll(async () => (await listTabs(world.main.call)).map(({ state }) => state)).toEqual(["connected"]);
  await connected(shop);
  await shop.evaluate("finish()");
  expect(await agent.outcome()).toMatchObject({ structuredContent: { tag: "restarted" } });
  expect(await countsOf(shop, "restarted")).toEqual({ ran: 1, aborted: 0 });
});

test("a hub that lets this origin not in keeps nobody from being served", async () => {
  const hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [] });
  world.served["/stranger"] = world.main.page({ attributes }).replace(/data-hub="[^"]*"/, `data-hub="${hub.url}"`);
  const shop = await world.open("/stranger");
  const agent = await connect(await openAgent());
  expect(await tabsOf(agent)).toEqual([await tabIdOf(shop)]);
  expect(await agent.call("echo", { tag: "stranger" })).toMatchObject({ structuredContent: { tag: "stranger" } });
  await hub.close();
});

test.each(["died", "hangs"])("a client of a worker that %s is told so, and finds the next one", async (fault) => {
  const shop = await world.open("/shop");
  const window = await openAgent();
  const agent = await connect(window);
  await agent.begin("never", { tag: fault });
  await started(shop, fault);
  if (fault === "died") await world.browser.closeWorkers(worker);
  else await world.browser.startInWorkers(worker, "for (;;);");
  await agent.ended();
  expect(await agent.ends()).toEqual(["heartbeat-missed", "closed"]);
  await shop.waitFor((tag) => localStorage.getItem(`aborted:${tag}`), { values: [fault] });
  const next = await connect(window);
  // The tab may return a moment later, or already be back.
  await expect.poll(() => next.names()).toContain("echo");
  expect(await next.call("echo", { tag: "next" })).toMatchObject({ structuredContent: { tag: "next" } });
  expect(await countsOf(shop, fault)).toEqual({ ran: 1, aborted: 1 });
});

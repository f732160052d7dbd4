// Each place where a bridge shows the agent, and how the app loses it, in a real Chromium and across sites. The agent's
// page is the other project's, not ours.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { stockAgentPage } from "../seeds/stock-windows.ts";
import { bundleModule } from "./support/bundle.ts";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";

const program = `
  import { AgentBridge } from "pagewire/agent-window";
  window.said = [];
  window.createBridge = (options = {}) => {
    window.bridge = new AgentBridge({
      agentOrigin: new URLSearchParams(location.search).get("agent"),
      onConnectionChange: (state, previous, reason) => said.push([state, reason].filter(Boolean).join(" ")),
      onWindowClosed: () => said.push("closed"),
      onSessionRecovered: () => said.push("recovered"),
      onError: ({ code }) => said.push(code),
      ...options,
    });
    return window.bridge;
  };
  window.ran = true;`;

const served: Record<string, Page> = {};
let server: PageServer;
let browser: Browser;
let agentOrigin: string;

beforeAll(async () => {
  server = await servePages(served);
  agentOrigin = server.originFor("agent.test");
  const app = '<!doctype html><title>App</title><main id="here"></main><script type="module" src="/app.js"></script>';
  const agent = stockAgentPage(server.originFor("app.test"));
  const isolated = { "cross-origin-opener-policy": "same-origin" };
  served["/app.js"] = await bundleModule(program);
  served["/app"] = app;
  served["/app-isolated"] = { body: app, headers: isolated };
  served["/"] = agent;
  served["/agent-isolated"] = { body: agent, headers: isolated };
  const mute = "<script>window.heard = 0; addEventListener('message', () => heard++)</script>";
  served["/mute"] = `<!doctype html><title>Mute</title>${mute}`;
  const trusted = [server.originFor("app.test"), agentOrigin].join(",");
  browser = await launchChromium({ args: [`--unsafely-treat-insecure-origin-as-secure=${trusted}`] });
});

afterEach(async () => {
  for (const tab of await browser.tabs()) await tab.close();
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function openApp({ path = "/app", options = "{}" } = {}): Promise<Tab> {
  const app = await browser.open(`${server.originFor("app.test")}${path}?agent=${encodeURIComponent(agentOrigin)}`);
  await app.waitFor("window.ran");
  await app.evaluate(`void createBridge(${options})`);
  return app;
}

const openAgent = (app: Tab) => app.popup(() => app.evaluateAsUser("void bridge.openAgent()"));
const isIn = (app: Tab, state: string) => app.waitFor(`bridge.getConnectionState() === "${state}"`);
const said = (app: Tab) => app.evaluate<string[]>("said");

test.each([
  ["popup", "/app-isolated", "/"],
  ["tab", "/app-isolated", "/"],
  ["popup", "/app", "/agent-isolated"],
  ["tab", "/app", "/agent-isolated"],
])("a %s that the policy of %s or %s cuts off is told from one that is closed", async (open, path, agentUrl) => {
  const app = await openApp({ path, options: JSON.stringify({ open, agentUrl }) });
  await app.evaluateAsUser("void bridge.openAgent()");
  await isIn(app, "disconnected");
  expect(await said(app)).toEqual(["connecting", "disconnected cut-off", "window-unreachable", "closed"]);
  expect(await browser.tabs()).toHaveLength(2);
});

test.each(["popup", "tab"])("a %s that never answered and is closed counts as closed by the user", async (open) => {
  const app = await openApp({ options: JSON.stringify({ open, agentUrl: "/mute" }) });
  const agent = await openAgent(app);
  // When the page has received four messages, the bridge has seen that it is open.
  await agent.waitFor("window.heard >= 4");
  await agent.close();
  await isIn(app, "disconnected");
  expect(await said(app)).toEqual(["connecting", "disconnected closed-by-user", "closed"]);
});

test("BR15: a window that the user navigates away is noticed, and reconnected when it returns", async () => {
  const app = await openApp({ options: "{ heartbeatInterval: 1000, heartbeatTimeout: 3000 }" });
  const agent = await openAgent(app);
  await isIn(app, "connected");
  await agent.evaluate(`void (location.href = "${server.originFor("app.test")}/mute")`);
  await agent.waitFor("document.title === 'Mute'");
  await isIn(app, "disconnected");
  expect((await said(app)).slice(2)).toEqual(["reconnecting navigated-away", "disconnected navigated-away"]);
  await agent.back();
  await isIn(app, "connected");
});

test("BR15: a stock agent's page has the tools again after a reload, calls them, and stays connected", async () => {
  const app = await openApp();
  await app.evaluate(`bridge.registerTools([{ name: "greet", description: "Greets.", parameters: {} }]);
    bridge.onToolCall("greet", () => "hello");`);
  const agent = await openAgent(app);
  const hasTools = () => agent.waitFor("window.client?.tools.some(({ name }) => name === 'greet')");
  await hasTools();
  for (let count = 0; count < 2; count += 1) {
    await agent.reload();
    await hasTools();
    expect(await agent.evaluate("client.callTool('greet', {})")).toBe("hello");
  }
  expect(await said(app)).toEqual(["connecting", "connected"]);
});

test("BR18: a page that was reloaded finds its window, and a duplicate of its tab does not", async () => {
  const app = await openApp();
  await openAgent(app);
  await isIn(app, "connected");
  await app.reload();
  await app.waitFor("window.ran");
  await app.evaluate("createBridge().registerTools([])");
  await isIn(app, "connected");
  await app.waitFor("said.includes('recovered')");

  const before = (await browser.tabs()).length;
  const copy = await app.popup(() =>
    app.evaluateAsUser(
      "void Object.assign(document.createElement('a'), { href: location.href, target: '_blank' }).click()",
    ),
  );
  await copy.waitFor("window.ran");
  // A duplicated tab starts with a copy of sessionStorage.
  const stored = await app.evaluate<[string, string][]>("Object.entries(sessionStorage)");
  await copy.evaluate((entries: [string, string][]) => {
    for (const [name, value] of entries) sessionStorage.setItem(name, value);
  }, stored);
  await copy.evaluateAsUser("createBridge().registerTools([])");
  await copy.waitFor("bridge.getConnectionState() === 'disconnected'");
  await expect.poll(async () => (await browser.tabs()).length).toBe(before + 1);
  expect(await app.evaluate("bridge.getConnectionState()")).toBe("connected");
});

test("a page that this one opens, with a copy of its storage, gets a window of its own", async () => {
  const app = await openApp();
  await openAgent(app);
  await isIn(app, "connected");
  await app.reload();
  await app.waitFor("window.ran");
  await app.evaluate("createBridge().registerTools([])");
  await isIn(app, "connected");
  const before = (await said(app)).length;

  const child = await app.popup(() => app.evaluateAsUser("void open(location.href)"));
  await child.waitFor("window.ran && opener !== null");
  await child.evaluateAsUser("createBridge().registerTools([])");
  expect(await child.evaluate("bridge.getConnectionState()")).toBe("disconnected");
  await openAgent(child);
  await isIn(child, "connected");
  expect([await said(child), (await said(app)).slice(before)]).toEqual([["connecting", "connected"], []]);
  await child.reload();
  await child.waitFor("window.ran");
  await child.evaluate("createBridge().registerTools([])");
  await isIn(child, "connected");
  expect([await app.evaluate("bridge.getConnectionState()"), (await browser.tabs()).length]).toEqual(["connected", 4]);
});

test("a cross-site frame is connected, found by the next bridge, and gone when it is removed", async () => {
  const app = await openApp();
  served["/"] = stockAgentPage(server.originFor("app.test")).replaceAll("window.opener", "window.parent");
  await app.evaluate("void (window.frame = bridge.mount(document.querySelector('#here')))");
  await isIn(app, "connected");
  await app.evaluate("bridge.destroy()");
  await app.evaluate("void createBridge()");
  expect(await app.evaluate("bridge.mount(document.querySelector('#here')) === frame")).toBe(true);
  await isIn(app, "connected");
  await app.evaluate("frame.remove()");
  await isIn(app, "disconnected");
  expect((await said(app)).slice(-3)).toEqual(["connected", "disconnected closed", "closed"]);
});

test("a page that was frozen in the background still has its window", async () => {
  const heartbeat = "heartbeatInterval: 1000, heartbeatTimeout: 3000";
  const app = await openApp({ options: `{ open: 'tab', ${heartbeat} }` });
  const agent = await openAgent(app);
  await isIn(app, "connected");
  await app.freeze();
  // Wait until a page that was not frozen has lost its window: that takes longer than the heartbeat timeout.
  const other = await openApp({ options: `{ ${heartbeat} }` });
  const left = await openAgent(other);
  await isIn(other, "connected");
  await left.evaluate(`void (location.href = "${server.originFor("app.test")}/mute")`);
  await isIn(other, "disconnected");
  await agent.evaluate("client.pings.length = 0");
  await app.unfreeze();
  await agent.waitFor("client.pings.length >= 3");
  expect(await said(app)).toEqual(["connecting", "connected"]);
});

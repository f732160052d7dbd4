// Every row of the seed's tables and lists, each against the other project's end of the bridge, across sites.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundleModule } from "../e2e/support/bundle.ts";
import { openChromium } from "../e2e/support/chromium.ts";
import type { Browser } from "../e2e/support/chromium.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { Page, PageServer } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { stockAgentPage } from "./stock-windows.ts";

const served: Record<string, Page> = {};
let server: PageServer;
let browser: Browser;
let appOrigin: string;
let agentOrigin: string;
let strangerOrigin: string;

const program = `
  import { SeahorseAgentBridge } from "pagewire/agent-window";
  window.heard = [];
  window.said = [];
  window.createBridge = (options = {}) => {
    window.bridge = new SeahorseAgentBridge({
      agentOrigin: new URLSearchParams(location.search).get("agent"),
      heartbeatInterval: 100,
      heartbeatTimeout: 4000,
      onConnectionChange: (state, previousState) => said.push(previousState + " → " + state),
      onWindowClosed: () => said.push("closed"),
      onSessionRecovered: (found) => said.push("recovered " + (found === bridge.found)),
      ...options,
    });
    return window.bridge;
  };
  window.work = { name: "work", description: "Does work.", parameters: { type: "object", properties: { n: { type: "number" } } } };
  window.ran = true;`;

beforeAll(async () => {
  server = await servePages(served);
  appOrigin = server.originFor("app.test");
  agentOrigin = server.originFor("agent.test");
  strangerOrigin = server.originFor("agent.test.stranger.test");
  served["/app"] = '<!doctype html><title>App</title><script type="module" src="/app.js"></script>';
  served["/app.js"] = await bundleModule(program);
  served["/"] = served["/other"] = stockAgentPage(appOrigin);
  browser = await openChromium();
});

afterEach(async () => {
  for (const tab of await browser.tabs()) await tab.close();
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Opens the app, with a bridge of these options, as source code. */
async function openApp(options = "{}"): Promise<Tab> {
  const app = await browser.open(`${appOrigin}/app?agent=${encodeURIComponent(agentOrigin)}`);
  await app.waitFor("window.ran");
  await app.evaluate(`void createBridge(${options})`);
  return app;
}

/** Opens the agent from the app, and waits until they are connected. */
async function openAgent(app: Tab): Promise<Tab> {
  const agent = await app.popup(() => app.evaluateAsUser("void bridge.openAgent()"));
  await agent.loaded(agentOrigin);
  await connected(app);
  return agent;
}

const state = (app: Tab) => app.evaluate<string>("bridge.getConnectionState()");
const connected = (app: Tab) => app.waitFor("bridge.getConnectionState() === 'connected'");
const said = (app: Tab) => app.evaluate<string[]>("said");

/** Makes the agent call a tool of its parent; returns the answer, or the error's text. */
const callTool = (agent: Tab, name: string, input: object) =>
  agent.evaluate(`client.callTool("${name}", ${JSON.stringify(input)}).catch((error) => "failed: " + error.message)`);

const toolsOf = (agent: Tab) => agent.evaluate<string[]>("client.tools.map(({ name }) => name)");

describe("config options", () => {
  test("agentOrigin is required, and the only origin that is heard", async () => {
    const app = await openApp();
    await expect(app.evaluate("void createBridge({ agentOrigin: undefined })")).rejects.toThrow("agentOrigin");
    await app.evaluate("bridge.onToolCall('work', ({ n }) => said.push(n) && n), bridge.registerTools([work])");
    const agent = await openAgent(app);
    const stranger = await browser.open(`${strangerOrigin}/`, { fromOpener: app });
    const forged = { type: "tool_call", payload: { call_id: "1", tool_name: "work", arguments: { n: 1 } } };
    await stranger.evaluate((message: object) => window.opener.postMessage(message, "*"), forged);
    await app.evaluate((message: object) => window.postMessage(message, location.origin), forged);
    expect(await callTool(agent, "work", { n: 2 })).toBe(2);
    expect(await said(app)).not.toContain(1);
    expect(await said(app)).toContain(2);
  });

  test("agentUrl is what is opened, by default the origin", async () => {
    const app = await openApp("{ agentUrl: new URLSearchParams(location.search).get('agent') + '/other?from=app' }");
    const agent = await openAgent(app);
    expect(await agent.evaluate("location.pathname + location.search")).toBe("/other?from=app");
    const [plain] = [await openApp()];
    expect(await (await openAgent(plain)).evaluate("location.pathname")).toBe("/");
  });

  test("heartbeatInterval is the time from one ping to the next", async () => {
    const app = await openApp("{ heartbeatInterval: 300, heartbeatTimeout: 3000 }");
    const agent = await openAgent(app);
    await agent.waitFor("client.pings.length >= 12");
    // Measured from the page's start: a ping that is late on a busy machine does not delay the next ones.
    expect(await agent.evaluate<number>("client.pings[11] - performance.timeOrigin")).toBeGreaterThanOrEqual(11 * 300);
  });

  test("after heartbeatTimeout without a pong the connection counts as lost", async () => {
    const app = await openApp("{ heartbeatInterval: 1000, heartbeatTimeout: 3000 }");
    const agent = await openAgent(app);
    await agent.evaluate("client.answersPings = false");
    await app.waitFor("said.includes('connected → reconnecting')");
    await agent.evaluate("client.answersPings = true");
    await connected(app);
    expect(await said(app)).toEqual([
      "disconnected → connecting",
      "connecting → connected",
      "connected → reconnecting",
      "reconnecting → connected",
    ]);
  });

  test.each([
    ["{}", "connected"],
    ["{ autoRecover: true }", "connected"],
    ["{ autoRecover: false }", "disconnected"],
  ])("after a refresh a bridge with %s is %s", async (options, after) => {
    const app = await openApp(options);
    await app.evaluate("bridge.registerTools([work])");
    await openAgent(app);
    await app.reload();
    await app.waitFor("window.ran");
    await app.evaluate(`createBridge(${options}).registerTools([work])`);
    if (after === "connected") await connected(app);
    expect(await state(app)).toBe(after);
  });

  test("onConnectionChange, onWindowClosed and onSessionRecovered are called", async () => {
    const app = await openApp();
    await app.evaluate("bridge.registerTools([work])");
    const agent = await openAgent(app);
    await app.reload();
    await app.waitFor("window.ran");
    await app.evaluate("createBridge().registerTools([work])");
    await connected(app);
    await agent.close();
    await app.waitFor("bridge.getConnectionState() === 'disconnected'");
    const all = await said(app);
    expect(all.filter((line) => line.includes("→"))).toEqual([
      "disconnected → connecting",
      "connecting → connected",
      "connected → disconnected",
    ]);
    expect(all.filter((line) => line === "closed")).toHaveLength(1);
    expect(all.filter((line) => line.startsWith("recovered"))).toHaveLength(1);
  });
});

describe("methods", () => {
  test("registerTool and registerTools offer tools, before the window is open and after", async () => {
    const app = await openApp();
    await app.evaluate("bridge.registerTool(work)");
    const agent = await openAgent(app);
    await agent.waitFor("client.tools.length === 1");
    expect(await agent.evaluate("client.tools")).toEqual([await app.evaluate("work")]);
    await app.evaluate("bridge.registerTools([{ ...work, name: 'one' }, { ...work, name: 'two' }])");
    await agent.waitFor("client.tools.length === 3");
    expect(await toolsOf(agent)).toEqual(["work", "one", "two"]);
  });

  test("onToolCall sets a handler, which may be async; what it throws is the call's error", async () => {
    const app = await openApp();
    await app.evaluate("bridge.registerTools([work, { ...work, name: 'fails' }, { ...work, name: 'nobody' }])");
    await app.evaluate("bridge.onToolCall('work', async ({ n }) => ({ twice: n * 2 }))");
    await app.evaluate("bridge.onToolCall('fails', () => { throw new Error('No such row.'); })");
    const agent = await openAgent(app);
    expect(await callTool(agent, "work", { n: 21 })).toEqual({ twice: 42 });
    expect(await callTool(agent, "fails", {})).toBe("failed: No such row.");
    expect(await callTool(agent, "nobody", {})).toMatch(/^failed: .*nobody/);
  });

  test("openAgent gives the window, and null where the browser blocks it", async () => {
    const app = await openApp();
    expect(await app.evaluate("bridge.openAgent()")).toBeNull();
    expect(await state(app)).toBe("disconnected");
    await app.popup(() => app.evaluateAsUser("void (window.given = bridge.openAgent())"));
    await connected(app);
    expect(await app.evaluate("given.closed")).toBe(false);
  });

  test("closeAgent closes the window and stops the heartbeat", async () => {
    const app = await openApp();
    await openAgent(app);
    await app.evaluate("bridge.closeAgent()");
    await app.waitFor("bridge.getConnectionState() === 'disconnected' && !bridge.isAgentOpen()");
    await expect.poll(async () => (await app.popups()).length).toBe(0);
  });

  test("injectMessage puts a message into the agent's field, and autoSend sends it", async () => {
    const app = await openApp();
    const agent = await openAgent(app);
    await app.evaluate("bridge.injectMessage('Hello')");
    await agent.waitFor("document.getElementById('input').value === 'Hello'");
    expect(await agent.evaluate("sent")).toEqual([]);
    await app.evaluate("bridge.injectMessage('What is new?', { autoSend: true })");
    await agent.waitFor("sent.length === 1");
    expect(await agent.evaluate("[...sent, document.getElementById('input').value]")).toEqual([
      "What is new?",
      "What is new?",
    ]);
  });

  test("isAgentOpen says whether the window is open, also after the user closed it", async () => {
    const app = await openApp();
    expect(await app.evaluate("bridge.isAgentOpen()")).toBe(false);
    const agent = await openAgent(app);
    expect(await app.evaluate("bridge.isAgentOpen()")).toBe(true);
    await agent.close();
    await app.waitFor("!bridge.isAgentOpen()");
  });

  test("reconnect says whether there is a window to connect to again", async () => {
    const app = await openApp();
    expect(await app.evaluate("bridge.reconnect()")).toBe(false);
    const agent = await openAgent(app);
    expect(await app.evaluate("bridge.reconnect()")).toBe(true);
    await connected(app);
    await agent.close();
    await app.waitFor("!bridge.isAgentOpen()");
    expect(await app.evaluate("bridge.reconnect()")).toBe(false);
  });

  test("tryRecoverSession finds the window again; registerTools calls it by itself", async () => {
    const app = await openApp();
    await openAgent(app);
    await app.reload();
    await app.waitFor("window.ran");
    await app.evaluate("createBridge().registerTool(work)");
    expect(await state(app)).toBe("disconnected");
    await app.evaluate("bridge.tryRecoverSession()");
    await connected(app);
  });

  test("destroy takes the listeners off and leaves the window open", async () => {
    const app = await openApp();
    await app.evaluate("bridge.onToolCall('work', () => (window.worked = true)), bridge.registerTools([work])");
    const agent = await openAgent(app);
    await app.evaluate("bridge.destroy()");
    await agent.evaluate("client.timeoutMs = 500");
    expect(await callTool(agent, "work", {})).toBe("failed: Timeout: work");
    expect(await app.evaluate("window.worked")).toBeUndefined();
    expect(await app.popups()).toHaveLength(1);
  });
});

describe("beside a stock agent", () => {
  test("calls that run side by side are answered each by its own id", async () => {
    const app = await openApp();
    await app.evaluate(
      "bridge.onToolCall('work', ({ n }) => new Promise((done) => setTimeout(() => done(n * n), 20 * (5 - n))))",
    );
    await app.evaluate("bridge.registerTools([work])");
    const agent = await openAgent(app);
    const squares = "Promise.all([1, 2, 3, 4, 5].map((n) => client.callTool('work', { n })))";
    expect(await agent.evaluate(squares)).toEqual([1, 4, 9, 16, 25]);
  });

  test("arguments that do not match are refused before the handler runs", async () => {
    const app = await openApp();
    await app.evaluate("bridge.onToolCall('work', () => (window.worked = true)), bridge.registerTools([work])");
    const agent = await openAgent(app);
    expect(await callTool(agent, "work", { n: "many" })).toMatch(/^failed: .*n/);
    expect(await app.evaluate("window.worked")).toBeUndefined();
  });

  test("everything goes by window messages, in the seed's words", async () => {
    const app = await openApp();
    await app.evaluate("bridge.onToolCall('work', () => 'done'), bridge.registerTools([work])");
    const agent = await openAgent(app);
    await agent.evaluate(() => {
      const types = new Set<string>();
      Object.assign(window, { types });
      addEventListener("message", ({ data }: MessageEvent<{ readonly type: string }>) => types.add(data.type));
    });
    expect(await callTool(agent, "work", {})).toBe("done");
    await app.evaluate("bridge.registerTool({ ...work, name: 'more' }), bridge.injectMessage('Hello')");
    await agent.waitFor("types.size >= 4");
    const types = ["inject_message", "ping", "tool_response", "tools_list"];
    expect(await agent.evaluate("[...types].toSorted()")).toEqual(types);
  });
});

describe("states, heartbeat and recovery", () => {
  test("from the first state to the last, by what happens to the window", async () => {
    const app = await openApp();
    expect(await state(app)).toBe("disconnected");
    const agent = await app.popup(() =>
      app.evaluateAsUser("void (bridge.openAgent(), said.push(bridge.getConnectionState()))"),
    );
    await connected(app);
    await agent.close();
    await app.waitFor("bridge.getConnectionState() === 'disconnected'");
    expect(await said(app)).toEqual(
      expect.arrayContaining([
        "disconnected → connecting",
        "connecting",
        "connecting → connected",
        "connected → disconnected",
      ]),
    );
  });

  test("a ping every 5 s, lost after 15 s without a pong, given up after 5 attempts; a look each second", async () => {
    const app = await openApp();
    // Seconds pass five times as fast. The pings to a window that loads are sooner than that.
    await app.evaluate(() => {
      const { setTimeout } = window;
      const waits = new Set<number>();
      const sooner = (run: () => void, wait: number) => {
        waits.add(wait);
        return setTimeout(run, wait < 1000 ? wait : wait / 5);
      };
      Object.assign(window, { setTimeout: sooner, waits });
    });
    await app.evaluate("void createBridge({ heartbeatInterval: undefined, heartbeatTimeout: undefined })");
    const agent = await openAgent(app);
    await app.evaluate("waits.clear()");
    await agent.waitFor("(client.pings.length = 0, true)");
    await agent.waitFor("client.pings.length >= 2");
    expect(await app.evaluate("[...waits].toSorted((one, other) => one - other)")).toEqual([1000, 5000]);
    await agent.evaluate("client.answersPings = false, client.pings.length = 0");
    await app.waitFor("said.at(-1) === 'reconnecting → disconnected'");
    expect((await said(app)).slice(2)).toEqual(["connected → reconnecting", "reconnecting → disconnected"]);
    // Three of them within the 15 s, and one for each attempt.
    expect(await agent.evaluate("client.pings.length")).toBeGreaterThanOrEqual(3 + 5);
  });

  test("recovery only finds a window that is still open, under its name, and leaves none behind", async () => {
    const app = await openApp();
    await app.evaluate("bridge.registerTools([work])");
    const agent = await openAgent(app);
    expect(await agent.evaluate("window.name")).toBe("seahorse-agent");
    await agent.close();
    await app.reload();
    await app.waitFor("window.ran");
    await app.evaluate("createBridge().registerTools([work])");
    expect([await state(app), await app.evaluate("bridge.isAgentOpen()")]).toEqual(["disconnected", false]);
    expect(await app.popups()).toEqual([]);
    await openAgent(app);
  });

  test("after a refresh the agent goes on with the tools that are registered again", async () => {
    const app = await openApp();
    await app.evaluate("bridge.onToolCall('work', () => 'before'), bridge.registerTools([work])");
    const agent = await openAgent(app);
    await app.reload();
    await app.waitFor("window.ran");
    await app.evaluate("createBridge().registerTools([work]), bridge.onToolCall('work', () => 'after')");
    await connected(app);
    expect(await callTool(agent, "work", {})).toBe("after");
  });

  test("callbacks are called and events dispatched, for every change", async () => {
    const app = await openApp();
    await app.evaluate(() => {
      window.addEventListener("agent-connection-state-changed", (event) => {
        const { previousState, currentState } = (event as CustomEvent<Record<string, string>>).detail;
        window.heard.push(`${previousState} → ${currentState}`);
      });
    });
    const agent = await openAgent(app);
    await agent.close();
    await app.waitFor("bridge.getConnectionState() === 'disconnected'");
    const changes = (await said(app)).filter((line) => line.includes("→"));
    expect([changes.length, await app.evaluate("heard")]).toEqual([3, changes]);
  });
});

declare global {
  interface Window {
    heard: string[];
  }
}

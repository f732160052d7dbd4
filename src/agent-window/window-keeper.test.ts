import { describe, expect, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import { FakeTab, agentOrigin, connected, tool } from "./fake-tab.test-helper.ts";
import { SeahorseAgentBridge } from "./agent-bridge.ts";

describe("recovery", () => {
  test("BR18: the first registerTools after a reload finds the window", async () => {
    const recovered: unknown[] = [];
    const { tab, agent } = await connected();
    tab.reload();
    const again = tab.bridge({ onSessionRecovered: (window) => void recovered.push(window) });
    again.registerTool(tool("zero"));
    expect(again.isAgentOpen()).toBe(false);
    again.registerTools([tool("one")]);
    expect([again.getConnectionState(), recovered]).toEqual(["connecting", []]);
    await tab.clock.advance(300);
    expect([again.getConnectionState(), agent.shown.length]).toEqual(["connected", 1]);
    expect(recovered).toEqual([agent]);
    expect(agent.toolNames.at(-1)).toEqual(["zero", "one"]);
    again.registerTools([tool("two")]);
    expect(recovered).toHaveLength(1);
  });

  test("BR18: a bridge with a toolbox looks for it by itself", async () => {
    const { tab } = await connected();
    tab.reload();
    const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator });
    const again = tab.bridge({ toolbox });
    await tab.clock.advance(300);
    expect(again.getConnectionState()).toBe("connected");
  });

  test("without autoRecover only tryRecoverSession looks", async () => {
    const { tab } = await connected({ autoRecover: false });
    tab.reload();
    const again = tab.bridge({ autoRecover: false });
    again.registerTools([tool("one")]);
    expect(again.getConnectionState()).toBe("disconnected");
    again.tryRecoverSession();
    await tab.clock.advance(300);
    expect(again.getConnectionState()).toBe("connected");
  });

  test("a tab that opened no window does not look for one", () => {
    const tab = new FakeTab();
    tab.windows.set("seahorse-agent", tab.agentNamed("seahorse-agent"));
    const bridge = new SeahorseAgentBridge({ agentOrigin }, tab.environment());
    bridge.registerTools([tool("one")]);
    bridge.tryRecoverSession();
    expect([bridge.reconnect(), bridge.isAgentOpen(), tab.windows.size]).toEqual([false, false, 1]);
  });

  test.each([{}, { windowName: "assistant" }])(
    "a tab with a copy of this one's storage does not look for a window, and takes none over %j",
    async (config) => {
      const { tab, bridge, agent } = await connected(config);
      const copy = new FakeTab();
      for (const [name, value] of tab.stored) copy.stored.set(name, value);
      copy.stored.set("other", "thing");
      // A window that a page opens is in its group, and finds windows by their names.
      copy.windows.set(agent.name, agent);
      const other = copy.bridge(config);
      other.registerTools([tool("one")]);
      expect([other.reconnect(), other.isAgentOpen(), agent.shown.length]).toEqual([false, false, 1]);
      expect(bridge.getConnectionState()).toBe("connected");
    },
  );

  test("a tab with a copy of this one's storage opens a window of its own", async () => {
    const { tab, agent } = await connected();
    const copy = new FakeTab();
    for (const [name, value] of tab.stored) copy.stored.set(name, value);
    copy.stored.set("other", "thing");
    copy.windows.set(agent.name, agent);
    copy.bridge().openAgent();
    expect([copy.windows.size, agent.shown.length]).toEqual([2, 1]);
  });

  test("a page from the back/forward cache has its window again, and no copy does", async () => {
    const { tab, bridge } = await connected();
    tab.page.dispatchEvent(new Event("pagehide"));
    expect(tab.stored.size).toBe(2);
    tab.page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await tab.clock.advance(300);
    expect([tab.stored.size, bridge.getConnectionState()]).toEqual([0, "connected"]);
  });

  test("the blank window that a browser opens if there is none is closed at once, and no other", async () => {
    const { tab, agent } = await connected();
    tab.reload();
    agent.close();
    const again = tab.bridge();
    again.registerTools([tool("one")]);
    expect([tab.windows.size, tab.agent === agent, tab.agent.closed]).toEqual([1, false, true]);
    expect(again.getConnectionState()).toBe("disconnected");
    again.tryRecoverSession();
    expect(tab.changes).toHaveLength(2);
  });

  test("a window that the browser does not return is not looked for again", async () => {
    const { tab, agent } = await connected();
    tab.reload();
    agent.close();
    tab.blocksPopups = true;
    const again = tab.bridge();
    again.registerTools([tool("one")]);
    tab.blocksPopups = false;
    again.tryRecoverSession();
    expect([tab.agent, again.getConnectionState()]).toEqual([agent, "disconnected"]);
  });

  test("reconnect returns whether there is a window, and pings it", async () => {
    const tab = new FakeTab();
    const bridge = tab.bridge();
    expect(bridge.reconnect()).toBe(false);
    bridge.openAgent();
    expect(bridge.reconnect()).toBe(true);
    await tab.clock.advance(300);
    const { agent } = tab;
    const pings = agent.payloads("ping").length;
    expect(bridge.reconnect()).toBe(true);
    expect(agent.payloads("ping")).toHaveLength(pings + 1);
    agent.answers = false;
    await tab.clock.advance(20_000);
    agent.answers = true;
    expect(bridge.reconnect()).toBe(true);
    await tab.clock.advance(0);
    expect(bridge.getConnectionState()).toBe("connected");
    agent.close();
    expect(bridge.reconnect()).toBe(false);
    expect(tab.changes.at(-1)).toBe("connected disconnected closed-by-user");
  });

  test("after a reload reconnect finds the window", async () => {
    const { tab } = await connected();
    tab.reload();
    const again = tab.bridge();
    expect(again.reconnect()).toBe(true);
    await tab.clock.advance(300);
    expect(again.getConnectionState()).toBe("connected");
  });
});

import { describe, expect, test, vi } from "vitest";
import { PagewireError } from "../wire/index.ts";
import { AgentBridge, SeahorseAgentBridge } from "./agent-bridge.ts";
import { FakeTab, agentOrigin, connected, tool } from "./fake-tab.test-helper.ts";

describe("opening", () => {
  test("openAgent opens the address in a window beside the page and returns the window", async () => {
    const tab = new FakeTab();
    const bridge = tab.bridge({ agentUrl: `${agentOrigin}/chat?from=shop` });
    expect(bridge.getConnectionState()).toBe("disconnected");
    const opened: unknown = bridge.openAgent();
    expect(opened).toBe(tab.agent);
    expect(tab.agent.shown).toEqual([`${agentOrigin}/chat?from=shop`]);
    expect(tab.agent.features).toBe("popup,width=480,height=900,left=820,top=50");
    expect([bridge.getConnectionState(), bridge.isAgentOpen()]).toEqual(["connecting", true]);
  });

  test("a tab has no features, and a window has the configured ones", () => {
    for (const [config, features] of [
      [{ open: "tab" }, ""],
      [{ windowFeatures: "popup,width=300" }, "popup,width=300"],
    ] as const) {
      const tab = new FakeTab();
      tab.bridge(config).openAgent();
      expect(tab.agent.features).toBe(features);
    }
  });

  test("an existing window is brought to the front and not reloaded; one given up is", async () => {
    const { tab, bridge, agent } = await connected();
    bridge.openAgent();
    agent.answers = false;
    await tab.clock.advance(20_000);
    expect(bridge.getConnectionState()).toBe("reconnecting");
    bridge.openAgent();
    expect([agent.shown.length, agent.focused]).toEqual([1, 2]);
    await tab.clock.advance(30_000);
    expect(bridge.getConnectionState()).toBe("disconnected");
    agent.answers = true;
    bridge.openAgent();
    expect([agent.shown.length, agent.focused]).toEqual([2, 2]);
    await tab.clock.advance(300);
    expect(bridge.getConnectionState()).toBe("connected");
  });

  test("a blocked window gives null and a reason; the next attempt may succeed", async () => {
    const tab = new FakeTab();
    const bridge = tab.bridge();
    tab.blocksPopups = true;
    bridge.injectMessage("Hello");
    expect(bridge.openAgent()).toBeNull();
    expect(tab.changes).toEqual(["disconnected connecting", "connecting disconnected popup-blocked"]);
    expect([bridge.getConnectionReason(), bridge.isAgentOpen()]).toEqual(["popup-blocked", false]);
    tab.blocksPopups = false;
    bridge.openAgent();
    await tab.clock.advance(300);
    expect(tab.agent.payloads("inject_message")).toEqual([{ message: "Hello" }]);
    expect(bridge.getConnectionReason()).toBeUndefined();
  });

  test("a listener may retry at once after a blocked window", () => {
    const tab = new FakeTab();
    tab.blocksPopups = true;
    const bridge: AgentBridge = tab.bridge({
      onConnectionChange: (_state, previous) => {
        if (previous === "connecting") tab.blocksPopups = false;
        if (previous === "connecting" && !bridge.isAgentOpen()) bridge.openAgent();
      },
    });
    bridge.openAgent();
    expect(bridge.getConnectionState()).toBe("connecting");
  });

  test("the window's name survives a reload, differs in another tab, and can be configured", () => {
    const tab = new FakeTab();
    tab.bridge().openAgent();
    tab.reload();
    const again = tab.bridge();
    again.tryRecoverSession();
    expect([tab.windows.size, again.isAgentOpen()]).toEqual([1, true]);
    const [name = ""] = tab.windows.keys();
    expect(name).toMatch(/^pagewire-agent-./);

    const other = new FakeTab();
    other.stored.set("other", "thing");
    other.bridge().openAgent();
    other.bridge({ windowName: "assistant" }).openAgent();
    expect([...other.windows.keys()]).toEqual([expect.not.stringMatching(`^${name}$`), "assistant"]);

    const seed = new FakeTab();
    new SeahorseAgentBridge({ agentOrigin }, seed.environment()).openAgent();
    expect([...seed.windows.keys()]).toEqual(["seahorse-agent"]);
  });
});

describe("the end", () => {
  test("destroy leaves the window open, sends a goodbye, and removes all listeners", async () => {
    const { tab, bridge, agent } = await connected();
    bridge.destroy();
    bridge.destroy();
    expect(tab.changes.at(-1)).toBe("connected disconnected destroyed");
    expect([agent.closed, tab.clock.pending, agent.payloads("parent_bye").length]).toEqual([false, 0, 1]);
    agent.say({ type: "pong" });
    await tab.clock.advance(60_000);
    expect(tab.changes).toHaveLength(3);
    const next = tab.bridge();
    next.registerTools([]);
    await tab.clock.advance(300);
    expect(next.getConnectionState()).toBe("connected");
  });

  test("a destroyed bridge refuses to open and inject", async () => {
    const { bridge } = await connected();
    bridge.destroy();
    for (const use of [() => bridge.openAgent(), () => bridge.injectMessage("Hello")]) {
      expect(use).toThrow(PagewireError);
      expect(use).toThrow("destroyed");
    }
    bridge.tryRecoverSession();
    bridge.closeAgent();
    bridge.registerTools([tool("one")]);
    expect([bridge.reconnect(), bridge.isAgentOpen()]).toEqual([false, false]);
  });

  test("a tab without storage supports everything but the recovery", async () => {
    const tab = new FakeTab();
    const none = { get: () => undefined, set() {}, remove() {}, names: () => [] };
    const environment = { ...tab.environment(), storage: none };
    const bridge = new AgentBridge({ agentOrigin }, environment);
    bridge.openAgent();
    await tab.clock.advance(300);
    expect(bridge.getConnectionState()).toBe("connected");
  });
});

test("a call is refused if the module that runs it cannot be loaded, and the next one retries", async () => {
  vi.resetModules();
  vi.doMock("./agent-calls.ts", () => {
    throw new Error("No such file.");
  });
  const { FakeTab: Tab } = await import("./fake-tab.test-helper.ts");
  const tab = new Tab();
  const bridge = tab.bridge();
  bridge.registerTool(tool("work"));
  bridge.onToolCall("work", () => "done");
  bridge.openAgent();
  await tab.clock.advance(300);
  const answerTo = async (call_id: string) => {
    const before = tab.agent.payloads("tool_response").length;
    tab.agent.say({ type: "tool_call", payload: { call_id, tool_name: "work", arguments: {} } });
    await vi.waitFor(() => expect(tab.agent.payloads("tool_response").length).toBeGreaterThan(before));
    return tab.agent.payloads("tool_response").at(-1);
  };
  expect(await answerTo("one")).toMatchObject({ call_id: "one", success: false, code: "part-missing" });
  vi.doUnmock("./agent-calls.ts");
  expect(await answerTo("two")).toEqual({ call_id: "two", success: true, result: "done" });
});

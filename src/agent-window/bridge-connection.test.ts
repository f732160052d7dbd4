import { describe, expect, test, vi } from "vitest";
import type { AgentBridge } from "./agent-bridge.ts";
import type { ConnectionState } from "./bridge-states.ts";
import { FakeTab, agentOrigin, connected, tool } from "./fake-tab.test-helper.ts";
import type { FakeAgent } from "./fake-tab.test-helper.ts";

describe("states", () => {
  test("BR3, BR9: an opened window gets pings until it answers, but not while it is blank", async () => {
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    tab.opened = (agent) => (agent.origin = "null");
    const bridge = tab.bridge();
    bridge.openAgent();
    await tab.clock.advance(1000);
    expect(tab.agent.received).toEqual([]);
    tab.agent.origin = agentOrigin;
    await tab.clock.advance(1000);
    expect(tab.agent.payloads("ping")).toHaveLength(4);
    tab.agent.answers = true;
    await tab.clock.advance(250);
    expect(bridge.getConnectionState()).toBe("connected");
    await tab.clock.advance(10_000);
    expect(tab.agent.payloads("ping")).toHaveLength(7);
  });

  test("each change is reported to the callback and as an event, with the previous state and the reason", async () => {
    const told: unknown[] = [];
    const tab = new FakeTab();
    const bridge = tab.bridge({ onConnectionChange: (...change) => void told.push(change) });
    const heard: unknown[] = [];
    tab.page.addEventListener("agent-connection-state-changed", (event) => {
      heard.push((event as CustomEvent<unknown>).detail);
    });
    bridge.openAgent();
    await tab.clock.advance(300);
    bridge.closeAgent();
    expect(told).toEqual([
      ["connecting", "disconnected", undefined],
      ["connected", "connecting", undefined],
      ["disconnected", "connected", "closed"],
    ]);
    expect(heard).toEqual(
      (told as string[][]).map(([currentState, previousState, reason]) => ({ previousState, currentState, reason })),
    );
  });

  test("errors of callbacks are reported, and change nothing", async () => {
    const fail = () => {
      throw new Error("mine");
    };
    const stages: string[] = [];
    const tab = new FakeTab();
    const bridge = tab.bridge({
      onConnectionChange: fail,
      onWindowClosed: fail,
      onError: (_error, { stage }) => void stages.push(stage),
    });
    bridge.openAgent();
    await tab.clock.advance(300);
    tab.agent.close();
    await tab.clock.advance(1000);
    expect(bridge.getConnectionState()).toBe("disconnected");
    expect(stages).toEqual([...Array<string>(3).fill("onConnectionChange"), "onWindowClosed"]);
  });

  test("onError may throw, too, and the bridge still ends completely", async () => {
    const fail = () => {
      throw new Error("mine");
    };
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const tab = new FakeTab();
    const bridge = tab.bridge({ onConnectionChange: fail, onWindowClosed: fail, onError: fail });
    tab.agentsAnswer = false;
    bridge.openAgent();
    bridge.injectMessage("waits");
    bridge.destroy();
    expect([bridge.isAgentOpen(), tab.clock.pending]).toEqual([false, 0]);
    expect(log.mock.calls.map(([stage]) => stage as string)).toContain("Pagewire (onConnectionChange):");
    log.mockRestore();
  });

  test("a callback may end the bridge, and nothing goes on after it", async () => {
    const tab = new FakeTab();
    const states: ConnectionState[] = [];
    const bridge: AgentBridge = tab.bridge({
      onConnectionChange: (state) => {
        states.push(state);
        if (state === "connected") bridge.destroy();
      },
    });
    bridge.openAgent();
    await tab.clock.advance(60_000);
    expect([states, tab.clock.pending]).toEqual([["connecting", "connected", "disconnected"], 0]);
  });

  test.each([1, 2, 3, 4, 5])("BR10: a silent window is found again at attempt %i", async (attempt) => {
    const { tab, bridge, agent } = await connected();
    agent.answers = false;
    await tab.clock.advance(20_000);
    expect([bridge.getConnectionState(), bridge.getConnectionReason()]).toEqual(["reconnecting", "not-responding"]);
    await tab.clock.advance((attempt - 1) * 5000 - 100);
    agent.answers = true;
    await tab.clock.advance(5000);
    expect(bridge.getConnectionState()).toBe("connected");
    expect(agent.payloads("tools_list")).toHaveLength(2);
  });

  test("BR10, BR11: a window is given up after five attempts; when it answers later it is connected again", async () => {
    const { tab, bridge, agent } = await connected();
    agent.answers = false;
    await tab.clock.advance(45_000);
    expect(tab.changes.slice(2)).toEqual([
      "connected reconnecting not-responding",
      "reconnecting disconnected not-responding",
    ]);
    await tab.clock.advance(600_000);
    agent.answers = true;
    await tab.clock.advance(5000);
    expect(tab.changes.slice(4)).toEqual(["disconnected connecting", "connecting connected"]);
    expect(bridge.getConnectionReason()).toBeUndefined();
  });

  test("BR11: without autoRecover it is ignored until the page retries", async () => {
    const { tab, bridge, agent } = await connected({ autoRecover: false });
    agent.answers = false;
    await tab.clock.advance(60_000);
    const pings = agent.payloads("ping").length;
    agent.answers = true;
    agent.say({ type: "pong" });
    await tab.clock.advance(60_000);
    expect([bridge.getConnectionState(), agent.payloads("ping").length]).toEqual(["disconnected", pings]);
    expect(bridge.reconnect()).toBe(true);
    await tab.clock.advance(300);
    expect(bridge.getConnectionState()).toBe("connected");
  });

  test("a window that the user closed is noticed within a second", async () => {
    let closed = 0;
    const { tab, bridge, agent } = await connected({ onWindowClosed: () => closed++ });
    agent.close();
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connected disconnected closed-by-user");
    expect([closed, bridge.isAgentOpen(), tab.clock.pending]).toEqual([1, false, 0]);
  });

  test("closeAgent closes it, and may be called without one", async () => {
    let closed = 0;
    const { tab, bridge, agent } = await connected({ onWindowClosed: () => closed++ });
    bridge.closeAgent();
    bridge.closeAgent();
    expect([agent.closed, closed, tab.changes.at(-1)]).toEqual([true, 1, "connected disconnected closed"]);
    expect(tab.clock.pending).toBe(0);
  });

  test.each<[string, (tab: FakeTab) => unknown]>([
    ["before it showed a page", ({ agent }) => (agent.origin = "null")],
    ["without the focus back", ({ traits }) => (traits.hasFocus = false)],
    ["in a page that is isolated", ({ traits }) => (traits.crossOriginIsolated = true)],
  ])("a window that never answered and looks closed %s was cut off", async (_case, arrange) => {
    let closed = 0;
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    tab.opened = () => arrange(tab);
    tab.bridge({ onWindowClosed: () => closed++ }).openAgent();
    await tab.clock.advance(2000);
    tab.agent.close();
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connecting disconnected cut-off");
    expect(tab.errors).toMatchObject([{ code: "window-unreachable", message: expect.stringContaining("mount()") }]);
    expect(closed).toBe(1);
  });

  test("a window that showed a page, never answered and is closed counts as closed by the user", async () => {
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    tab.bridge().openAgent();
    await tab.clock.advance(750);
    tab.agent.close();
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connecting disconnected closed-by-user");
  });

  test("a window that had answered counts as closed", async () => {
    const { tab, agent } = await connected();
    tab.traits.hasFocus = false;
    agent.close();
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connected disconnected closed-by-user");
  });

  test("BR15: a window that leaves for another page gets one more ping, and is given up", async () => {
    const { tab, bridge, agent } = await connected();
    agent.say({ type: "agent_bye", payload: {} });
    agent.answers = false;
    await tab.clock.advance(2000);
    expect(bridge.getConnectionState()).toBe("connected");
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connected reconnecting navigated-away");
    await tab.clock.advance(25_000);
    expect(tab.changes.at(-1)).toBe("reconnecting disconnected navigated-away");
  });

  test("BR15: a window that only reloads stays connected, and gets the tools again", async () => {
    const { tab, bridge, agent } = await connected();
    bridge.registerTool(tool("one"));
    agent.say({ type: "agent_bye", payload: {} });
    agent.answers = false;
    await tab.clock.advance(1000);
    agent.answers = true;
    await tab.clock.advance(300);
    expect(tab.changes).toHaveLength(2);
    expect(agent.toolNames).toEqual([[], ["one"], ["one"]]);
  });

  test("BR15: a window of another make that reloads between two pings gets the tools again with the next", async () => {
    const { tab, bridge, agent } = await connected();
    bridge.registerTool(tool("one"));
    await tab.clock.advance(0);
    const before = agent.toolNames.length;
    await tab.clock.advance(5000);
    expect(agent.toolNames.slice(before)).toEqual([["one"]]);
    expect(tab.changes).toHaveLength(2);
  });

  test("BR15: a window that unloads because it is closed counts as closed", async () => {
    const { tab, agent } = await connected();
    agent.say({ type: "agent_bye", payload: {} });
    agent.close();
    await tab.clock.advance(1000);
    expect(tab.changes.at(-1)).toBe("connected disconnected closed-by-user");
  });

  test("BR15: a window that sends from another origin, or shows a page of this one, has navigated away", async () => {
    for (const go of [
      (agent: FakeAgent) => agent.say({ type: "pong" }, "https://elsewhere.example"),
      (agent: FakeAgent) => agent.show("https://shop.example/login"),
    ]) {
      const { tab, agent } = await connected();
      agent.answers = false;
      go(agent);
      await tab.clock.advance(45_000);
      expect(tab.changes.slice(2)).toEqual([
        "connected reconnecting navigated-away",
        "reconnecting disconnected navigated-away",
      ]);
    }
  });

  test("a window that another page took over is released, and gets no more pings", async () => {
    const { tab, bridge, agent } = await connected();
    agent.say({ type: "parent_replaced", payload: {} });
    await tab.clock.advance(0);
    expect(tab.changes.at(-1)).toBe("connected disconnected replaced");
    const heard = agent.received.length;
    agent.say({ type: "pong" });
    await tab.clock.advance(60_000);
    expect([agent.received.length, bridge.isAgentOpen(), agent.closed]).toEqual([heard, false, false]);
    bridge.tryRecoverSession();
    expect(bridge.getConnectionState()).toBe("disconnected");
  });

  test("a window that never answers is given up after 15 seconds, and reported as unreachable", async () => {
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    const bridge = tab.bridge({ heartbeatTimeout: 1000 });
    bridge.openAgent();
    await tab.clock.advance(14_999);
    expect(bridge.getConnectionState()).toBe("connecting");
    await tab.clock.advance(1);
    expect(tab.changes.at(-1)).toBe("connecting disconnected not-responding");
    expect(tab.errors).toMatchObject([
      { code: "window-unreachable", message: expect.stringContaining("https://shop.example") },
    ]);
    expect(bridge.isAgentOpen()).toBe(true);
  });

  test("a page without an origin of its own gets that as the reason", async () => {
    const tab = new FakeTab();
    tab.traits.origin = "null";
    tab.agentsAnswer = false;
    tab.bridge().openAgent();
    await tab.clock.advance(15_000);
    expect(tab.changes.at(-1)).toBe("connecting disconnected origin-refused");
  });
});

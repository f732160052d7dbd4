// The bridge with another vendor's agent page, written by hand, in a real browser.
import { expect, onTestFinished, test, vi } from "vitest";
import { AgentBridge } from "./agent-bridge.ts";
import type { BridgeConfig } from "./bridge-config.ts";

interface StockAgent extends Window {
  callTool(name: string, args: object): Promise<unknown>;
  readonly tools: { readonly name: string }[];
  readonly injected: unknown[];
}

/** Everything that such a page does. */
const program = `
  const page = opener ?? parent;
  const calls = new Map();
  window.tools = [];
  window.injected = [];
  addEventListener("message", ({ source, origin, data: { type, payload } }) => {
    if (source !== page || origin !== location.origin) return;
    if (type === "ping") page.postMessage({ type: "pong", payload: {} }, origin);
    if (type === "tools_list") window.tools = payload.tools;
    if (type === "inject_message") injected.push(payload);
    if (type !== "tool_response") return;
    const { resolve, reject } = calls.get(payload.call_id);
    if (payload.success) resolve(payload.result);
    else reject(new Error(payload.error));
  });
  window.callTool = (name, args) => new Promise((resolve, reject) => {
    const call_id = "call_" + Date.now() + "_" + Math.random();
    calls.set(call_id, { resolve, reject });
    page.postMessage({ type: "tool_call", payload: { call_id, tool_name: name, arguments: args } }, location.origin);
  });`;

/** A bridge to such an agent page at this origin. */
function createBridge(config: Partial<BridgeConfig> = {}) {
  const agentUrl = URL.createObjectURL(new Blob([`<script>${program}</script>`], { type: "text/html" }));
  const states: string[] = [];
  const bridge = new AgentBridge({
    agentOrigin: location.origin,
    agentUrl,
    windowName: `stock ${Math.random()}`,
    onConnectionChange: (state, _previous, reason) => states.push([state, ...(reason ? [reason] : [])].join(" ")),
    ...config,
  });
  const element = document.createElement("div");
  document.body.append(element);
  onTestFinished(() => {
    bridge.closeAgent();
    bridge.destroy();
    element.remove();
    URL.revokeObjectURL(agentUrl);
  });
  return { bridge, element, states };
}

const isConnected = (bridge: AgentBridge) => vi.waitFor(() => expect(bridge.getConnectionState()).toBe("connected"));

const sales = {
  name: "get_sales",
  description: "Sales",
  parameters: { type: "object", properties: { days: { type: "number" } } },
};

test("mount shows the agent in a single frame that fills its element", async () => {
  const { bridge, element, states } = createBridge();
  const frame = bridge.mount(element);
  expect(bridge.mount(element)).toBe(frame);
  expect([element.childElementCount, frame.title, frame.style.width]).toEqual([1, "AI assistant", "100%"]);
  await isConnected(bridge);
  expect(states).toEqual(["connecting", "connected"]);
  expect(bridge.openAgent()).toBe(frame.contentWindow);
  bridge.closeAgent();
  expect([element.childElementCount, bridge.isAgentOpen(), states.at(-1)]).toEqual([0, false, "disconnected closed"]);
});

test("a frame replaces a window, or a frame elsewhere", async () => {
  const { bridge, element } = createBridge();
  const opened = bridge.openAgent();
  await isConnected(bridge);
  bridge.mount(element);
  expect(opened?.closed).toBe(true);
  await isConnected(bridge);
  const other = document.createElement("div");
  document.body.append(other);
  onTestFinished(() => other.remove());
  bridge.mount(other);
  await isConnected(bridge);
  expect([element.childElementCount, other.childElementCount]).toEqual([0, 1]);
});

test("a frame left by an earlier bridge shows the new address, and is replaced by a window", async () => {
  const windowName = `kept ${Math.random()}`;
  const first = createBridge({ windowName });
  const frame = first.bridge.mount(first.element);
  await isConnected(first.bridge);
  first.bridge.destroy();
  const { src } = frame;
  const { bridge } = createBridge({ windowName, heartbeatTimeout: 100, heartbeatInterval: 50 });
  expect([bridge.mount(first.element) === frame, frame.src === src]).toEqual([true, false]);
  await isConnected(bridge);
  frame.contentWindow?.stop();
  frame.srcdoc = "silent";
  await vi.waitFor(() => expect(bridge.getConnectionState()).toBe("disconnected"));
  bridge.openAgent();
  expect([frame.isConnected, bridge.isAgentOpen()]).toEqual([false, true]);
  await isConnected(bridge);
});

test("an element that is not in the page is refused", () => {
  const { bridge } = createBridge();
  expect(() => bridge.mount(document.createElement("div"))).toThrow("not in the page");
  expect(bridge.getConnectionState()).toBe("disconnected");
});

test.each(["frame", "popup", "tab"])(
  "another vendor's agent, in a %s, receives tools and messages and calls tools",
  async (place) => {
    const { bridge, element } = createBridge({ open: place === "tab" ? "tab" : "popup" });
    bridge.registerTools([sales]);
    bridge.onToolCall<{ days: number }>("get_sales", async ({ days }) => ({ total: days * 2 }));
    bridge.injectMessage("early");
    const window = place === "frame" ? bridge.mount(element).contentWindow : bridge.openAgent();
    await isConnected(bridge);
    const agent = window as StockAgent;
    await vi.waitFor(() => expect(agent.injected).toEqual([{ message: "early" }]));
    expect(agent.tools).toEqual([sales]);
    const calls = Array.from({ length: 50 }, (_, days) => agent.callTool("get_sales", { days }));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 50 }, (_, days) => ({ total: days * 2 })));
    await expect(agent.callTool("get_sales", { days: "many" })).rejects.toThrow("/days");
    await expect(agent.callTool("other", {})).rejects.toThrow("registerTool");
    bridge.onToolCall("get_sales", () => "x".repeat(1_000_000));
    expect(await agent.callTool("get_sales", {})).toHaveLength(1_000_000);
  },
);

test("a popup that is closed is noticed", async () => {
  const onWindowClosed = vi.fn<() => void>();
  const { bridge, states } = createBridge({ onWindowClosed });
  const opened = bridge.openAgent();
  await isConnected(bridge);
  opened?.close();
  await vi.waitFor(() => expect(states.at(-1)).toBe("disconnected closed-by-user"));
  expect(onWindowClosed).toHaveBeenCalledOnce();
});

test("BR18: the next bridge of the same page finds the window that the last one left, by its name", async () => {
  const onSessionRecovered = vi.fn<(window: Window) => void>();
  const windowName = `kept ${Math.random()}`;
  const { bridge } = createBridge({ windowName });
  const opened = bridge.openAgent();
  await isConnected(bridge);
  bridge.destroy();
  const next = createBridge({ windowName, onSessionRecovered });
  next.bridge.registerTools([sales]);
  await isConnected(next.bridge);
  expect(onSessionRecovered.mock.calls).toEqual([[opened]]);
});

test("BR28: messages of a page inside the agent's window, or beside it, are ignored", async () => {
  const { bridge, element } = createBridge();
  const handler = vi.fn<() => string>(() => "ran");
  bridge.registerTool(sales);
  bridge.onToolCall("get_sales", handler);
  const agent = bridge.mount(element).contentWindow as StockAgent;
  await isConnected(bridge);
  const forged = { type: "tool_call", payload: { call_id: "f1", tool_name: "get_sales", arguments: {} } };
  const heard = new Set<unknown>();
  const listen = ({ source }: MessageEvent) => heard.add(source);
  addEventListener("message", listen);
  onTestFinished(() => removeEventListener("message", listen));
  for (const parent of [agent.document.body, element]) {
    const frame = parent.ownerDocument.createElement("iframe");
    parent.append(frame);
    const inside = frame.contentWindow as (Window & typeof globalThis) | null;
    inside?.eval(`top, (to) => to.postMessage(${JSON.stringify(forged)}, "${location.origin}")`)(window);
  }
  window.postMessage(forged, location.origin);
  await vi.waitFor(() => expect(heard.size).toBe(3));
  expect(await agent.callTool("get_sales", {})).toBe("ran");
  expect(handler).toHaveBeenCalledTimes(1);
});

import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentBridge } from "./index.ts";
import { codeOf } from "./fake-parent.test-helper.ts";
import { agentAddress, heldHandler, loaded, openFrame, reload } from "./windows.test-helper.ts";
import type { TestWindow } from "./windows.test-helper.ts";

type Handler = (args: Record<string, unknown>) => unknown;

const salesTool = {
  name: "get_sales_data",
  description: "Sales",
  parameters: { type: "object", properties: { days: { type: "number" } } },
};
let count = 0;

/** A bridge in a page of the test, created again after a reload. */
function bridgeIn(page: TestWindow, handler: Handler, windowName: string): AgentBridge {
  const { origin } = location;
  const bridge = new page.agentWindow.AgentBridge({ agentOrigin: origin, agentUrl: agentAddress, windowName });
  bridge.onToolCall("get_sales_data", handler);
  bridge.registerTools([salesTool]);
  return bridge;
}

/** A page in a frame, and the agent's window that it opened. */
async function opened(handler: Handler) {
  const windowName = `agent-of-test-${count++}`;
  const page = await loaded(openFrame("page").contentWindow);
  const bridge = bridgeIn(page, handler, windowName);
  const window = bridge.openAgent();
  if (!window) throw new Error("The browser blocked the agent's window.");
  onTestFinished(() => window.close());
  await vi.waitFor(() => expect(window.location.href).toBe(agentAddress));
  const agent = await loaded(window);
  await overPort(agent);
  return { page, bridge, agent, windowName };
}

async function overPort(agent: TestWindow): Promise<void> {
  await vi.waitFor(() => expect(agent.link.state).toMatchObject({ kind: "connected", via: "port" }));
  await vi.waitFor(() => expect(agent.link.tools).toHaveLength(1));
}

test("PL6: our page and our agent use a port, with parallel calls and small and large results", async () => {
  const { agent, bridge } = await opened(({ days }) => ({ days, text: "x".repeat(1_000_000) }));
  const calls = Array.from({ length: 50 }, (_, days) => agent.link.callTool("get_sales_data", { days }));
  const results = (await Promise.all(calls)) as { days: number; text: string }[];
  expect(results.map(({ days }) => days)).toEqual(Array.from({ length: 50 }, (_, days) => days));
  expect(results.every(({ text }) => text.length === 1_000_000)).toBe(true);
  expect(bridge.getConnectionState()).toBe("connected");
});

test("PL12: our page, reloaded during a call, reports an unknown outcome, and runs nothing twice", async () => {
  const ran = vi.fn<() => void>();
  const { page, agent, windowName } = await opened(() => {
    ran();
    return new Promise(() => {});
  });
  const ended = codeOf(agent.link.callTool("get_sales_data", { days: 1 }));
  await vi.waitFor(() => expect(ran).toHaveBeenCalledOnce());
  const again = await reload(page);
  const ranAgain = vi.fn<Handler>(() => "fresh");
  bridgeIn(again, ranAgain, windowName);
  expect(await ended).toBe("outcome-unknown");
  await overPort(agent);
  expect(await agent.link.callTool("get_sales_data", { days: 2 })).toBe("fresh");
  expect([ran.mock.calls.length, ranAgain.mock.calls.length]).toEqual([1, 1]);
});

test("our agent's window, reloaded during a call, gets its outcome, and the handler ran once", async () => {
  const { handler, answer } = heldHandler();
  const { agent } = await opened(handler);
  void agent.link.callTool("get_sales_data", { days: 1 }, { callId: "request-1" }).catch(() => {});
  await vi.waitFor(() => expect(handler).toHaveBeenCalledOnce());
  const again = await reload(agent);
  const asked = again.link.callTool("get_sales_data", { days: 1 }, { callId: "request-1" });
  await overPort(again);
  answer("kept");
  expect(await asked).toBe("kept");
  expect(await again.link.callTool("get_sales_data", { days: 1 }, { callId: "request-1" })).toBe("kept");
  expect(handler).toHaveBeenCalledOnce();
});

test("PL9: a call that is cancelled or times out is aborted in the page", async () => {
  const signals: AbortSignal[] = [];
  const { agent, bridge } = await opened(() => null);
  bridge.onToolCall("get_sales_data", (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const stop = new AbortController();
  const ended = codeOf(agent.link.callTool("get_sales_data", {}, { signal: stop.signal }));
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  stop.abort();
  expect(await ended).toBe("cancelled");
  await expect(agent.link.callTool("get_sales_data", {}, { timeout: 2000 })).rejects.toMatchObject({
    code: "deadline-exceeded",
  });
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]));
});

test("a page whose window another page takes over is notified", async () => {
  const { agent, bridge, windowName } = await opened(() => "first");
  const second = await loaded(openFrame("page").contentWindow);
  const other = bridgeIn(second, () => "second", windowName);
  expect(other.openAgent()).not.toBeNull();
  await vi.waitFor(() => expect(bridge.getConnectionReason()).toBe("replaced"));
  const again = await loaded(agent);
  await overPort(again);
  expect(await again.link.callTool("get_sales_data", {})).toBe("second");
});

test("PL14: a closed page takes its tools with it", async () => {
  const { agent, page } = await opened(() => "here");
  page.frameElement?.remove();
  await vi.waitFor(() => expect(agent.link.state).toMatchObject({ kind: "lost" }));
  expect(agent.link.tools).toEqual([]);
});

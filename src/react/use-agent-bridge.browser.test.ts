import { act, createElement, StrictMode, useLayoutEffect } from "react";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { AgentBridge } from "../agent-window/index.ts";
import type { OnError } from "../wire/index.ts";
import type { AgentBridgeOptions } from "./hold-bridge.ts";
import { PagewireProvider } from "./pagewire-provider.ts";
import { below, createScreen, createTestPage, saying } from "./react.test-helper.ts";
import type { Screen } from "./react.test-helper.ts";
import { useAgentBridge } from "./use-agent-bridge.ts";
import type { UsedAgentBridge } from "./use-agent-bridge.ts";

vi.mock("../agent-window/index.ts", { spy: true });

/** The state of the agent in `agent.test-peer.xhtml`. */
interface StockAgent {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly lists: number;
  readonly injected: readonly string[];
  call(tool: string, given?: object): Promise<unknown>;
}

const agentUrl = new URL("./agent.test-peer.xhtml", import.meta.url).href;
const opened = new Set<Window>();
let names = 0;

afterEach(() => {
  for (const window of opened) window.close();
  opened.clear();
  vi.mocked(AgentBridge).mockClear();
});

/** An app whose options the test changes, and the hook's latest result. */
function createApp(screen: Screen, base: Partial<AgentBridgeOptions> = {}) {
  const common = { agentOrigin: location.origin, agentUrl, windowName: `agent-${++names}`, heartbeatInterval: 50 };
  let used: UsedAgentBridge | undefined;
  function App({ options }: { readonly options: Partial<AgentBridgeOptions> }): ReactNode {
    used = useAgentBridge({ ...common, ...base, ...options });
    return `${used.state} ${used.reason ?? ""}`.trim();
  }
  const app = (options: Partial<AgentBridgeOptions> = {}) => createElement(App, { options });
  function now(): UsedAgentBridge {
    if (used) return used;
    throw new Error("Nothing was rendered.");
  }
  return {
    app,
    now,
    show: (options?: Partial<AgentBridgeOptions>) => screen.show(app(options)),
    async open(): Promise<StockAgent> {
      const window = await act(async () => now().open());
      if (!window) throw new Error("The window did not open.");
      opened.add(window);
      await settled(() => now().state === "connected");
      return agentIn(window);
    },
  };
}

/** Waits until a condition holds. React renders events of the other window by itself, as it would outside of a test. */
async function settled(isSo: () => boolean): Promise<void> {
  const isActing = (is: boolean) => Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: is });
  isActing(false);
  await vi.waitUntil(isSo, { interval: 10 }).finally(() => isActing(true));
}

function agentIn(window: Window & { readonly agent?: StockAgent }): StockAgent {
  if (window.agent) return window.agent;
  throw new Error("The window shows no agent.");
}

const tool = (text: string, name = "work") => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
  handler: () => text,
});

test("the window's agent is offered the tools of the newest render, and calls its handlers", async () => {
  const screen = createScreen();
  // With each heartbeat an agent of another make gets the tools again.
  const { show, open } = createApp(screen, { heartbeatInterval: 3_600_000 });
  await show({ tools: [tool("one")] });
  const agent = await open();
  await vi.waitUntil(() => agent.tools.length === 1);
  expect(await agent.call("work", {})).toBe("one");
  const { lists } = agent;
  await show({ tools: [tool("two")] });
  expect([await agent.call("work", {}), agent.lists]).toEqual(["two", lists]);
});

test("state, reason and window follow the assistant, and close closes it", async () => {
  const screen = createScreen();
  const { show, open, now } = createApp(screen);
  await show();
  expect(now()).toMatchObject({ state: "disconnected", reason: undefined, window: null });
  await open();
  expect([now().state, now().window?.closed]).toEqual(["connected", false]);
  const { open: openAgain, close, inject } = now();
  await act(async () => now().window?.close());
  await settled(() => now().state === "disconnected");
  expect(now()).toMatchObject({ reason: "closed-by-user", window: null });
  await open();
  await act(async () => now().close());
  await settled(() => now().state === "disconnected");
  expect(now()).toMatchObject({ reason: "closed", window: null, open: openAgain, close, inject });
});

test("callbacks are those of the newest render", async () => {
  const screen = createScreen();
  const { show, open, now } = createApp(screen);
  const [first, newest, closed] = [
    vi.fn<(state: string) => void>(),
    vi.fn<(state: string) => void>(),
    vi.fn<() => void>(),
  ];
  await show({ onConnectionChange: first });
  await show({ onConnectionChange: newest, onWindowClosed: closed });
  await open();
  await act(async () => now().window?.close());
  await settled(() => now().state === "disconnected");
  expect(first).not.toHaveBeenCalled();
  expect(newest.mock.calls.map(([state]) => state)).toEqual(["connecting", "connected", "disconnected"]);
  expect(closed).toHaveBeenCalledOnce();
});

test("what is injected before there is a window, or a bridge, waits for it", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  const { app, now, open } = createApp(screen, { onError });
  await act(async () => {
    screen.showNow(app());
    now().inject(7 as unknown as string);
    now().inject("at once");
  });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(Error), { stage: "useAgentBridge" });
  await act(async () => now().inject("later"));
  const agent = await open();
  await vi.waitUntil(() => agent.injected.length === 2);
  expect(agent.injected).toEqual(["at once", "later"]);
});

test.each([false, true])("one bridge is made, and destroyed with its component (strict: %s)", async (isStrict) => {
  const screen = createScreen();
  const { app, open, now } = createApp(screen, { tools: [tool("one")] });
  const content = () => (isStrict ? createElement(StrictMode, null, app()) : app());
  await screen.show(content());
  const agent = await open();
  expect([vi.mocked(AgentBridge).mock.calls.length, await agent.call("work", {})]).toEqual([1, "one"]);
  const { window, bridge } = now();
  await screen.show(null);
  expect([window?.closed, bridge?.getConnectionState()]).toEqual([false, "disconnected"]);
  await screen.show(content());
  await settled(() => now().state === "connected");
  expect([now().window === window, await agent.call("work", {})]).toEqual([true, "one"]);
});

test("in the very commit that takes the component away its tools are taken back", async () => {
  const screen = createScreen();
  const { app, open, now } = createApp(screen, { tools: [tool("one")] });
  const takenBack = vi.mocked(AgentBridge.prototype.unregisterTool).mockClear().mock.calls;
  const seen: number[] = [];
  function Probe({ content }: { readonly content: ReactNode }): ReactNode {
    useLayoutEffect(() => void seen.push(takenBack.length));
    return content;
  }
  await screen.show(createElement(Probe, { content: app() }));
  await open();
  await screen.show(createElement(Probe, { content: null }));
  expect([seen, now().bridge?.getConnectionState()]).toEqual([[0, 1], "disconnected"]);
});

test("options written anew with the same content keep the bridge; others make another, which finds the window", async () => {
  const screen = createScreen();
  const { show, open, now } = createApp(screen);
  await show({ tools: [tool("one")], onWindowClosed: () => {} });
  const agent = await open();
  const { bridge, window } = now();
  await show({ tools: [tool("one")], onWindowClosed: () => {} });
  expect([now().bridge === bridge, vi.mocked(AgentBridge).mock.calls.length]).toEqual([true, 1]);
  await show({ tools: [tool("one")], heartbeatTimeout: 5000 });
  await settled(() => now().state === "connected" && now().bridge !== bridge);
  expect([now().window === window, await agent.call("work", {})]).toEqual([true, "one"]);
});

test("options of the wrong form go to onError; the app stays", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  const { show, now } = createApp(screen);
  await show({ agentOrigin: "not an origin", onError });
  expect([await act(async () => now().open()), screen.container.textContent]).toEqual([null, "disconnected"]);
  expect(onError.mock.calls).toEqual([
    [expect.objectContaining({ code: "options-invalid" }), { stage: "useAgentBridge" }],
  ]);
});

test("tools that come, change and go are told to the agent; one that is wrong is reported with its name", async () => {
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  const { show, open } = createApp(screen, { onError });
  await show({ tools: [tool("one")] });
  const agent = await open();
  const told = (...names: string[]) =>
    vi.waitUntil(() => JSON.stringify(agent.tools.map(({ name }) => name)) === JSON.stringify(names));
  await show({ tools: [tool("one"), tool("two", "more")] });
  await told("work", "more");
  await show({ tools: [{ ...tool("one"), description: "Else." }, tool("two", "more")] });
  await vi.waitUntil(() => agent.tools.some(({ description }) => description === "Else."));
  await show({ tools: [tool("two", "more"), tool("three", "not a name")] });
  await told("more");
  expect(await agent.call("more", {})).toBe("two");
  expect(onError.mock.calls.map(([, { stage }]) => stage)).toEqual(["useAgentBridge not a name"]);
});

test("with toolbox: true the tools of the provider's page are offered, as they come and go", async () => {
  const screen = createScreen();
  const page = createTestPage();
  const { app, open } = createApp(screen, { toolbox: true });
  await screen.show(below(undefined, app()));
  const agent = await open();
  const told = (...names: string[]) =>
    vi.waitUntil(() => JSON.stringify(agent.tools.map(({ name }) => name)) === JSON.stringify(names));
  await screen.show(below(page, app(), saying("one")));
  await told("work");
  expect(await agent.call("work", {})).toMatchObject({ content: [{ text: "one" }] });
  const other = createTestPage();
  await screen.show(below(other, app(), saying("two", "more")));
  await told("more");
  expect(await agent.call("more", {})).toMatchObject({ content: [{ text: "two" }] });
  await screen.show(below(other, app()));
  await told();
});

test("without a provider the toolbox has no page, and the error says so", async () => {
  const screen = createScreen();
  const { app } = createApp(screen, { toolbox: true });
  const complain = vi.spyOn(console, "error").mockImplementation(() => {});
  await expect(screen.show(app())).rejects.toThrow("useAgentBridge has no <PagewireProvider> around it");
  complain.mockRestore();
  await screen.show(createElement(PagewireProvider, { page: undefined }, app()));
});

import { describe, expect, test, vi } from "vitest";
import { answersIn, held, withTool } from "./calling.test-helper.ts";
import type { AgentBridge } from "./agent-bridge.ts";
import { FakeTab, agentOrigin, connected, tool } from "./fake-tab.test-helper.ts";
import type { FakeAgent } from "./fake-tab.test-helper.ts";
import type { JsonObject } from "../wire/index.ts";
import type { ToolCallHandler } from "./tool-definition.ts";

describe("accepted senders", () => {
  const call = { type: "tool_call", payload: { call_id: "c1", tool_name: "one", arguments: {} } };

  async function calling() {
    const setup = await connected();
    let ran = 0;
    setup.bridge.registerTool(tool("one"));
    setup.bridge.onToolCall("one", () => ++ran);
    return { ...setup, ran: () => ran };
  }

  test.each(["https://agent.example.evil.example", "https://evil.agent.example", "http://agent.example", "null"])(
    "BR28: messages from %s are ignored",
    async (origin) => {
      const { tab, agent, ran } = await calling();
      agent.say(call, origin);
      await tab.clock.advance(100);
      expect([ran(), agent.payloads("tool_response")]).toEqual([0, []]);
    },
  );

  test("BR28: messages of the agent's origin in another window, and of the page itself, are ignored", async () => {
    const { tab, agent, ran } = await calling();
    for (const source of [tab.agentNamed("other"), tab.page, null]) {
      tab.hear({ data: call, origin: agentOrigin, source });
    }
    await tab.clock.advance(100);
    expect([ran(), agent.payloads("tool_response")]).toEqual([0, []]);
  });

  test("BR28: messages are parsed with their fields in `payload` or beside `type`; others are ignored", async () => {
    const { tab, agent, ran } = await calling();
    for (const data of [{ type: "hello" }, "text", null, 7, { type: "toString" }]) agent.say(data);
    agent.say({ type: "tool_call", call_id: "c1", tool_name: "one", arguments: {} });
    agent.say({ type: "tool_call", payload: { call_id: "c2", tool_name: "one", arguments: {} } });
    await tab.clock.advance(100);
    expect(ran()).toBe(2);
    expect(agent.payloads("tool_response")).toEqual([
      { call_id: "c1", success: true, result: 1 },
      { call_id: "c2", success: true, result: 2 },
    ]);
    expect(tab.errors).toEqual([]);
  });

  test("an invalid call is answered if it has an id, and reported otherwise", async () => {
    const { tab, agent, ran } = await calling();
    agent.say({ type: "tool_call", payload: { call_id: "c1", tool_name: "one", arguments: [1] } });
    agent.say({ type: "tool_call", payload: { tool_name: "one", arguments: {} } });
    await tab.clock.advance(100);
    expect(agent.payloads("tool_response")).toMatchObject([
      { call_id: "c1", success: false, code: "arguments-malformed" },
    ]);
    expect([ran(), tab.errors]).toMatchObject([0, [{ code: "frame-malformed" }]]);
  });
});

describe("ports", () => {
  const ready = (nonce: string, page = "p1") => ({ type: "agent_ready", payload: { nonce, pagewire: 1, page } });

  async function withPort(handler?: ToolCallHandler) {
    const setup = await withTool(handler);
    setup.agent.say(ready("n1"));
    await setup.tab.clock.advance(0);
    const { port } = setup.agent.received.find(({ type }) => type === "parent_port") ?? {};
    if (!port) throw new Error("There is no port.");
    return { ...setup, port };
  }

  /** Resolves when the agent has received all earlier messages. */
  async function heardAll(bridge: AgentBridge, agent: FakeAgent): Promise<void> {
    bridge.registerTool(tool("last"));
    await vi.waitFor(() => expect(agent.toolNames.at(-1)).toContain("last"));
  }

  test("an agent that is ready gets a port for its nonce, and receives everything over it", async () => {
    const { tab, bridge, agent, port } = await withPort(() => "done");
    expect(agent.payloads("parent_port")).toEqual([{ nonce: "n1" }]);
    port.postMessage({ type: "tool_call", payload: { call_id: "c1", tool_name: "work", arguments: {} } });
    await vi.waitFor(() => expect(answersIn(agent)).toMatchObject([{ result: "done" }]));
    bridge.injectMessage("Hello");
    bridge.registerTool(tool("two"));
    await tab.clock.advance(5000);
    await vi.waitFor(() => expect(agent.toolNames.at(-1)).toEqual(["work", "two"]));
    const later = agent.received.slice(agent.received.findIndex(({ type }) => type === "parent_port") + 1);
    expect(new Set(later.map(({ type }) => type))).toEqual(
      new Set(["tools_list", "tool_response", "inject_message", "ping"]),
    );
    expect(later.every((message) => message.port === port)).toBe(true);
  });

  test("a repeated nonce gets no second port, another one does, and the tools over it", async () => {
    const { tab, agent } = await withPort();
    agent.say(ready("n1"));
    await tab.clock.advance(0);
    expect(agent.payloads("parent_port")).toHaveLength(1);
    agent.say(ready("n2"));
    await tab.clock.advance(0);
    expect(agent.payloads("parent_port")).toEqual([{ nonce: "n1" }, { nonce: "n2" }]);
    const second = agent.received.findLast(({ type }) => type === "parent_port")?.port;
    await vi.waitFor(() => expect(agent.received.at(-1)).toMatchObject({ type: "tools_list", port: second }));
  });

  test("a silent agent gets pings over the window, in case the port is dead", async () => {
    const { tab, agent, port } = await withPort();
    agent.answers = false;
    await tab.clock.advance(20_000);
    const pings = agent.received.filter(({ type }) => type === "ping");
    expect([pings.at(-2)?.port === port, pings.at(-1)?.port]).toEqual([true, undefined]);
  });

  test("an answer goes to where the agent can receive it, also if it reloaded in the meantime", async () => {
    const { handler, contexts, end } = held();
    const { tab, agent, port } = await withPort(handler);
    port.postMessage({ type: "tool_call", payload: { call_id: "c1", tool_name: "work", arguments: {} } });
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    agent.say(ready("n2"));
    await tab.clock.advance(0);
    const second = agent.received.findLast(({ type }) => type === "parent_port")?.port;
    end("done");
    await vi.waitFor(() => expect(agent.received.at(-1)).toMatchObject({ type: "tool_response", port: second }));
  });

  test("PL34: an agent that accepts lists gets its answers in lists, and may call in lists, with arguments as text", async () => {
    const { agent, handler } = await makeLists();
    const call = (call_id: string, json: unknown) => ({
      type: "tool_call",
      payload: { call_id, tool_name: "work", json, takes_json: true },
    });
    const { port, lists } = agent;
    port.postMessage([
      call("c1", '{"days":1}'),
      { type: "ping" },
      call("c2", '{"days":2}'),
      null,
      call("c3", '{"days":"x"}'),
      call("c4", "[]"),
      call("c5", "{"),
      call("c6", 7),
      [call("c7", "{}")],
    ]);
    await vi.waitFor(() => expect(lists.flat()).toHaveLength(6));
    expect(handler.mock.calls.map(([given]) => given)).toEqual([{ days: 1 }, { days: 2 }]);
    expect(
      Object.fromEntries(lists.flat().map(({ payload }) => [payload["call_id"], payload["json"] ?? payload["code"]])),
    ).toEqual({
      c1: "1",
      c2: "2",
      c3: "input-invalid",
      c4: "arguments-malformed",
      c5: "arguments-malformed",
      c6: "arguments-malformed",
    });
    expect(lists.some((list) => Array.isArray(list) && list.length === 2)).toBe(true);
    // A call repeated as an object also finds its run, although it came as text.
    port.postMessage({ type: "tool_call", payload: { call_id: "c1", tool_name: "work", arguments: { days: 1 } } });
    await vi.waitFor(() => expect(lists.flat()).toHaveLength(7));
    expect([lists.flat().at(-1)?.payload, handler.mock.calls.length]).toEqual([
      { call_id: "c1", success: true, result: 1 },
      2,
    ]);
    port.postMessage(Array.from({ length: 257 }, () => call("c8", "{}")));
    port.postMessage(call("c9", "{}"));
    await vi.waitFor(() => expect(lists.flat()).toHaveLength(8));
    expect(lists.flat().at(-1)?.payload["call_id"]).toBe("c9");
  });

  async function makeLists() {
    const handler = vi.fn<(given: { readonly days?: number }) => number>(({ days = 0 }) => days);
    const setup = await withTool(handler as ToolCallHandler);
    setup.agent.say({ ...ready("n1"), payload: { ...ready("n1").payload, batches: true } });
    await setup.tab.clock.advance(0);
    expect(setup.agent.payloads("parent_port")).toEqual([{ nonce: "n1", batches: true }]);
    const { port } = setup.agent.received.find(({ type }) => type === "parent_port") ?? {};
    if (!port) throw new Error("There is no port.");
    interface Told {
      readonly type: string;
      readonly payload: JsonObject;
    }
    const lists: (Told | Told[])[] = [];
    port.addEventListener("message", ({ data }: MessageEvent<Told | Told[]>) => {
      if ([data].flat()[0]?.type === "tool_response") lists.push(data);
    });
    return { handler, agent: { port, lists } };
  }

  test("progress is sent over a port if it increases, and never after the end", async () => {
    const { handler, contexts, end } = held();
    const { bridge, agent, port } = await withPort(handler);
    port.postMessage({ type: "tool_call", payload: { call_id: "c1", tool_name: "work", arguments: {} } });
    await vi.waitFor(() => expect(contexts).toHaveLength(1));
    const [context] = contexts;
    context?.progress(1, 10, "Reading");
    context?.progress(1);
    context?.progress(Number.NaN);
    context?.progress(2);
    end("done");
    await vi.waitFor(() => expect(answersIn(agent)).toHaveLength(1));
    context?.progress(3);
    await heardAll(bridge, agent);
    expect(agent.payloads("tool_progress")).toEqual([
      { call_id: "c1", progress: 1, total: 10, message: "Reading" },
      { call_id: "c1", progress: 2 },
    ]);
  });

  test("an agent without a port gets no progress", async () => {
    const { answerOf, agent } = await withTool((_args, { progress }) => progress(1));
    await answerOf();
    expect(agent.payloads("tool_progress")).toEqual([]);
  });

  test("messages that a page may have missed before its reload are sent to the next one, and only those", async () => {
    const { tab, bridge, agent, port } = await withPort(() => "done");
    const injected = () => agent.payloads("inject_message").map(({ message }) => message);
    bridge.injectMessage("had");
    await vi.waitFor(() => expect(injected()).toEqual(["had"]));
    await vi.waitFor(() => expect(agent.received.at(-1)?.type).toBe("ping"));
    // A message after its pong is answered after the pong was received.
    port.postMessage({ type: "tool_call", payload: { call_id: "c1", tool_name: "work", arguments: {} } });
    await vi.waitFor(() => expect(answersIn(agent)).toHaveLength(1));
    agent.answers = false;
    await tab.clock.advance(1);
    bridge.injectMessage("lost");
    agent.say(ready("n2"));
    await tab.clock.advance(0);
    await vi.waitFor(() => expect(injected()).toEqual(["had", "lost"]));
    agent.say(ready("n3", "p2"));
    await tab.clock.advance(0);
    await vi.waitFor(() => expect(injected()).toEqual(["had", "lost", "lost"]));
  });

  test("a message that waited for the window is sent once, even if a port is opened after it", async () => {
    const tab = new FakeTab();
    const bridge = tab.bridge();
    bridge.openAgent();
    bridge.injectMessage("Hello");
    await tab.clock.advance(300);
    tab.agent.say(ready("n1"));
    await tab.clock.advance(1000);
    await heardAll(bridge, tab.agent);
    expect(tab.agent.payloads("inject_message")).toHaveLength(1);
  });
});

test("a page that unloads sends a goodbye over its port, and closes it", async () => {
  const tab = new FakeTab();
  tab.bridge().openAgent();
  await tab.clock.advance(300);
  const { agent } = tab;
  agent.say({ type: "agent_ready", payload: { nonce: "n1", pagewire: 1 } });
  await tab.clock.advance(0);
  tab.page.dispatchEvent(new Event("pagehide"));
  await vi.waitFor(() => expect(agent.payloads("parent_bye")).toHaveLength(1));
  tab.page.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  const [last] = agent.received.slice(-1);
  expect([last?.type, last?.port]).toEqual(["ping", undefined]);
});

import { describe, expect, test } from "vitest";
import { FakeTab, connected, tool } from "./fake-tab.test-helper.ts";
import { createOutbox } from "./outbox.ts";

describe("messages", () => {
  test("messages before the window is ready wait, and follow the tools in order", async () => {
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    const bridge = tab.bridge();
    bridge.injectMessage("early");
    bridge.openAgent();
    bridge.registerTool(tool("one"));
    bridge.injectMessage("later", { autoSend: true });
    await tab.clock.advance(1000);
    expect(tab.agent.received.every(({ type }) => type === "ping")).toBe(true);
    tab.agent.answers = true;
    await tab.clock.advance(300);
    const said = tab.agent.received.filter(({ type }) => type !== "ping");
    expect(said.map(({ type }) => type)).toEqual(["tools_list", "inject_message", "inject_message"]);
    expect(tab.agent.payloads("inject_message")).toEqual([{ message: "early" }, { message: "later", autoSend: true }]);
    bridge.injectMessage("now", { autoSend: false });
    expect(tab.agent.payloads("inject_message").at(-1)).toEqual({ message: "now", autoSend: false });
  });

  test("at most a hundred messages wait", () => {
    const bridge = new FakeTab().bridge();
    for (let index = 0; index < 100; index++) bridge.injectMessage(String(index));
    expect(() => bridge.injectMessage("one more")).toThrow("limit waitingMessages");
  });

  test("the newest hundred unconfirmed messages are kept, and none with an agent that confirms nothing", () => {
    const posted: unknown[] = [];
    const outbox = createOutbox((message) => posted.push(message));
    outbox.open();
    const message = (text: string) => ({ type: "inject_message", payload: { message: text } }) as const;
    for (let index = 0; index < 250; index++) outbox.add(message(`${index}`));
    outbox.repeat();
    outbox.open();
    expect(posted.slice(250)).toEqual(Array.from({ length: 100 }, (_, index) => message(`${index + 150}`)));
    outbox.confirm(undefined);
    outbox.repeat();
    expect(outbox.clear()).toBe(0);
  });

  test("messages also wait while the window reloads or is silent", async () => {
    const { tab, bridge, agent } = await connected();
    agent.say({ type: "agent_bye", payload: {} });
    agent.answers = false;
    await tab.clock.advance(4000);
    bridge.injectMessage("Hello");
    expect([bridge.getConnectionState(), agent.payloads("inject_message")]).toEqual(["reconnecting", []]);
    agent.answers = true;
    await tab.clock.advance(5000);
    expect(agent.payloads("inject_message")).toEqual([{ message: "Hello" }]);
  });

  test("messages that wait for a window are dropped with it, and that is reported", async () => {
    const tab = new FakeTab();
    tab.agentsAnswer = false;
    const bridge = tab.bridge();
    bridge.openAgent();
    bridge.injectMessage("one");
    bridge.injectMessage("two");
    bridge.closeAgent();
    expect(tab.errors).toMatchObject([{ code: "not-delivered", message: expect.stringContaining("2 messages") }]);
    tab.agentsAnswer = true;
    bridge.openAgent();
    await tab.clock.advance(300);
    expect(tab.agent.payloads("inject_message")).toEqual([]);
  });

  test("a message that is not text is refused", () => {
    const bridge = new FakeTab().bridge();
    expect(() => bridge.injectMessage(7 as unknown as string)).toThrow("not a text");
  });

  test("changed tools are sent at once, and only to a window that answers", async () => {
    const { tab, bridge, agent } = await connected();
    bridge.registerTools([tool("one"), tool("two")]);
    bridge.unregisterTool("one");
    bridge.unregisterTool("one");
    expect(agent.toolNames).toEqual([[], ["one", "two"], ["two"]]);
    agent.answers = false;
    await tab.clock.advance(20_000);
    bridge.registerTool(tool("three"));
    expect(agent.toolNames).toHaveLength(3);
    agent.answers = true;
    await tab.clock.advance(5000);
    expect(agent.toolNames.at(-1)).toEqual(["two", "three"]);
  });
});

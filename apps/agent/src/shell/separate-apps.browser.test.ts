import type { AiAgent } from "pagewire/ai-agent";
import { expect, onTestFinished, test } from "vitest";
import type { Parent, ParentState } from "../parent/connect-parent.ts";
import { separateApps } from "./separate-apps.ts";

const beside = (origin: string): ParentState => ({ kind: "connected", origin, tools: [], via: "port", relay: "open" });

test("another app that has the window begins another conversation; the same one goes on, over reloads too", () => {
  const kept = new Map<string, string>();
  const storage = {
    read: (name: string) => kept.get(name),
    write: (name: string, text?: string) => Boolean(kept.set(name, text ?? "")),
  };
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  function load(conversation: string, first: ParentState) {
    const agent = Object.assign(new EventTarget(), { conversation: conversation as string | null });
    const parent = { state: first, onState: (listener: () => void) => ((tell = listener), () => {}) };
    let tell = () => {};
    const parts = { agent: agent as unknown as AiAgent, parent: parent as unknown as Parent, storage };
    separateApps({ ...parts, signal: stopped.signal });
    return { agent, become: (state: ParentState) => ((parent.state = state), tell()) };
  }
  const shop = beside("http://shop.test");
  const { agent, become } = load("one", { kind: "waiting" });
  for (const state of [shop, { kind: "lost", origin: "http://shop.test" } as const, shop]) become(state);
  expect(agent.conversation).toBe("one");
  expect(load("one", shop).agent.conversation).toBe("one");
  become(beside("http://mail.test"));
  expect(agent.conversation).toBeNull();
  expect(load("one", beside("http://mail.test")).agent.conversation).toBeNull();

  agent.conversation = "two";
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  become(beside("http://mail.test"));
  expect(agent.conversation).toBe("two");
  agent.conversation = "one";
  agent.dispatchEvent(new Event("ai-agent:conversation-changed"));
  expect(agent.conversation).toBe("one");
});

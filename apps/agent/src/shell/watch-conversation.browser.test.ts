import type { AiAgent } from "pagewire/ai-agent";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Parent, ParentState } from "../parent/connect-parent.ts";
import { watchConversation } from "./watch-conversation.ts";

const app: ParentState = { kind: "connected", origin: "http://app.test", tools: [], via: "port", relay: "open" };

function watch(first: string | null, state: ParentState = app) {
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const agent = Object.assign(new EventTarget(), { conversation: first, connection: "open" });
  const attach = vi.fn<Parent["attach"]>();
  const retryNow = vi.fn<Parent["retryNow"]>();
  const otherTabs = {
    choice: false as boolean | string,
    isKept: false,
    keep: vi.fn<() => void>(),
    draw: vi.fn<() => void>(),
  };
  const parent = { attach, retryNow, state, onState: () => () => {} } satisfies Partial<Parent>;
  const watched = watchConversation({
    agent: agent as unknown as AiAgent,
    parent: parent as unknown as Parent,
    otherTabs,
    signal: stopped.signal,
  });
  const tell = (name: string, detail: unknown = null) =>
    agent.dispatchEvent(new CustomEvent(`ai-agent:${name}-changed`, { detail }));
  return { agent, attach, retryNow, otherTabs, watched, tell, stop: () => stopped.abort() };
}

test("the tools follow the conversation, also one that a reload goes on with, and each is attached once", () => {
  const { agent, attach, otherTabs, tell } = watch(null);
  expect(attach).not.toHaveBeenCalled();
  agent.conversation = "a";
  tell("connection", "open");
  tell("conversation", "a");
  agent.conversation = "b";
  otherTabs.choice = true;
  tell("conversation", "b");
  expect(attach.mock.calls).toEqual([
    ["a", { otherTabs: false }],
    ["b", { otherTabs: true }],
  ]);
  expect(otherTabs.draw).toHaveBeenCalled();
});

test("without an app there is nothing to bring until the other tabs are switched on", () => {
  const { attach, otherTabs, watched } = watch("a", { kind: "none" });
  expect(attach).not.toHaveBeenCalled();
  otherTabs.choice = "t1";
  watched.attach();
  otherTabs.choice = false;
  watched.attach();
  expect(attach.mock.calls).toEqual([
    ["a", { otherTabs: "t1" }],
    ["a", { otherTabs: false }],
  ]);
});

test("at home the tabs' tools are brought when something is asked, and to look at a conversation takes it from no window", () => {
  const { agent, attach, otherTabs, watched, tell } = watch("a", { kind: "none" });
  otherTabs.choice = true;
  tell("conversation", "a");
  expect(attach).not.toHaveBeenCalled();
  watched.prepare();
  expect(otherTabs.keep).toHaveBeenCalledOnce();
  agent.conversation = "b";
  tell("conversation", "b");
  otherTabs.isKept = true;
  agent.conversation = "c";
  tell("conversation", "c");
  expect(attach.mock.calls).toEqual([
    ["a", { otherTabs: true }],
    ["c", { otherTabs: true }],
  ]);
  otherTabs.choice = false;
  watched.prepare();
  expect(attach).toHaveBeenCalledTimes(2);
});

test("beside an app a question brings nothing by itself: another window may have the conversation", () => {
  const { attach, otherTabs, watched } = watch("a");
  otherTabs.choice = true;
  watched.prepare();
  expect([attach.mock.calls.length, otherTabs.keep.mock.calls.length]).toEqual([1, 0]);
});

test("when the way to the hub is there again, the app's tools are brought without waiting for their turn", () => {
  const { agent, attach, retryNow, tell } = watch("a");
  agent.connection = "waiting";
  tell("connection", "waiting");
  expect(retryNow).not.toHaveBeenCalled();
  agent.connection = "open";
  tell("connection", "open");
  expect([retryNow.mock.calls.length, attach.mock.calls.length]).toEqual([1, 1]);
});

test("a conversation that another window has is attached again when it is taken over", () => {
  const { attach, watched } = watch("a");
  watched.attach();
  expect(attach).toHaveBeenCalledTimes(2);
});

import { expect, test, vi } from "vitest";
import { nextEvent, record, show } from "./agent.test-helper.ts";
import type { AiAgent } from "./index.ts";
import { createServer, remote, showRemote } from "./remote-server.test-helper.ts";

const isOpen = (state: string) => state === "open";
const opened = (agent: AiAgent) => nextEvent(agent, "ai-agent:connection-changed", isOpen);

async function oneAnswer(server: ReturnType<typeof createServer>, agent: AiAgent): Promise<void> {
  const sending = agent.send();
  await server.model.answer("Hi");
  await sending;
}

/** Simulates a reload: storage remains, and the server does not notice. */
async function reload(agent: AiAgent, markup: string): Promise<AiAgent> {
  agent.remove();
  await vi.waitFor(() => expect(agent.connection).toBe("closed"));
  const next = show(markup, remote);
  await opened(next);
  return next;
}

test("a conversation is found again after a reload, by the address and the element's id", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  const heard = record(agent, "ai-agent:conversation-changed");
  await oneAnswer(server, agent);
  expect([agent.conversation, heard]).toEqual(["conversation-1", [["conversation-changed", "conversation-1"]]]);
  const other = await reload(agent, `<ai-agent id="other"></ai-agent>`);
  expect([other.conversation, other.messages.length]).toEqual(["conversation-2", 0]);
  const same = await reload(other, `<ai-agent id="chat"></ai-agent>`);
  expect([same.conversation, same.messages.length, same.content]).toEqual(["conversation-1", 2, "Hi"]);
});

test("an answer that runs when a page goes is there, and goes on, in the next one", async () => {
  const server = createServer();
  const agent = showRemote();
  void agent.send();
  const request = await server.model.next();
  await nextEvent(agent, "ai-agent:streaming-changed", Boolean);
  server.network.isDown = true;
  server.network.dialled[0]?.cut();
  expect(agent.connection).toBe("waiting");
  agent.remove();
  server.network.isDown = false;
  const next = await reload(agent, `<ai-agent id="chat"></ai-agent>`);
  expect(next.loading).toBe(true);
  const ended = nextEvent(next, "ai-agent:loading-changed", (isLoading) => !isLoading);
  request.end("Hi");
  await ended;
  expect([next.content, next.messages.length]).toEqual(["Hi", 2]);
});

test("the attribute opens a conversation by its id, as a second device does, and both hear its answers", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await opened(agent);
  const second = show(`<ai-agent conversation="${agent.conversation ?? ""}"></ai-agent>`, remote);
  await opened(second);
  const heard = nextEvent(second, "ai-agent:messages-changed", (messages) => messages.length === 2);
  await oneAnswer(server, agent);
  expect([(await heard).length, second.content, server.cores.length]).toEqual([2, "Hi", 1]);
});

test("another id opens another conversation, null begins a new one, and the answer that runs there goes on", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  const sending = agent.send();
  const request = await server.model.next();
  const begun = opened(agent);
  agent.conversation = null;
  expect(await sending).toBeNull();
  await begun;
  expect([agent.conversation, agent.messages, request.signal.aborted]).toEqual(["conversation-2", [], false]);
  request.end("Hi");
  const back = opened(agent);
  agent.conversation = "conversation-1";
  await back;
  expect([agent.conversation, agent.getAttribute("conversation")]).toEqual(["conversation-1", "conversation-1"]);
  await vi.waitFor(() => expect(agent.messages.map(({ content }) => content)).toEqual(["Hello", "Hi"]));
});

test("null begins a new one also before there was a connection", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await oneAnswer(server, agent);
  agent.remove();
  await vi.waitFor(() => expect(agent.connection).toBe("closed"));
  const next = show(`<ai-agent id="chat"></ai-agent>`, remote);
  next.conversation = null;
  await opened(next);
  expect([next.conversation, next.messages]).toEqual(["conversation-2", []]);
});

test("what is shown of the former conversation is told to be over", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await oneAnswer(server, agent);
  const heard = record(agent, "ai-agent:content-changed");
  const begun = opened(agent);
  agent.conversation = null;
  expect(agent.conversation).toBeNull();
  await begun;
  await vi.waitFor(() => expect([agent.content, heard]).toEqual(["", [["content-changed", ""]]]));
  agent.conversation = "conversation-1";
  expect(agent.conversation).toBe("conversation-1");
  await vi.waitFor(() => expect([agent.content, heard.length]).toEqual(["Hi", 2]));
});

test("attributes that are empty name neither a conversation nor a provider", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat" provider="openai"></ai-agent>`);
  await oneAnswer(server, agent);
  agent.setAttribute("provider", "");
  await oneAnswer(server, agent);
  const next = await reload(agent, `<ai-agent id="chat" conversation=""></ai-agent>`);
  expect([next.conversation, next.messages.length]).toEqual(["conversation-1", 4]);
});

test("a conversation that the server does not have any more is begun anew, unless the page names it", async () => {
  const server = createServer();
  vi.spyOn(console, "warn").mockReturnValue();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await oneAnswer(server, agent);
  sessionStorage.setItem(sessionStorage.key(0) ?? "", "gone");
  const next = await reload(agent, `<ai-agent id="chat"></ai-agent>`);
  expect([next.conversation, next.error]).toEqual(["conversation-2", null]);
  const named = show(`<ai-agent conversation="gone"></ai-agent>`, remote);
  await nextEvent(named, "ai-agent:connection-changed", (state) => state === "closed");
  expect(named.error).toMatchObject({ message: expect.stringContaining("There is no such conversation.") });
});

test("what was asked before that was known is asked in the new one", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await oneAnswer(server, agent);
  agent.remove();
  await vi.waitFor(() => expect(agent.connection).toBe("closed"));
  server.network.serve = server.anotherLife();
  const next = show(`<ai-agent id="chat"></ai-agent>`, remote);
  next.prompt = "Again";
  const sending = next.send();
  await server.model.answer("Here");
  expect([await sending, next.error]).toEqual(["Here", null]);
  expect(next.messages.map(({ content }) => content)).toEqual(["Again", "Here"]);
});

test("an answer that ran in it is over, without an exception", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  const heard = record(agent, "ai-agent:error");
  const sending = agent.send();
  await server.model.next();
  await nextEvent(agent, "ai-agent:streaming-changed", Boolean);
  server.network.serve = server.anotherLife();
  const back = opened(agent);
  server.network.dialled[0]?.cut();
  await back;
  expect([await sending, agent.loading, agent.messages]).toEqual([null, false, []]);
  expect(heard).toEqual([
    ["error", expect.objectContaining({ message: "There is no such conversation." })],
    ["error", null],
  ]);
  expect(server.model.requests).toHaveLength(1);
});

test("a server that has not even a new one is not asked for ever", async () => {
  const server = createServer();
  const agent = showRemote(`<ai-agent id="chat"></ai-agent>`);
  await opened(agent);
  server.network.serve = server.anotherLife(() => false);
  server.network.dialled[0]?.cut();
  await nextEvent(agent, "ai-agent:error");
  expect([agent.connection, server.network.dialled.length]).toEqual(["closed", 3]);
});

test.each(["session", "local", "none"] as const)(
  "conversations are kept where the configuration says: %s",
  async (keepConversation) => {
    const server = createServer();
    sessionStorage.clear();
    localStorage.clear();
    const agent = show(`<ai-agent></ai-agent>`, { remote: { ...remote.remote, keepConversation } });
    await opened(agent);
    expect([sessionStorage.length, localStorage.length]).toEqual(
      { session: [1, 0], local: [0, 1], none: [0, 0] }[keepConversation],
    );
    expect(server.cores).toHaveLength(1);
  },
);

test("two elements without an id do not share a conversation", async () => {
  createServer();
  const agent = showRemote(`<ai-agent></ai-agent><ai-agent></ai-agent>`);
  const second = agent.nextElementSibling as AiAgent;
  await Promise.all([opened(agent), opened(second)]);
  expect(agent.conversation).not.toBe(second.conversation);
});

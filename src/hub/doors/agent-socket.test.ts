import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { recordFault } from "../../../test/support/record-fault.ts";
import { agentHelloOf, connectAgent, openAgent } from "../test-support/agent.test-helper.ts";
import type { TestAgent } from "../test-support/agent.test-helper.ts";
import { splitBatch } from "../../wire/index.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { openSocket } from "../test-support/peer.test-helper.ts";

test("an agent is welcome with the token in its hello, or in the upgrade's header", async () => {
  const hub = await startHub();
  for (const options of [{ token: hub.token }, { headerToken: hub.token }]) {
    const agent = await openAgent(hub.url, options);
    agent.send(agentHelloOf(options));
    expect((await agent.next("welcome")).frame).toMatchObject({ version: 1, heartbeat: 15_000 });
  }
  expect(await hub.metric("pagewire_agents")).toBe(2);
});

test("every agent has a unique name, whatever it calls itself", async () => {
  const hub = await startHub();
  const names = new Set<string>();
  for (let count = 0; count < 5; count++) {
    const agent = await openAgent(hub.url);
    agent.send(agentHelloOf({ token: hub.token }));
    names.add((await agent.next("welcome")).frame.agent);
  }
  expect(names.size).toBe(5);
});

test("an agent that does not begin with its hello, or does not wait for the welcome, is closed by name", async () => {
  const hub = await startHub();
  const call = { type: "call", id: "1", method: "tools/call", name: "work" };
  for (const frames of [[call], [agentHelloOf({ token: hub.token }), call], [{ type: "heartbeat" }]]) {
    const page = await connectPage(hub.url);
    const agent = await openAgent(hub.url);
    for (const frame of frames) agent.send(frame);
    expect(await agent.closeName()).toBe("hello-expected");
    await page.settled();
    expect(page.calls).toEqual([]);
  }
  const old = await openAgent(hub.url);
  old.send({ ...agentHelloOf({ token: hub.token }), versions: [99] });
  expect(await old.closeName()).toBe("version-unsupported");
});

test("an agent sees the tabs and their offers, and is notified of changes", async () => {
  const hub = await startHub({ limits: { changesTime: 5 } });
  const page = await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token });
  const listed = async (what: string, tab?: string) => {
    agent.send({ type: "list", id: "1", what, tab });
    const { frame, payload } = await agent.next("listing");
    return frame.code ?? (JSON.parse(payload) as unknown);
  };
  expect(await listed("tabs")).toMatchObject([{ tabId: page.tabId, app: "shop", title: "A shop", tools: ["work"] }]);
  expect(await listed("offer")).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: "work" })]),
  });
  expect(await listed("offer", page.tabId)).toMatchObject({ tools: [{ name: "work" }] });
  expect(await listed("offer", "none")).toBe("tab-not-found");
  const changed = agent.next("changed");
  page.send({ type: "tab", title: "Another title" });
  await changed;
  expect(await listed("tabs")).toMatchObject([{ title: "Another title" }]);
});

test("agents that use the same call ids at the same time each get their own, and nothing of each other's", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, {
    handle(call, self) {
      const { agent } = JSON.parse(call.arguments) as { agent: string };
      self.ack(call.id);
      self.send({ type: "progress", id: call.id, progress: 1, message: agent });
      self.send({ type: "log", id: call.id, level: "info" }, JSON.stringify(agent));
      self.send({ type: "ask", id: call.id, ask: "the-same", method: "elicitation/create" }, JSON.stringify({ agent }));
    },
  });
  const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
  const agents = await Promise.all(
    names.map((name) => connectAgent(hub.url, { token: hub.token, name, asks: ["elicitation/create"] })),
  );
  const rounds = ["1", "2", "3"];
  for (const id of rounds) {
    const ends = agents.map((agent, index) =>
      agent.call("work", { id, arguments: JSON.stringify({ agent: names[index], id }) }),
    );
    await Promise.all(agents.map((agent, index) => answerOwn(agent, names[index] ?? "")));
    for (const call of await answersTo(page, names.length))
      page.result(call.id, JSON.stringify({ said: call.payload }));
    for (const [index, end] of (await Promise.all(ends)).entries()) {
      expect(end.frame).toEqual({ type: "result", id });
      expect(JSON.parse(end.payload)).toEqual({ said: `"answer of ${names[index]}"` });
    }
  }
  for (const [index, agent] of agents.entries()) {
    const own = new RegExp(`agent-${index}(?!\\d)`);
    const texts = agent.received.map(({ frame, payload }) => JSON.stringify(frame) + payload);
    expect(texts.filter((text) => text.includes("agent-") && !own.test(text))).toEqual([]);
    expect(texts).toHaveLength(1 + rounds.length * 5);
  }
  recordFault("hub", {
    fault: "Agents that use the same call ids and question ids at the same time",
    expected: "nothing crosses",
    observed: "nothing crosses",
    count: names.length * rounds.length,
  });
});

/** Answers the next question, if it is about this agent's own call. */
async function answerOwn(agent: TestAgent, name: string): Promise<void> {
  const { frame, payload } = await agent.next("ask");
  expect(JSON.parse(payload)).toEqual({ agent: name });
  agent.send({ type: "answer", id: frame.id, ask: frame.ask }, JSON.stringify(`answer of ${name}`));
}

/** The next answers that a page receives to its questions. */
function answersTo(page: Awaited<ReturnType<typeof connectPage>>, count: number) {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { frame, payload } = await page.next("answer");
      return { id: frame.id, payload };
    }),
  );
}

test("an agent cannot cancel or answer the call of another", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const other = await connectAgent(hub.url, { token: hub.token, asks: ["elicitation/create"] });
  const end = agent.call("work", { id: "1" });
  const { id } = await page.nextCall();
  page.ack(id);
  page.send({ type: "ask", id, ask: "a", method: "elicitation/create" }, "{}");
  await agent.next("ask");
  for (const guess of ["1", id]) {
    other.send({ type: "cancel", id: guess });
    other.send({ type: "answer", id: guess, ask: "a" }, '"forged"');
  }
  await other.settled();
  agent.send({ type: "answer", id: "1", ask: "a" }, '"own"');
  expect((await page.next("answer")).payload).toBe('"own"');
  page.result(id, plainResult);
  expect((await end).frame.type).toBe("result");
  expect(page.received.map(({ frame }) => frame.type)).not.toContain("cancel");
});

test("H42: an agent's malformed frame closes its socket by name, and no other", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const good = await connectAgent(hub.url, { token: hub.token });
  const raws = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"type":7}',
    '{"type":"call"}',
    '{"type":"call","id":"1","method":"x","name":"y"}',
  ];
  for (const raw of [...raws, '{"type":"hello"}', `{"type":"list","id":"${"x".repeat(129)}","what":"tabs"}`]) {
    const agent = await connectAgent(hub.url, { token: hub.token });
    agent.socket.send(raw);
    expect(await agent.verdict(), raw).toBe("frame-malformed");
    expect((await agent.closed).code).toBe(4000);
  }
  const long = await connectAgent(hub.url, { token: hub.token });
  long.send({ type: "heartbeat", padding: "x".repeat(20_000) });
  expect(await long.closeName()).toBe("frame-too-large");
  expect((await good.call("work", { id: "1" })).frame.type).toBe("result");
});

test("H42: two calls under one id at the same time are malformed; one after the other they are not", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const agent = await connectAgent(hub.url, { token: hub.token });
  for (const _ of [1, 2]) {
    const end = agent.call("work", { id: "1" });
    page.result((await page.nextCall()).id, plainResult);
    expect((await end).frame.type).toBe("result");
  }
  const ends = [agent.call("work", { id: "1" }), agent.call("work", { id: "1" })].map((end) =>
    end.catch(() => "closed"),
  );
  expect(await agent.closeName()).toBe("frame-malformed");
  expect(await Promise.all(ends)).toEqual(["closed", "closed"]);
});

test("H42: a message that is larger than any frame may be ends its own socket only", async () => {
  const hub = await startHub({ limits: { frameBytes: 20_000 } });
  await connectPage(hub.url);
  const good = await connectAgent(hub.url, { token: hub.token });
  const agent = await connectAgent(hub.url, { token: hub.token });
  agent.socket.send("x".repeat(1_000_000));
  expect((await agent.closed).code).toBe(1009);
  expect((await good.call("work", { id: "1" })).frame.type).toBe("result");
});

test("W46: an agent with a page size gets that many tabs, and the next ones by cursor; without it all", async () => {
  const hub = await startHub();
  const pages = [];
  for (let count = 0; count < 5; count++) pages.push(await connectPage(hub.url, { tab: `tab-${count}` }));
  const agent = await connectAgent(hub.url, { token: hub.token });
  const list = async (more: object) => {
    agent.send({ type: "list", id: "1", what: "tabs", ...more });
    const { frame, payload } = await agent.next("listing");
    if (frame.code !== undefined) throw new Error(frame.code);
    const tabs = JSON.parse(payload) as readonly { readonly tabId: string }[];
    return { ids: tabs.map(({ tabId }) => tabId), nextCursor: frame.nextCursor };
  };
  const all = await list({});
  expect(all.ids.toSorted()).toEqual(pages.map(({ tabId }) => tabId).toSorted());
  expect(all.nextCursor).toBeUndefined();
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ size: 2, cursor });
    expect(page.ids.length).toBeLessThanOrEqual(2);
    found.push(...page.ids);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(found.toSorted()).toEqual(all.ids.toSorted());
  expect((await list({ size: 2, search: "no such text" })).ids).toEqual([]);
  await expect(list({ size: 2, cursor: "made-up" })).rejects.toThrow("input-invalid");
});

test("W45: call events are batched if the agent's watch asks for batches, and single otherwise", async () => {
  const hub = await startHub({ limits: { changesTime: 1000 } });
  await connectPage(hub.url);
  const messages = { several: [] as string[], alone: [] as string[] };
  for (const [name, heard] of Object.entries(messages)) {
    const { socket, link } = await openSocket(`${hub.url}/agent`);
    socket.on("message", (data: Buffer) => heard.push(data.toString()));
    link.send(JSON.stringify(agentHelloOf({ token: hub.token })));
    await once(socket, "message");
    link.send(JSON.stringify({ type: "watch", on: true, batches: name === "several" || undefined }));
  }
  const agent = await connectAgent(hub.url, { token: hub.token });
  await agent.call("work", { id: "1" });
  await vi.waitFor(() => expect(messages.alone.join()).toContain('"ended"'));
  const [welcome, ...joined] = messages.several;
  expect(welcome).toContain("welcome");
  expect(joined).toHaveLength(1);
  expect(splitBatch(joined[0] ?? "")).toEqual(messages.alone.slice(1));
  expect(messages.alone.slice(1).map((text) => text.split("\n")[0])).toEqual(Array(3).fill('{"type":"watched"}'));
});

test("an agent's frame of an unknown type is ignored and counted", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const agent = await connectAgent(hub.url, { token: hub.token });
  agent.send({ type: "from-the-future", id: "1" }, "whatever");
  agent.send({ type: "constructor" });
  expect((await agent.call("work", { id: "1" })).frame.type).toBe("result");
  expect(await hub.metric("pagewire_unknown_frames_total")).toBe(2);
});

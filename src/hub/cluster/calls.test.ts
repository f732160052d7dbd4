// Calls of tabs at another hub, over a real NATS server and real sockets.
import { expect, test } from "vitest";
import { byHand, connectPage, plainResult } from "../test-support/page.test-helper.ts";
import { agentAt, callerAt, listOf, startHubs } from "./hubs.test-helper.ts";

test("MH10: an agent that comes first is shown the tabs of every hub at once, and calls their tools", async () => {
  const { a, b, c } = await startHubs();
  const atB = await connectPage(b.url, { tab: "b", tools: ["of-b"] });
  const atC = await connectPage(c.url, { tab: "c", tools: ["of-c"] });
  const agent = await agentAt(a);
  const { tabs, tools } = await listOf(agent);
  expect(tabs.map(({ tabId }) => tabId).sort()).toEqual([atB.tabId, atC.tabId].sort());
  expect(tools).toEqual(expect.arrayContaining(["of-b", "of-c"]));
  expect(await agent.call("of-b", { id: "1" })).toMatchObject({ frame: { type: "result" }, payload: plainResult });
  expect(await agent.call("of-c", { id: "2" })).toMatchObject({ frame: { type: "result" }, payload: plainResult });
  expect([atB.calls.length, atC.calls.length]).toEqual([1, 1]);
});

test("MH10: an HTTP request is answered by a tab at another hub, also as the first request of its principal", async () => {
  const { a, b } = await startHubs();
  await connectPage(b.url);
  const headers = { Authorization: `Bearer ${a.token}`, "Content-Type": "application/json" };
  const response = await fetch(`${a.url}/api/call/work`, { method: "POST", headers, body: "{}" });
  expect(await response.json()).toMatchObject({ outcome: "ok", ran: "yes" });
});

test("MH11: progress, logs, questions and their answers pass between a call and its page at another hub", async () => {
  const { a, b } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await callerAt(a, { asks: ["elicitation/create"] });
  const end = agent.call("work", { id: "1", arguments: '{"n":1}' });
  const { id, arguments: given } = await page.nextCall();
  expect(given).toBe('{"n":1}');
  page.ack(id);
  expect((await agent.next("ack")).frame).toMatchObject({ id: "1", tab: page.tabId });
  page.send({ type: "progress", id, progress: 1, total: 2, message: "half" });
  expect((await agent.next("progress")).frame).toMatchObject({ id: "1", progress: 1, total: 2, message: "half" });
  page.send({ type: "log", id, level: "info", logger: "shop" }, '"packed"');
  expect(await agent.next("log")).toMatchObject({
    frame: { id: "1", level: "info", logger: "shop" },
    payload: '"packed"',
  });
  page.send({ type: "ask", id, ask: "q1", method: "elicitation/create" }, '{"message":"Sure?"}');
  const { frame: asked, payload } = await agent.next("ask");
  expect([asked, payload]).toMatchObject([{ id: "1", ask: "q1", method: "elicitation/create" }, '{"message":"Sure?"}']);
  agent.send({ type: "answer", id: "1", ask: "q1" }, '{"action":"accept"}');
  expect(await page.next("answer")).toMatchObject({ frame: { id, ask: "q1" }, payload: '{"action":"accept"}' });
  page.result(id, plainResult);
  expect((await end).payload).toBe(plainResult);
});

test("MH11: a tool's error, a cancel and a deadline are as on one hub", async () => {
  const { a, b } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const agent = await callerAt(a);
  const failing = agent.call("work", { id: "1" });
  const first = await page.nextCall();
  page.ack(first.id);
  page.send({ type: "result", id: first.id, isError: true }, plainResult);
  expect(await failing).toMatchObject({ frame: { type: "result", isError: true } });

  const cancelled = agent.call("work", { id: "2" });
  const second = await page.nextCall();
  page.ack(second.id);
  await agent.next("ack");
  agent.send({ type: "cancel", id: "2", reason: "Enough." });
  expect((await page.next("cancel")).frame).toMatchObject({ id: second.id });
  expect((await cancelled).frame).toMatchObject({ outcome: "cancelled", ran: "maybe" });

  const late = agent.call("work", { id: "3", left: 300 });
  const third = await page.nextCall();
  expect(third.left).toBeLessThanOrEqual(300);
  expect((await late).frame).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
  expect((await page.next("cancel")).frame).toMatchObject({ id: third.id });
});

test("MH12: a call carries its time in the clock of the tab's hub", async () => {
  const { a, b } = await startHubs();
  const page = await connectPage(b.url, { handle: byHand });
  const welcome = page.received.find(({ frame }) => frame.type === "welcome")?.frame as { at: number } | undefined;
  const agent = await callerAt(a);
  const end = agent.call("work", { id: "1" });
  const call = await page.nextCall();
  // Both hubs of this test have one clock.
  const { at } = page.received.flatMap(({ frame }) => (frame.type === "call" ? frame : []))[0] ?? { at: -Infinity };
  expect(at).toBeGreaterThanOrEqual((welcome?.at ?? Infinity) - 1);
  page.ack(call.id);
  page.result(call.id, plainResult);
  await end;
});

test.each([1, 15])("MH13: %i MiB pass in both directions, in parts that the broker takes", async (size) => {
  const { a, b } = await startHubs();
  const text = "é".repeat((size * 1024 * 1024) / 2);
  const page = await connectPage(b.url, {
    handle: ({ id, arguments: given }, peer) => {
      peer.ack(id);
      peer.result(
        id,
        JSON.stringify({ content: [{ type: "text", text: (JSON.parse(given) as { text: string }).text }] }),
      );
    },
  });
  const agent = await callerAt(a);
  const { frame, payload } = await agent.call("work", { id: "1", arguments: JSON.stringify({ text }) });
  expect(frame).toMatchObject({ type: "result" });
  expect((JSON.parse(payload) as { content: { text: string }[] }).content[0]?.text === text).toBe(true);
  expect(page.calls).toHaveLength(1);
});

test("MH13: arguments that fit into no frame are refused, and did not run", async () => {
  const { a, b } = await startHubs({ limits: { frameBytes: 100_000 } });
  const page = await connectPage(b.url);
  const agent = await callerAt(a);
  const call = agent.call("work", { id: "1", arguments: JSON.stringify({ text: "x".repeat(99_880) }) });
  expect((await call).frame).toMatchObject({ outcome: "rejected", ran: "no", code: "body-too-large" });
  expect(page.calls).toHaveLength(0);
});

test("MH14: agents at two hubs call one tab at the same time, and each gets its own outcomes", async () => {
  const { a, b, c } = await startHubs();
  const page = await connectPage(b.url, {
    handle({ id, arguments: given }, peer) {
      peer.ack(id);
      setImmediate(() => peer.result(id, `{"content":[{"type":"text","text":${JSON.stringify(given)}}]}`));
    },
  });
  const agents = await Promise.all([callerAt(a), callerAt(b), callerAt(c)]);
  const count = 50;
  const ends = agents.flatMap((agent, which) =>
    Array.from({ length: count }, async (_, at) => {
      const { payload } = await agent.call("work", { id: `${at}`, arguments: `{"n":"${which}-${at}"}` });
      return [payload.includes(`${which}-${at}\\"`), payload] as const;
    }),
  );
  for (const [isOwn, payload] of await Promise.all(ends)) expect([isOwn, payload]).toEqual([true, payload]);
  expect(page.calls).toHaveLength(3 * count);
  expect(new Set(page.calls.map(({ id }) => id)).size).toBe(3 * count);
});

test("a key that is repeated at the same hub gives the outcome of the one run", async () => {
  const { a, b } = await startHubs();
  const page = await connectPage(b.url);
  const agent = await callerAt(a);
  const [one, two] = [await agent.call("work", { id: "1", key: "k" }), await agent.call("work", { id: "2", key: "k" })];
  expect([one.payload, two.payload]).toEqual([plainResult, plainResult]);
  expect(two.frame).toMatchObject({ replay: true });
  expect(page.calls).toHaveLength(1);
});

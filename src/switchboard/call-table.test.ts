import { describe, expect, test } from "vitest";
import type { CallEvent } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab that has the tool `buy`, and one agent. */
function shop(limits: Parameters<typeof createBoard>[0] = {}) {
  const board = createBoard(limits);
  return { ...board, page: board.page({ tools: [tool("buy")] }), agent: board.agent(), more: board };
}

describe("a call's way to its tab and back", () => {
  test("B3: a call reaches its tab with the caller's arguments, and its answer comes back as the page wrote it", async () => {
    const { clock, page, agent } = shop();
    const call = agent.call("buy", { arguments: '{ "item" : 1 }', left: 5000 });
    await clock.advance(10);
    expect(page.calls).toEqual([
      expect.objectContaining({
        id: "call-1",
        method: "tools/call",
        name: "buy",
        left: 5000,
        at: 0,
        payload: '{ "item" : 1 }',
      }),
    ]);
    expect(page.calls[0]?.agent).toMatchObject({ name: "agent" });
    page.ack();
    page.answer('{"content":[ ]}');
    expect(call.end).toEqual({ outcome: "ok", ran: "yes", payload: '{"content":[ ]}' });
    expect(call.heard).toEqual([
      ["acked", "tab-1"],
      ["ended", "ok"],
    ]);
  });

  test("B3: an answer without an ack before it counts", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    page.answer("{}");
    expect(call.end).toEqual({ outcome: "ok", ran: "yes", payload: "{}" });
  });

  test("B3: a result with isError is a tool-error with its payload", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    page.say({ type: "result", id: "call-1", isError: true }, "{}");
    expect(call.end).toEqual({ outcome: "tool-error", ran: "yes", payload: "{}" });
  });

  test("B4: a page's failure is passed on with its code, its message and whether the tool ran", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    page.fail({ outcome: "rejected", ran: "no", code: "input-invalid", message: "/item is missing", retryAfter: 5 });
    expect(call.outcomes).toEqual([
      { outcome: "rejected", ran: "no", code: "input-invalid", message: "/item is missing", retryAfter: 5 },
    ]);
  });

  test.each(["ok", "not-delivered", "page-gone", "page-suspended"] as const)(
    "B4: an outcome that a page cannot know, such as %s, becomes outcome-unknown; an unknown code becomes internal-error",
    (outcome) => {
      const { page, agent } = shop();
      const call = agent.call("buy");
      page.fail({ outcome, code: "made-up", ran: "maybe" });
      expect(call.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code: "internal-error" });
    },
  );

  test("B5: progress and logs reach only the caller of that call, and not after the end", () => {
    const { page, agent } = shop();
    const one = agent.call("buy");
    const other = agent.call("buy");
    page.ack("call-1");
    page.say({ type: "progress", id: "call-1", progress: 1, total: 2, message: "half" });
    page.say({ type: "log", id: "call-1", level: "info", logger: "shop" }, '"hello"');
    page.answer("{}", "call-1");
    page.say({ type: "progress", id: "call-1", progress: 2 });
    page.answer("{}", "call-1");
    expect(one.heard).toEqual([
      ["acked", "tab-1"],
      ["progress", 1, 2, "half"],
      ["log", "info", '"hello"', "shop"],
      ["ended", "ok"],
    ]);
    expect(other.heard).toEqual([]);
  });

  test("B6: frames of one tab about another tab's call are ignored", () => {
    const { more, page, agent } = shop();
    const call = agent.call("buy");
    const other = more.page({ tools: [tool("steal")] });
    other.ack("call-1");
    other.say({ type: "progress", id: "call-1", progress: 1 });
    other.answer('"forged"', "call-1");
    expect(call.heard).toEqual([]);
    page.answer('"true"', "call-1");
    expect(call.end).toMatchObject({ outcome: "ok", payload: '"true"' });
  });

  test("watchers receive every event of a call, never its arguments or result", async () => {
    const { clock, page, agent } = shop();
    const events: CallEvent[] = [];
    const stop = agent.session.onCall((event) => events.push(event));
    agent.call("buy", { arguments: '{"secret":1}' });
    page.ack();
    page.say({ type: "progress", id: "call-1", progress: 1, total: 4 });
    await clock.advance(20);
    page.answer('"secret"');
    const about = { id: "call-1", method: "tools/call", name: "buy", tabId: "tab-1", app: "shop", agent: "agent" };
    expect(events).toEqual([
      { event: "started", ...about },
      { event: "acked", ...about },
      { event: "progress", ...about, progress: 1, total: 4 },
      { event: "ended", ...about, outcome: "ok", milliseconds: 20 },
    ]);
    stop();
    agent.call("buy");
    expect(events).toHaveLength(4);
  });
});

describe("the end of a call", () => {
  test("B8: a call that is not answered in time ends as deadline-exceeded, and its page gets a cancel", async () => {
    const { clock, page, agent } = shop();
    const call = agent.call("buy", { left: 3000 });
    page.ack();
    await clock.advance(2999);
    expect(call.end).toBeUndefined();
    await clock.advance(1);
    expect(call.end).toEqual({ outcome: "deadline-exceeded", ran: "maybe", code: "deadline-exceeded" });
    expect(page.sent.at(-1)).toMatchObject({ type: "cancel", id: "call-1" });
    page.answer('"late"', "call-1");
    expect(call.outcomes).toHaveLength(1);
  });

  test("B8: a call has callTime by default, and never more than callTimeMost", async () => {
    const { clock, page, agent } = shop({ callTime: 1000, callTimeMost: 5000 });
    const plain = agent.call("buy");
    const greedy = agent.call("buy", { left: 1e9 });
    expect(page.calls.map(({ left }) => left)).toEqual([1000, 5000]);
    await clock.advance(1000);
    expect([plain.end?.["outcome"], greedy.end]).toEqual(["deadline-exceeded", undefined]);
    await clock.advance(4000);
    expect(greedy.end).toMatchObject({ outcome: "deadline-exceeded" });
  });

  test("the time that a call waited unread counts towards its deadline, and a call past it does not run", async () => {
    const { clock, page, agent } = shop({ callTime: 1000, callTimeMost: 5000 });
    clock.unread = () => 400;
    const calls = [agent.call("buy"), agent.call("buy", { left: 401 }), agent.call("buy", { left: 400 })];
    const greedy = agent.call("buy", { left: 1e9 });
    expect(page.calls.map(({ left }) => left)).toEqual([600, 1, 4600]);
    clock.unread = () => 0;
    await clock.advance(600);
    const late = { outcome: "deadline-exceeded", code: "deadline-exceeded" };
    expect(calls.map(({ end }) => end)).toEqual([
      { ...late, ran: "maybe" },
      { ...late, ran: "maybe" },
      { ...late, ran: "no" },
    ]);
    expect(greedy.end).toBeUndefined();
  });

  test("a known key or duplicate is answered however long its call waited unread", async () => {
    const { clock, page, agent } = shop({ twinPause: 10 });
    const keyed = agent.call("buy", { key: "order-1" });
    page.answer('"receipt"');
    const running = agent.call("buy", { key: "order-2" });
    const plain = agent.call("buy");
    clock.unread = () => 9000;
    const again = ["order-1", "order-2"].map((key) => agent.call("buy", { key, left: 100 }));
    const twin = agent.call("buy", { left: 100 });
    plain.handle.cut();
    clock.unread = () => 0;
    await clock.advance(10);
    for (const { id } of page.calls) page.answer('"done"', id);
    await clock.advance(0);
    expect(page.calls).toHaveLength(3);
    expect(again.map(({ end }) => end)).toEqual([
      { ...keyed.end, replay: true },
      { ...running.end, replay: true },
    ]);
    expect(twin.end).toMatchObject({ outcome: "ok", replay: true });
  });

  test("B9: cancelling ends the call at once, sends the page the reason, and ignores the page's later frames", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    page.ack();
    call.handle.cancel("Changed my mind.");
    call.handle.cancel();
    expect(call.outcomes).toEqual([
      expect.objectContaining({ outcome: "cancelled", ran: "maybe", message: "Changed my mind." }),
    ]);
    expect(page.sent.filter(({ type }) => type === "cancel")).toEqual([
      expect.objectContaining({ id: "call-1", reason: "Changed my mind." }),
    ]);
    page.answer("{}", "call-1");
    expect(call.outcomes).toHaveLength(1);
  });

  test("B9: a call that is cancelled while it waits for its tab never reaches it", async () => {
    const { clock, more, page, agent } = shop();
    page.lose("cut");
    const call = agent.call("buy");
    call.handle.cancel();
    expect(call.end).toMatchObject({ outcome: "cancelled", ran: "no" });
    const back = more.page({ tabId: page.tabId, tools: [tool("buy")] });
    await clock.advance(60_000);
    expect(back.calls).toEqual([]);
  });

  test("B10: a call beyond callsPerTab is rejected with a time to wait; when one ends, the next is accepted", () => {
    const { page, agent, more } = shop({ callsPerTab: 2 });
    agent.call("buy");
    more.agent({ identity: "other" }).call("buy");
    return expectRoom(agent, page, "callsPerTab");
  });

  test("B10: a call beyond callsPerAgent is rejected, whichever tabs the others run in; another agent's is not", async () => {
    const { page, agent, more } = shop({ callsPerAgent: 2 });
    more.page({ tools: [tool("sell")] });
    agent.call("buy");
    agent.call("sell");
    const other = more.agent({ identity: "other" }).call("buy");
    page.answer("{}", other.handle.id);
    await expectRoom(agent, page, "callsPerAgent");
    expect(other.end).toMatchObject({ outcome: "ok" });
  });

  async function expectRoom(
    agent: ReturnType<typeof shop>["agent"],
    page: ReturnType<typeof shop>["page"],
    limit: string,
  ) {
    const refused = agent.call("buy");
    expect(refused.end).toBeUndefined();
    await Promise.resolve();
    expect(refused.outcomes).toEqual([
      expect.objectContaining({ outcome: "rejected", ran: "no", code: "calls-too-many", retryAfter: 1000 }),
    ]);
    expect(refused.outcomes[0]?.message).toContain(limit);
    page.answer("{}", "call-1");
    const admitted = agent.call("buy");
    page.answer("{}", admitted.handle.id);
    expect(admitted.end).toMatchObject({ outcome: "ok" });
  }
});

describe("questions of a page", () => {
  const form = ["elicitation/create"] as const;

  test("B11: a question goes to the caller, and its answer back to that call", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const call = board.agent({ asks: form }).call("buy");
    expect(page.calls[0]?.asks).toEqual(form);
    page.ack();
    page.say({ type: "ask", id: "call-1", ask: "1", method: "elicitation/create" }, '{"message":"Sure?"}');
    expect(call.heard.at(-1)).toEqual(["ask", "1", "elicitation/create", '{"message":"Sure?"}']);
    call.handle.answer("1", { payload: '{"action":"accept"}' });
    expect(page.sent.at(-1)).toEqual({ type: "answer", id: "call-1", ask: "1", payload: '{"action":"accept"}' });
    call.handle.answer("1", { code: "ask-failed", message: "Nobody is there." });
    expect(page.sent.at(-1)).toMatchObject({ type: "answer", code: "ask-failed", message: "Nobody is there." });
  });

  test("B11: a caller that cannot answer questions is not asked, and the page gets an error at once", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    page.ack();
    page.say({ type: "ask", id: "call-1", ask: "1", method: "elicitation/create" }, "{}");
    expect(page.sent.at(-1)).toMatchObject({ type: "answer", ask: "1", code: "ask-unsupported" });
    expect(call.heard).toEqual([["acked", "tab-1"]]);
  });

  test("B11: a caller is asked only by the methods that it supports", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const call = board.agent({ asks: form }).call("buy");
    page.ack();
    page.say({ type: "ask", id: "call-1", ask: "1", method: "sampling/createMessage" }, "{}");
    expect(page.sent.at(-1)).toMatchObject({ type: "answer", ask: "1", code: "ask-unsupported" });
    expect(call.heard).toEqual([["acked", "tab-1"]]);
  });

  test("a question that is open when the caller is cut off goes to the caller that comes back", async () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const agent = board.agent({ asks: form });
    const call = agent.call("buy");
    page.ack();
    call.handle.cut();
    page.say({ type: "ask", id: "call-1", ask: "1", method: "elicitation/create" }, "{}");
    expect(page.sent.filter(({ type }) => type === "answer")).toEqual([]);
    const twin = agent.call("buy");
    await board.clock.advance(0);
    expect(page.calls.at(-1)).toMatchObject({ id: "call-1", resume: true });
    page.ack("call-1");
    page.say({ type: "ask", id: "call-1", ask: "1", method: "elicitation/create" }, "{}");
    expect(twin.heard).toEqual([
      ["acked", "tab-1"],
      ["ask", "1", "elicitation/create", "{}"],
    ]);
  });

  /** A call that asked its caller a question, and the same call repeated by a caller that answers these questions. */
  function askedTwice(asksAgain: readonly ["elicitation/create"] | []) {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const first = board.agent({ asks: form }).call("buy", { key: "k" });
    page.ack();
    const ask = () => page.say({ type: "ask", id: "call-1", ask: "1", method: "elicitation/create" }, "{}");
    ask();
    const again = board.agent({ asks: asksAgain }).call("buy", { key: "k" });
    return { ...board, page, first, again, ask };
  }
  const asked = ["ask", "1", "elicitation/create", "{}"];

  test("a question that is open when the call is repeated goes to the caller that joins, which can answer it", () => {
    const { page, first, again, ask } = askedTwice(form);
    expect(page.calls).toMatchObject([{ id: "call-1" }, { id: "call-1", resume: true }]);
    ask();
    expect(again.heard).toEqual([asked]);
    expect(first.heard).toEqual([["acked", "tab-1"], asked]);
    again.handle.answer("1", { payload: '{"action":"accept"}' });
    expect(page.sent.at(-1)).toMatchObject({ type: "answer", id: "call-1", ask: "1" });
    page.answer("{}", "call-1");
    expect([first.end, again.end]).toMatchObject([{ outcome: "ok" }, { outcome: "ok", replay: true }]);
  });

  test.each(["cut", "cancel"] as const)(
    "when the newest caller goes (%s), its questions go to one that is still there",
    async (how) => {
      const { page, first, again, ask, clock } = askedTwice(form);
      ask();
      again.handle[how]();
      expect(page.calls).toHaveLength(3);
      ask();
      await clock.advance(0);
      expect(first.heard).toEqual([["acked", "tab-1"], asked, asked]);
    },
  );

  test("B11: a caller that joins but cannot answer leaves the questions to one that can", () => {
    const { first, again, ask, page } = askedTwice([]);
    ask();
    expect(again.heard).toEqual([]);
    expect(first.heard).toEqual([["acked", "tab-1"], asked, asked]);
    expect(page.sent.filter(({ type }) => type === "answer")).toEqual([]);
  });

  test("a call whose caller cannot answer questions is not sent to its page again when another caller joins", () => {
    const { page, agent } = shop();
    agent.call("buy", { key: "k" });
    page.ack();
    agent.call("buy", { key: "k" });
    expect(page.calls).toHaveLength(1);
  });
});

describe("rounds of questions", () => {
  const questions = '{"resultType":"input_required","requestState":"1"}';
  const input = '{"inputResponses":{"size":{"action":"accept"}},"requestState":"1"}';

  test("a caller that accepts rounds gets the page's questions, and its answers reach the page with the arguments", () => {
    const { page, agent } = shop();
    const first = agent.call("buy", { rounds: true, arguments: '{"item":1}' });
    expect(page.calls[0]).toMatchObject({ rounds: true, payload: '{"item":1}' });
    page.ack();
    page.say({ type: "result", id: "call-1", inputRequired: true }, questions);
    expect(first.outcomes[0]).toEqual({ outcome: "ok", ran: "yes", payload: questions, inputRequired: true });
    agent.call("buy", { rounds: true, arguments: '{"item":1}', input });
    expect(page.calls[1]).toMatchObject({ id: "call-2", input: true });
    expect(JSON.parse(page.calls[1]?.payload ?? "")).toEqual({ arguments: { item: 1 }, ...JSON.parse(input) });
    agent.call("buy", { rounds: true, arguments: "", input });
    expect(JSON.parse(page.calls[2]?.payload ?? "")).toEqual({ arguments: {}, ...JSON.parse(input) });
  });

  test("a caller that accepts no rounds gets no questions as a result", () => {
    const { page, agent } = shop();
    const call = agent.call("buy");
    expect(page.calls[0]?.rounds).toBeUndefined();
    page.ack();
    page.say({ type: "result", id: "call-1", inputRequired: true }, questions);
    expect(call.end).toEqual({ outcome: "tool-error", ran: "yes", code: "output-invalid" });
  });

  test("every round of one call may use the same key", () => {
    const { page, agent } = shop();
    agent.call("buy", { rounds: true, key: "key" });
    page.ack();
    page.say({ type: "result", id: "call-1", inputRequired: true }, questions);
    const second = agent.call("buy", { rounds: true, key: "key", input });
    page.ack("call-2");
    page.say({ type: "result", id: "call-2" }, "{}");
    expect(second.end).toMatchObject({ outcome: "ok" });
    expect(agent.call("buy", { rounds: true, key: "key" }).handle.id).toBe("");
  });
});

import { expect, test } from "vitest";
import { parsePolicy } from "../policy/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

const receipt = { outcome: "ok", ran: "yes", payload: '"receipt"' };
const ended = { agent: "agent", name: "buy", tab: "tab-1" };

test("the end of a call is reported once, with its tab and its result", () => {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const call = board.agent().call("buy");
  page.ack();
  page.answer('"receipt"');
  call.handle.received();
  call.handle.cancel();
  expect(board.ended).toEqual([{ ...ended, end: receipt }]);
});

test("the end of a call that went nowhere is reported", async () => {
  const board = createBoard();
  const { end } = board.agent().call("buy");
  await Promise.resolve();
  expect(end).toBeUndefined();
  const refused = { outcome: "rejected", ran: "no", code: "tool-not-found" };
  expect(board.ended).toEqual([{ ...ended, tab: undefined, end: refused }]);
});

test("the end of each call with a repeated key is reported: during its call, after it, and for another call", async () => {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  agent.call("buy", { key: "k" });
  page.ack();
  const joined = board.agent({ identity: "other" }).call("buy", { key: "k" });
  await Promise.resolve();
  page.answer('"receipt"');
  agent.call("buy", { key: "k" });
  agent.call("buy", { key: "k", arguments: '{"other":1}' });
  await Promise.resolve();
  expect(joined.heard).toContainEqual(["acked", "tab-1"]);
  const replay = { ...receipt, replay: true };
  expect(board.ended.slice(0, 2)).toEqual([
    { ...ended, end: receipt },
    { ...ended, agent: "other", end: replay },
  ]);
  expect(board.ended.slice(2).map(({ end }) => end)).toEqual([
    replay,
    { outcome: "rejected", ran: "no", code: "key-conflict" },
  ]);
});

test("the end of a call that waits for an equal one or for a tab is reported once", async () => {
  const board = createBoard({ twinPause: 10 }, 0);
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  agent.call("buy");
  agent.call("buy").handle.cancel();
  const late = agent.call("sell", { left: 1000 });
  agent.call("sell").handle.cancel();
  await board.clock.advance(1000);
  expect(late.end).toMatchObject({ outcome: "deadline-exceeded" });
  const waited = agent.call("sell");
  page.offer(tool("buy"), tool("sell"));
  await board.clock.advance(1000);
  page.ack();
  page.answer('"receipt"');
  expect(waited.end).toEqual(receipt);
  expect(board.ended.map(({ name, end }) => [name, end["outcome"]])).toEqual([
    ["buy", "cancelled"],
    ["sell", "cancelled"],
    ["sell", "deadline-exceeded"],
    ["sell", "ok"],
  ]);
});

test("the end of a page's question is reported once: its answer, that no caller could answer, or that none did", () => {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const method = "elicitation/create";
  const { handle } = board.agent({ asks: [method] }).call("buy");
  page.ack();
  const { id = "" } = page.calls[0] ?? {};
  for (const ask of ["a", "a", "b"]) page.say({ type: "ask", id, ask, method }, "{}");
  const answer = { payload: '{"action":"accept"}' };
  handle.answer("a", answer);
  handle.answer("a", answer);
  page.answer("1");
  expect(board.questions).toEqual([
    ["buy", method, answer],
    ["buy", method, undefined],
  ]);
  board.agent().call("buy");
  page.ack();
  page.say({ type: "ask", id: page.calls[1]?.id ?? "", ask: "a", method }, "{}");
  expect(board.questions[2]).toEqual(["buy", method, { code: "ask-unsupported", message: expect.any(String) }]);
});

test("the end of a call is reported with the times of its steps", async () => {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const ask = "elicitation/create";
  const { handle } = board.agent({ asks: [ask] }).call("buy");
  const { id } = handle;
  page.lose("cut");
  await board.clock.advance(20);
  const back = board.page({ tabId: page.tabId, tools: [tool("buy")] });
  await board.clock.advance(0.5);
  back.ack(id);
  for (let n = 1; n <= 3; n++) {
    await board.clock.advance(1);
    back.say({ type: "progress", id, progress: n });
  }
  back.say({ type: "ask", id, ask: "1", method: ask }, "{}");
  await board.clock.advance(3000);
  handle.answer("1", { payload: '{"action":"accept"}' });
  await board.clock.advance(1);
  back.answer("1", id);
  expect(board.times).toEqual([
    {
      waited: undefined,
      sent: 0,
      resent: 200,
      acked: 205,
      reports: 3,
      firstReport: 215,
      lastReport: 235,
      questions: 1,
      firstQuestion: 235,
      lastAnswer: 30_235,
    },
  ]);
});

test("the end of a call is reported with how long it waited for a person, whether or not it began", async () => {
  const rules = [{ tool: "buy", decision: "ask" }];
  const board = createBoard({}, undefined, { policy: parsePolicy(JSON.stringify({ rules })) });
  const page = board.page({ tools: [tool("buy")] });
  const { call } = board.agent({ asks: ["elicitation/create"] });
  for (const allow of [true, false]) {
    const { handle } = call("buy");
    await board.clock.advance(3100);
    handle.answer("pagewire/allow", { payload: JSON.stringify({ action: "accept", content: { allow } }) });
    if (allow) page.answer("1");
  }
  await Promise.resolve();
  expect(board.times.map(({ waited, sent }) => [waited, sent])).toEqual([
    [3100, 0],
    [3100, undefined],
  ]);
});

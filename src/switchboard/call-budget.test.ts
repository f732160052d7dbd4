import { expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";
import type { TestAgent, TestCall } from "./board.test-helper.ts";

/** Why a call was refused; undefined if it was not. */
async function refusalOf(call: TestCall): Promise<string | undefined> {
  await Promise.resolve();
  const [end] = call.outcomes;
  return end?.code === "calls-too-many" ? /the limit (\w+) is/.exec(end.message ?? "")?.[1] : undefined;
}

/** The results of `count` calls in sequence; each that is not refused is answered at once. */
async function callOften(
  agent: TestAgent,
  times: number,
  answer: () => void,
): Promise<readonly (string | undefined)[]> {
  const refusals: (string | undefined)[] = [];
  for (let count = 0; count < times; count++) {
    const call = agent.call("buy");
    if (call.handle.id) answer();
    refusals.push(await refusalOf(call));
  }
  return refusals;
}

test("B137: one principal has at most `callsPerPrincipal` calls in flight over all its agents, and others have their own limit", async () => {
  const board = createBoard({ callsPerPrincipal: 2 });
  const page = board.page({ tools: [tool("buy")] });
  const agents = ["one", "two", "three"].map((identity) => board.agent({ identity }));
  const [first, , third] = agents.map((agent) => agent.call("buy"));
  expect(third && (await refusalOf(third))).toBe("callsPerPrincipal");
  expect(third?.outcomes[0]).toMatchObject({ outcome: "rejected", ran: "no", retryAfter: 1000 });
  board.page({ principal: "other", tools: [tool("buy")] });
  expect(board.agent({ principal: "other" }).call("buy").end).toBeUndefined();
  page.answer("{}", first?.handle.id);
  const next = board.agent({ identity: "four" }).call("buy");
  page.answer("{}", next.handle.id);
  expect(next.end).toMatchObject({ outcome: "ok" });
});

test("B137: the arguments of one principal's calls in flight take at most `callBytesPerPrincipal`", async () => {
  const board = createBoard({ callBytesPerPrincipal: 100 });
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const given = (bytes: number) => ({ arguments: `{"a":"${"x".repeat(bytes - 8)}"}` });
  const first = agent.call("buy", given(60));
  expect(await refusalOf(agent.call("buy", given(41)))).toBe("callBytesPerPrincipal");
  agent.call("buy", given(40));
  page.answer("{}", first.handle.id);
  expect(await refusalOf(agent.call("buy", given(60)))).toBeUndefined();
});

test("B137: after `callBurstPerPrincipal` calls at once, `callRatePerPrincipal` a second may begin, and the refusal has the time to wait", async () => {
  const board = createBoard({ callBurstPerPrincipal: 3, callRatePerPrincipal: 10 });
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const answer = () => page.answer("{}");
  const over = "callRatePerPrincipal";
  expect(await callOften(agent, 4, answer)).toEqual([undefined, undefined, undefined, over]);
  const refused = agent.call("buy");
  await Promise.resolve();
  expect(refused.outcomes[0]).toMatchObject({ outcome: "rejected", ran: "no", retryAfter: 100 });
  await board.clock.advance(100);
  expect(await callOften(agent, 2, answer)).toEqual([undefined, over]);
  await board.clock.advance(10_000);
  expect(await callOften(agent, 4, answer)).toEqual([undefined, undefined, undefined, over]);
});

test("B137: invalid calls count as well, and calls that repeat another do not", async () => {
  const board = createBoard({ callBurstPerPrincipal: 2, callRatePerPrincipal: 0 });
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const first = agent.call("buy", { key: "key" });
  page.answer("{}", first.handle.id);
  for (let count = 0; count < 5; count++) {
    const again = agent.call("buy", { key: "key" });
    await Promise.resolve();
    expect(again.end).toMatchObject({ outcome: "ok", replay: true });
  }
  const wrong = agent.call("nothing");
  await Promise.resolve();
  expect(wrong.end).toMatchObject({ code: "tool-not-found" });
  expect(await refusalOf(agent.call("buy"))).toBe("callRatePerPrincipal");
});

test("B137: equal calls at the same time all count", async () => {
  const board = createBoard({ callBurstPerPrincipal: 2, callRatePerPrincipal: 0, twinPause: 10 });
  board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const calls = Array.from({ length: 4 }, () => agent.call("buy"));
  await board.clock.advance(100);
  const refusals = await Promise.all(calls.map(refusalOf));
  expect(refusals.filter((name) => name === "callRatePerPrincipal")).toHaveLength(2);
});

import { describe, expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

describe("a call that repeats one whose caller is still there", () => {
  const paused = () => {
    const board = createBoard({ twinPause: 10 });
    const page = board.page({ tools: [tool("buy"), tool("look", { annotations: { readOnlyHint: true } })] });
    return { ...board, page, agent: board.agent() };
  };

  test("B95: it waits twinPause, and joins when that caller turns out to have been cut off", async () => {
    const { clock, page, agent } = paused();
    const first = agent.call("buy");
    page.ack();
    const again = agent.call("buy");
    first.handle.cut();
    await clock.advance(10);
    page.answer('"receipt"');
    expect(again.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    expect(page.calls).toHaveLength(1);
  });

  test("B95: it runs on its own when that caller stays, and a call that only reads or differs does not wait", async () => {
    const { clock, page, agent } = paused();
    agent.call("buy");
    agent.call("buy");
    agent.call("buy", { arguments: '{"product":"tea"}' });
    agent.call("look");
    agent.call("look");
    expect(page.calls).toHaveLength(4);
    await clock.advance(10);
    expect(page.calls).toHaveLength(5);
  });

  test("B95: cancelled or cut off while it waits, it never runs", async () => {
    const { clock, page, agent } = paused();
    agent.call("buy");
    const cancelled = agent.call("buy");
    const cut = agent.call("buy");
    cancelled.handle.cancel();
    cancelled.handle.cancel();
    cut.handle.cut();
    await clock.advance(10);
    expect(cancelled.outcomes).toEqual([expect.objectContaining({ outcome: "cancelled", ran: "no" })]);
    expect(cut.outcomes).toEqual([]);
    expect(page.calls).toHaveLength(1);
  });
});

describe("a call that waits for a tab that is away", () => {
  test("B96: it goes to another tab as soon as one can take it", () => {
    const { page, agent } = createBoard();
    const first = page({ tools: [tool("buy")] });
    first.lose("gone");
    const call = agent().call("buy");
    const second = page({ tools: [tool("buy")] });
    expect(second.calls).toEqual([expect.objectContaining({ id: call.handle.id, name: "buy" })]);
    second.ack();
    second.answer('"receipt"');
    expect(call.end).toMatchObject({ outcome: "ok" });
    expect(first.calls).toEqual([]);
  });

  test("B96: it stays with a tab that it named, and ends with it", async () => {
    const { page, agent, clock } = createBoard({ graceTime: 1000 });
    const first = page({ tools: [tool("buy")] });
    first.lose("gone");
    const call = agent().call("buy", { tab: first.tabId });
    const second = page({ tools: [tool("buy")] });
    await clock.advance(1000);
    expect(second.calls).toEqual([]);
    expect(call.end).toMatchObject({ outcome: "page-gone", ran: "no" });
  });

  test("B97: a tab that leaves again while calls wait for it keeps them waiting", () => {
    const { page, agent } = createBoard();
    const tools = [tool("buy")];
    page({ tabId: "shop", tools }).lose("gone");
    const call = agent().call("buy");
    page({ tabId: "shop" }).lose("gone");
    expect(call.end).toBeUndefined();
    const back = page({ tabId: "shop", tools });
    expect(back.calls).toHaveLength(1);
  });
});

describe("a caller that was cut off before its outcome reached it", () => {
  test("B98: its twin is given the outcome, once, and runs nothing", async () => {
    const { page, agent, clock } = createBoard();
    const shop = page({ tools: [tool("buy")] });
    const { call } = agent();
    const first = call("buy");
    shop.ack();
    shop.answer('"receipt"');
    first.handle.cut();
    const twin = call("buy");
    const next = call("buy");
    await clock.advance(0);
    expect(twin.end).toEqual({ ...first.end, replay: true });
    expect(next.end).toBeUndefined();
    expect(shop.calls).toHaveLength(2);
  });
});

import { describe, expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

describe("a call that repeats one whose caller is still connected", () => {
  const paused = () => {
    const board = createBoard({ twinPause: 10 });
    const page = board.page({ tools: [tool("buy"), tool("look", { annotations: { readOnlyHint: true } })] });
    return { ...board, page, agent: board.agent() };
  };

  test("it waits twinPause, and joins if that caller turns out to have been cut off", async () => {
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

  test("it waits and gets the result even if the result comes before the cut is noticed", async () => {
    const { clock, page, agent } = paused();
    const first = agent.call("buy");
    page.ack();
    page.answer('"receipt"');
    const again = agent.call("buy");
    first.handle.cut();
    await clock.advance(10);
    expect(again.end).toEqual({ outcome: "ok", ran: "yes", payload: '"receipt"', replay: true });
    expect(page.calls).toHaveLength(1);
  });

  test("it runs at once if the result was received, and after the pause while that is unknown", async () => {
    const { clock, page, agent } = paused();
    const first = agent.call("buy");
    page.ack();
    page.answer('"receipt"');
    first.handle.received();
    agent.call("buy");
    page.ack();
    page.answer('"receipt"');
    expect(page.calls).toHaveLength(2);
    agent.call("buy");
    expect(page.calls).toHaveLength(2);
    await clock.advance(10);
    expect(page.calls).toHaveLength(3);
  });

  test("it runs on its own if that caller stays, and a read-only or different call does not wait", async () => {
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

  test("it never runs if it is cancelled or cut off while it waits", async () => {
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
  test("it goes to another tab as soon as one is ready", () => {
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

  test("it stays with a tab that it named, and ends with it", async () => {
    const { page, agent, clock } = createBoard({ graceTime: 1000 });
    const first = page({ tools: [tool("buy")] });
    first.lose("gone");
    const call = agent().call("buy", { tab: first.tabId });
    const second = page({ tools: [tool("buy")] });
    await clock.advance(1000);
    expect(second.calls).toEqual([]);
    expect(call.end).toMatchObject({ outcome: "page-gone", ran: "no" });
  });

  test("it keeps waiting when its tab leaves again", () => {
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
  test("a duplicate gets the outcome, once, and runs nothing", async () => {
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

test("a caller that gets the outcome of an ended call first receives the tab that it came from", async () => {
  const { page, agent, clock } = createBoard();
  const shop = page({ tools: [tool("buy")] });
  const { call } = agent();
  const first = call("buy");
  shop.ack();
  shop.answer('"receipt"');
  first.handle.cut();
  const twin = call("buy");
  await clock.advance(0);
  expect(twin.heard).toEqual([
    ["acked", "tab-1"],
    ["ended", "ok"],
  ]);
});

describe("a hub that stops", () => {
  test("a call that waits for an away tab ends as not run, and does not move to another tab", async () => {
    const { page, agent, switchboard, clock } = createBoard();
    const first = page({ tools: [tool("buy")] });
    first.lose("gone");
    const second = page({ tools: [tool("buy")] });
    second.say({ type: "suspended", reason: "frozen" });
    const call = agent().call("buy", { tab: first.tabId });
    switchboard.close();
    await clock.advance(0);
    expect(call.end).toMatchObject({ outcome: "page-gone", ran: "no" });
    expect(second.calls).toEqual([]);
  });
});

test("keyBytes limits the outcomes kept for duplicates: the oldest is evicted first", async () => {
  const { page, agent, clock } = createBoard({ keyBytes: 3000 });
  const shop = page({ tools: [tool("buy")] });
  const { call } = agent();
  for (const product of ["tea", "coffee"]) {
    const cut = call("buy", { arguments: JSON.stringify({ product }) });
    shop.ack();
    shop.answer(JSON.stringify("x".repeat(2000)));
    cut.handle.cut();
  }
  const tea = call("buy", { arguments: '{"product":"tea"}' });
  const coffee = call("buy", { arguments: '{"product":"coffee"}' });
  await clock.advance(0);
  expect(tea.end).toBeUndefined();
  expect(coffee.end).toMatchObject({ outcome: "ok", replay: true });
});

test("a tab that reloads twice within its grace time keeps its tools for all of the second", async () => {
  const { page, agent, clock } = createBoard({ graceTime: 1000 });
  const shop = () => page({ tabId: "shop" });
  page({ tabId: "shop", tools: [tool("buy")] }).lose("gone");
  await clock.advance(600);
  shop().lose("gone");
  await clock.advance(600);
  const call = agent().call("buy");
  await clock.advance(0);
  expect(call.end).toBeUndefined();
});

test("call_tab_tool calls the tab's own tool of that name, whatever other apps offer", () => {
  const { page, agent } = createBoard();
  const shop = page({ tools: [tool("buy"), tool("shop__buy")] });
  page({ origin: "https://evil.example", tools: [tool("buy"), tool("shop__buy")] });
  const given = JSON.stringify({ tabId: shop.tabId, name: "shop__buy" });
  agent().call("call_tab_tool", { arguments: given });
  expect(shop.calls.map(({ name }) => name)).toEqual(["shop__buy"]);
});

import { describe, expect, test } from "vitest";
import { closeCodes } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab that has the tool `buy`, one agent, and a function that brings that tab back. */
function shop(limits: Parameters<typeof createBoard>[0] = {}) {
  const board = createBoard(limits);
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const stateOf = () => agent.session.tabs().map(({ state }) => state);
  const toolsOf = () =>
    agent.session
      .offer()
      .tools.map(({ name }) => name)
      .slice(3);
  const comeBack = (options: Parameters<typeof board.page>[0] = {}) => board.page({ tabId: page.tabId, ...options });
  return { ...board, page, agent, stateOf, toolsOf, comeBack };
}

describe("a tab that is cut off", () => {
  test("B30: it is listed as away, and later not at all", async () => {
    const { clock, page, stateOf, toolsOf } = shop();
    page.lose("cut");
    expect([stateOf(), toolsOf()]).toEqual([["away"], ["buy"]]);
    await clock.advance(4999);
    expect([stateOf(), toolsOf()]).toEqual([["away"], ["buy"]]);
    await clock.advance(1);
    expect([stateOf(), toolsOf()]).toEqual([[], []]);
  });

  test("B31: a running call goes on: when the page is back it is asked about the call", async () => {
    const { clock, page, agent, comeBack } = shop();
    const call = agent.call("buy");
    page.ack();
    page.lose("cut");
    await clock.advance(1000);
    const back = comeBack({ running: ["call-1"] });
    expect(back.calls).toEqual([expect.objectContaining({ id: "call-1", resume: true, left: 59_000, at: 1000 })]);
    back.answer('"done"', "call-1");
    expect(call.heard).toEqual([
      ["acked", "tab-1"],
      ["ended", "ok"],
    ]);
  });

  test("B31: an unacked call is sent to the page again, as the same call, once its tools are back", async () => {
    const { page, agent, comeBack } = shop();
    const call = agent.call("buy", { key: "k", arguments: '{"a":1}' });
    page.lose("cut");
    const back = comeBack();
    expect(back.calls).toEqual([]);
    back.offer(tool("buy"));
    expect(back.calls).toEqual([expect.objectContaining({ id: "call-1", key: "k", payload: '{"a":1}' })]);
    expect(back.calls[0]?.resume).toBeUndefined();
    back.offer(tool("buy"), tool("sell"));
    expect(back.calls).toHaveLength(1);
    back.answer("{}");
    expect(call.end).toMatchObject({ outcome: "ok" });
  });

  test.each([
    ["that runs", true],
    ["that was not acked", false],
  ])("B32: when it does not come back, the outcome of a call %s is unknown", async (_, acked) => {
    const { clock, page, agent } = shop();
    const call = agent.call("buy");
    if (acked) page.ack();
    page.lose("cut");
    await clock.advance(4999);
    expect(call.end).toBeUndefined();
    await clock.advance(1);
    expect(call.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" });
  });

  test.each(["gone", "suspended"])(
    "B32: a call that was cut off before its ack, sent again, and then lost to a tab that is %s may have run",
    async (how) => {
      const { page, agent, comeBack } = shop();
      const call = agent.call("buy");
      page.lose("cut");
      const back = comeBack({ tools: [tool("buy")] });
      expect(back.calls).toHaveLength(1);
      if (how === "gone") back.lose("gone");
      else back.say({ type: "suspended", reason: "frozen" });
      expect(call.end).toMatchObject({ ran: "maybe" });
    },
  );

  test("B33: a call for it waits and reaches it when it is back", async () => {
    const { clock, page, agent, comeBack } = shop();
    page.lose("cut");
    const call = agent.call("buy", { left: 10_000 });
    await clock.advance(3000);
    const back = comeBack({ tools: [tool("buy")] });
    expect(back.calls).toEqual([expect.objectContaining({ left: 7000, at: 3000 })]);
    back.answer("{}");
    expect(call.end).toMatchObject({ outcome: "ok" });
  });

  test("B33: a call for it ends as page-gone, not run, when it does not come back", async () => {
    const { clock, page, agent } = shop();
    page.lose("cut");
    const call = agent.call("buy");
    await clock.advance(5000);
    expect(call.end).toEqual({ outcome: "page-gone", ran: "no", code: "tab-gone" });
  });

  test("B33: a call for it whose time is up before it is back did not run", async () => {
    const { clock, page, agent, comeBack } = shop();
    page.lose("cut");
    const call = agent.call("buy", { left: 1000 });
    await clock.advance(1000);
    expect(call.end).toMatchObject({ outcome: "deadline-exceeded", ran: "no" });
    expect(comeBack({ tools: [tool("buy")] }).calls).toEqual([]);
  });
});

describe("a tab that is gone", () => {
  test.each(["bye", "closed"])(
    "B34: on a %s its calls end at once, with a true outcome: unknown if acked, else not delivered",
    (how) => {
      const { page, agent, stateOf } = shop();
      const [acked, sent] = [agent.call("buy"), agent.call("buy")];
      page.ack("call-1");
      if (how === "bye") page.say({ type: "bye" });
      else page.lose("gone");
      expect(acked.end).toEqual({ outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" });
      expect(sent.end).toEqual({ outcome: "not-delivered", ran: "no", code: "not-delivered" });
      page.lose("cut");
      expect(stateOf()).toEqual(["away"]);
    },
  );

  test("a page that leaves for good is unlisted at once, and its calls end as on any goodbye", () => {
    const { page, agent, stateOf, toolsOf, comeBack } = shop();
    const [acked, sent] = [agent.call("buy"), agent.call("buy")];
    page.ack("call-1");
    page.say({ type: "bye", final: true });
    expect([stateOf(), toolsOf()]).toEqual([[], []]);
    expect([acked.end?.["outcome"], sent.end?.["outcome"]]).toEqual(["outcome-unknown", "not-delivered"]);
    comeBack({ tools: [tool("sell")] });
    page.lose("gone");
    expect([stateOf(), toolsOf()]).toEqual([["connected"], ["sell"]]);
  });

  test("B35: a reloaded tab keeps its tools listed, and a call waits until its tool is back", async () => {
    const { clock, page, agent, toolsOf, comeBack } = shop();
    page.offer(tool("buy"), tool("sell"));
    page.say({ type: "bye" });
    const early = agent.call("sell");
    await clock.advance(500);
    const back = comeBack();
    expect(toolsOf()).toEqual(["buy", "sell"]);
    back.offer(tool("buy"));
    const buy = agent.call("buy");
    const sell = agent.call("sell");
    expect(back.calls).toEqual([expect.objectContaining({ id: buy.handle.id })]);
    expect(toolsOf()).toEqual(["buy", "sell"]);
    back.say({ type: "offer-change" }, JSON.stringify({ add: { tools: [tool("sell")] }, remove: {} }));
    expect(back.calls.map(({ id }) => id)).toEqual([buy, early, sell].map(({ handle }) => handle.id));
  });

  test("B35: tools that are not offered again within graceTime are dropped, and waiting calls go to the page, which refuses them", async () => {
    const { clock, page, agent, toolsOf, comeBack } = shop();
    page.say({ type: "bye" });
    const back = comeBack();
    back.offer(tool("sell"));
    const call = agent.call("buy");
    await clock.advance(4999);
    expect([back.calls, toolsOf()]).toEqual([[], ["buy"]]);
    await clock.advance(1);
    expect(back.calls).toEqual([expect.objectContaining({ id: call.handle.id })]);
    expect(toolsOf()).toEqual(["sell"]);
  });

  test("B35: a tool that is new after the reload is listed once all earlier ones are back", async () => {
    const { page, toolsOf, comeBack } = shop();
    page.say({ type: "bye" });
    const back = comeBack();
    back.offer(tool("buy", { description: "New." }), tool("sell"));
    expect(toolsOf()).toEqual(["buy", "sell"]);
    back.offer();
    expect(toolsOf()).toEqual([]);
  });

  test("a page that comes back with running calls without callers gets a cancel for each after cutTime", async () => {
    const { clock, page, agent, comeBack } = shop();
    agent.call("buy", { left: 1000 });
    page.ack();
    page.lose("cut");
    await clock.advance(1000);
    const back = comeBack({ running: ["call-1", "from another hub"], tools: [tool("buy")] });
    await clock.advance(1999);
    expect(back.sent.filter(({ type }) => type === "cancel")).toEqual([]);
    await clock.advance(1);
    expect(back.sent.filter(({ type }) => type === "cancel")).toMatchObject([
      { id: "call-1" },
      { id: "from another hub" },
    ]);
  });
});

describe("a tab that another document takes over", () => {
  test("B37: the earlier link is closed, and its later frames are ignored", async () => {
    const { clock, page, agent, toolsOf, stateOf, comeBack } = shop();
    const call = agent.call("buy");
    const back = comeBack({ tools: [tool("buy")] });
    expect(page.closings).toMatchObject([{ code: closeCodes["tab-replaced"] }]);
    page.answer('"old"', "call-1");
    page.offer(tool("evil"));
    page.say({ type: "suspended", reason: "frozen" });
    page.say({ type: "bye" });
    page.lose("gone");
    await clock.advance(10_000);
    expect([call.heard, toolsOf(), stateOf()]).toEqual([[], ["buy"], ["connected"]]);
    back.answer('"new"');
    expect(call.end).toMatchObject({ payload: '"new"' });
  });
});

describe("a tab that the browser has suspended", () => {
  const frozen = { type: "suspended", reason: "frozen" } as const;
  const cached = { type: "suspended", reason: "back-forward-cache" } as const;

  test("B38: its calls end as page-suspended at once, and may have run; new calls are not sent to it", async () => {
    const { clock, page, agent, stateOf } = shop();
    const [acked, sent] = [agent.call("buy"), agent.call("buy")];
    page.ack("call-1");
    page.say(frozen);
    const later = agent.call("buy");
    await clock.advance(0);
    const suspended = { outcome: "page-suspended", ran: "maybe", code: "tab-suspended" };
    expect([acked.end, sent.end, later.end]).toEqual([suspended, suspended, { ...suspended, ran: "no" }]);
    expect(page.calls).toHaveLength(2);
    expect(stateOf()).toEqual(["suspended"]);
  });

  test("B138: one that another address takes the place of is gone, its calls end as page-suspended, and it can come back", async () => {
    const { clock, page, agent, stateOf, toolsOf, comeBack } = shop();
    const call = agent.call("buy");
    page.ack("call-1");
    page.say({ ...cached, final: true });
    await clock.advance(0);
    expect(call.end).toEqual({ outcome: "page-suspended", ran: "maybe", code: "tab-suspended" });
    expect([stateOf(), toolsOf()]).toEqual([[], []]);
    comeBack({ tools: [tool("buy")] });
    await clock.advance(5000);
    expect([stateOf(), toolsOf()]).toEqual([["connected"], ["buy"]]);
  });

  test("B38: a frozen tab stays listed for as long as its link lasts, and is connected again when it resumes", async () => {
    const { clock, page, agent, stateOf, toolsOf } = shop();
    page.say(frozen);
    await clock.advance(3_600_000);
    expect([stateOf(), toolsOf()]).toEqual([["suspended"], ["buy"]]);
    page.say({ type: "resumed" });
    expect(stateOf()).toEqual(["connected"]);
    agent.call("buy");
    expect(page.calls).toHaveLength(1);
  });

  test("a tab in the back/forward cache is dropped after graceTime, and its link is closed", async () => {
    const { clock, page, stateOf } = shop();
    page.say(cached);
    await clock.advance(4999);
    expect([stateOf(), page.closings]).toEqual([["suspended"], []]);
    await clock.advance(1);
    expect(stateOf()).toEqual([]);
    expect(page.closings).toMatchObject([{ code: 1000 }]);
    page.say({ type: "resumed" });
    expect(stateOf()).toEqual([]);
  });

  test("freezing a tab in the back/forward cache does not extend its time", async () => {
    const { clock, page, stateOf } = shop();
    page.say(cached);
    await clock.advance(1000);
    page.say(frozen);
    await clock.advance(4000);
    expect([stateOf(), page.closings]).toMatchObject([[], [{ code: 1000 }]]);
  });

  test("a tab that comes back from the cache in time stays", async () => {
    const { clock, page, stateOf } = shop();
    page.say(cached);
    await clock.advance(4000);
    page.say({ type: "resumed" });
    await clock.advance(4000);
    expect([stateOf(), page.closings]).toEqual([["connected"], []]);
  });

  test("a suspended tab whose link is cut is away, and is dropped after graceTime", async () => {
    const { clock, page, stateOf } = shop();
    page.say(frozen);
    page.lose("cut");
    expect(stateOf()).toEqual(["away"]);
    await clock.advance(5000);
    expect(stateOf()).toEqual([]);
  });
});

describe("heartbeats of a tab", () => {
  test("B40: heartbeats and silence", async () => {
    const { clock, page, stateOf } = shop();
    const beats = () => page.sent.filter(({ type }) => type === "heartbeat").length;
    await clock.advance(15_000);
    expect(beats()).toBe(1);
    page.say({ type: "heartbeat" });
    await clock.advance(45_000 - 1);
    expect([beats(), stateOf()]).toEqual([3, ["connected"]]);
    await clock.advance(1);
    expect([beats(), stateOf()]).toEqual([4, ["silent"]]);
  });

  test("B40: a silent tab is connected again at its first frame; calls are sent to it all the time", async () => {
    const { clock, page, agent, stateOf } = shop();
    await clock.advance(60_000);
    expect(stateOf()).toEqual(["silent"]);
    const call = agent.call("buy");
    page.ack();
    expect(stateOf()).toEqual(["connected"]);
    page.answer("{}");
    expect(call.end).toMatchObject({ outcome: "ok" });
  });

  test("B40: a suspended tab gets no heartbeats", async () => {
    const { clock, page } = shop();
    page.say({ type: "suspended", reason: "frozen" });
    await clock.advance(60_000);
    expect(page.sent).toEqual([]);
  });
});

describe("invalid frames of a page", () => {
  test("an offer that agents cannot be shown is refused by name, and the earlier offer stays", () => {
    const { page, toolsOf } = shop();
    expect(() => page.offer(tool("list_browser_tabs"))).toThrowError(expect.objectContaining({ code: "name-taken" }));
    expect(() => page.say({ type: "offer-change" }, "no JSON")).toThrowError(
      expect.objectContaining({ code: "frame-malformed" }),
    );
    expect(toolsOf()).toEqual(["buy"]);
  });

  test("a change before the first offer of a link applies to an empty offer, and the offer replaces it", () => {
    const { page, toolsOf, comeBack } = shop();
    page.lose("cut");
    for (const fresh of [comeBack(), comeBack({ tabId: "another", app: "another" })]) {
      fresh.say(
        { type: "offer-change" },
        JSON.stringify({ add: { tools: [tool("sell")] }, remove: { tools: ["no"] } }),
      );
      expect(toolsOf()).toContain("buy");
      fresh.offer(tool("buy"));
      expect(toolsOf()).not.toContain("sell");
    }
  });
});

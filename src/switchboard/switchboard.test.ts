import { describe, expect, test } from "vitest";
import { closeCodes } from "../wire/index.ts";
import type { CallEvent } from "../wire/index.ts";
import { createBoard, tool } from "./board.test-helper.ts";

describe("principals", () => {
  test("B50: an agent sees and reaches the tabs of its own principal only", async () => {
    const board = createBoard();
    const mine = board.page({ tabId: "mine", tools: [tool("buy")] });
    const theirs = board.page({ tabId: "theirs", principal: "other", tools: [tool("buy"), tool("spy")] });
    const agent = board.agent();
    expect(agent.session.tabs().map(({ tabId }) => tabId)).toEqual(["mine"]);
    expect(agent.session.offer().tools.map(({ name }) => name)).not.toContain("spy");
    expect(() => agent.session.tabOffer("theirs")).toThrowError(expect.objectContaining({ code: "tab-not-found" }));
    const refused = [
      agent.call("spy"),
      agent.call("buy", { tab: "theirs" }),
      agent.call("buy", { arguments: '{"tabId":"theirs"}' }),
      agent.call("call_tab_tool", { arguments: '{"tabId":"theirs","name":"spy"}' }),
      agent.call("list_tab_tools", { arguments: '{"tabId":"theirs"}' }),
    ];
    await board.clock.advance(0);
    expect(refused.map(({ end }) => end?.["code"])).toEqual(["tool-not-found", ...Array(4).fill("tab-not-found")]);
    for (const { outcomes } of refused) expect(outcomes[0]?.message).not.toContain("theirs (");
    agent.call("buy");
    expect([mine.calls.length, theirs.calls.length]).toEqual([1, 0]);
  });

  test("B50: an agent bound to another principal's tab is bound to none", () => {
    const board = createBoard();
    const mine = board.page({ tabId: "mine", tools: [tool("buy")] });
    const theirs = board.page({ tabId: "theirs", principal: "other", tools: [tool("buy")] });
    board.agent({ boundTab: "theirs" }).call("buy");
    expect([mine.calls.length, theirs.calls.length]).toEqual([1, 0]);
  });

  test("B50: the same tab id under two principals is two tabs", () => {
    const board = createBoard();
    const mine = board.page({ tabId: "tab", tools: [tool("buy")] });
    const theirs = board.page({ tabId: "tab", principal: "other", tools: [tool("buy")] });
    const call = board.agent().call("buy");
    theirs.answer('"forged"', call.handle.id);
    mine.answer('"true"');
    expect([call.end?.["payload"], mine.closings]).toEqual(['"true"', []]);
  });

  test("B50: watchers of one principal do not receive calls and changes of another", async () => {
    const board = createBoard();
    const heard: unknown[] = [];
    const watcher = board.agent({ principal: "other" }).session;
    watcher.onCall((event: CallEvent) => heard.push(event));
    watcher.onChange((what) => heard.push(what));
    board.page({ tools: [tool("buy")] });
    board.agent().call("buy");
    await board.clock.advance(1000);
    expect(heard).toEqual([]);
  });

  test("the memory of a principal outlives its last tab and agent by keyTime, counted from the last", async () => {
    const { clock, page, agent } = createBoard({ graceTime: 0 });
    const visit = async (key: string) => {
      const tab = page({ tabId: "tab", tools: [tool("buy")] });
      const caller = agent();
      const call = caller.call("buy", { key });
      if (tab.calls.length > 0) tab.answer(`"at ${clock.now()}"`);
      await clock.advance(0);
      tab.lose("gone");
      caller.session.close();
      await clock.advance(400_000);
      return call.end?.["payload"];
    };
    expect(await visit("one")).toBe('"at 0"');
    expect(await visit("two")).toBe('"at 400000"');
    expect(await visit("two")).toBe('"at 400000"');
    await clock.advance(600_000);
    expect(clock.pending).toBe(0);
  });

  test("agents that come and go leave nothing behind", async () => {
    const { clock, agent } = createBoard();
    for (let count = 0; count < 100; count++) agent().session.close();
    expect(clock.pending).toBe(1);
    await clock.advance(600_000);
    expect(clock.pending).toBe(0);
  });
});

describe("the switchboard", () => {
  test("it counts tabs, agents, calls in flight and outcomes", async () => {
    const { switchboard, clock, ...board } = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.page({ principal: "other" });
    const agent = board.agent();
    agent.call("buy");
    agent.call("buy");
    page.answer("{}");
    agent.call("sell");
    await clock.advance(0);
    expect(switchboard.counts()).toMatchObject({
      tabs: 2,
      agents: 1,
      callsInFlight: 1,
      outcomes: { ok: 1, rejected: 1 },
    });
    agent.session.close();
    agent.session.close();
    expect(switchboard.counts()).toMatchObject({ tabs: 2, agents: 0, callsInFlight: 1 });
  });

  test("closing it ends every call and every wait, and closes every page's link", async () => {
    const { switchboard, clock, ...board } = createBoard();
    const page = board.page({ running: ["a call of the hub before"], tools: [tool("buy")] });
    const away = board.page({ principal: "other", tools: [tool("buy")] });
    away.lose("cut");
    const agent = board.agent();
    agent.session.onChange(() => {});
    const calls = [agent.call("buy"), agent.call("buy"), agent.call("buy", { key: "k" })];
    page.ack("call-1");
    calls[2]?.handle.cut();
    switchboard.close();
    switchboard.close();
    expect(page.closings).toMatchObject([{ code: closeCodes["going-away"] }]);
    expect(calls.map(({ end }) => end?.["outcome"])).toEqual(["outcome-unknown", "outcome-unknown", undefined]);
    agent.session.close();
    expect([clock.pending, switchboard.counts().tabs]).toEqual([0, 0]);
  });

  test("a closed agent receives no more changes and calls; its running calls go on", async () => {
    const { clock, ...board } = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const agent = board.agent();
    const heard: unknown[] = [];
    agent.session.onChange((what) => heard.push(what));
    agent.session.onCall((event) => heard.push(event));
    const call = agent.call("buy");
    heard.length = 0;
    agent.session.close();
    page.answer("{}");
    page.offer();
    await clock.advance(1000);
    expect([heard, call.end?.["outcome"]]).toEqual([[], "ok"]);
  });
});

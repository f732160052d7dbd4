import { expect, test } from "vitest";
import { terminalOnly } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";
import type { TestBoard } from "./board.test-helper.ts";

const hidden = tool("fetch", { _meta: terminalOnly });
const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];

function boardWithBoth() {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy"), hidden] });
  return { board, page, agent: board.agent(), terminal: board.agent({ identity: "terminal", isTerminal: true }) };
}

/** Everything that an agent can read about offers and tabs. */
async function seenBy({ agent }: Pick<TestBoard, "agent">): Promise<string> {
  const one = agent();
  const calls = [
    one.call("list_browser_tabs"),
    one.call("list_tab_tools"),
    one.call("list_tab_tools", { arguments: '{"tabId":"tab-1"}' }),
    one.call("nothing"),
    one.call("nothing", { tab: "tab-1" }),
    one.call("buy", { arguments: '{"tabId":"nothing"}' }),
  ];
  await Promise.resolve();
  const { session } = one;
  const tools = [session.tool("fetch"), session.tool("fetch", "tab-1"), session.sourceOf("fetch")];
  const seen = [
    session.offer(),
    session.tabs(),
    session.tabOffer("tab-1"),
    tools,
    calls.map(({ outcomes }) => outcomes),
  ];
  return JSON.stringify(seen);
}

test("B108: other callers cannot read a tool for terminals only anywhere", async () => {
  const { board } = boardWithBoth();
  const seen = await seenBy(board);
  expect(seen).toContain("buy");
  expect(seen).not.toContain("fetch");
  expect(
    board
      .agent()
      .session.offer()
      .tools.map(({ name }) => name),
  ).toEqual([...builtIn, "buy"]);
});

test("B108: a change of such a tool is not announced", async () => {
  const { board, page, agent } = boardWithBoth();
  const heard: string[] = [];
  agent.session.onChange((what) => heard.push(what));
  const offer = agent.session.offer();
  page.say({ type: "offer-change" }, JSON.stringify({ add: {}, remove: { tools: ["fetch"] } }));
  await board.clock.advance(1000);
  page.say({ type: "offer-change" }, JSON.stringify({ add: { tools: [hidden] }, remove: {} }));
  await board.clock.advance(1000);
  expect([heard, agent.session.offer()]).toEqual([[], offer]);
  page.say({ type: "offer-change" }, JSON.stringify({ add: { tools: [tool("fetch")] }, remove: {} }));
  await board.clock.advance(1000);
  expect(heard.toSorted()).toEqual(["offer", "tabs"]);
  expect(agent.session.tool("fetch", "tab-1")).toEqual(tool("fetch"));
});

test("B109: a call of such a tool by another caller is a call of an unknown tool", async () => {
  const { page, agent } = boardWithBoth();
  const tries = (name: string) => [
    agent.call(name),
    agent.call(name, { arguments: '{"tabId":"tab-1"}' }),
    agent.call(name, { tab: "tab-1" }),
    agent.call(name, { tab: "tab-1", isOwnName: true }),
    agent.call("call_tab_tool", { arguments: JSON.stringify({ tabId: "tab-1", name, arguments: {} }) }),
  ];
  const [ofHidden, ofNothing] = [tries("fetch"), tries("flown")];
  await Promise.resolve();
  const outcomes = ofHidden.map((each) => each.outcomes);
  for (const [outcome] of outcomes)
    expect(outcome).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-not-found" });
  const told = JSON.stringify(ofNothing.map((each) => each.outcomes)).replaceAll("flown", "fetch");
  expect(JSON.stringify(outcomes)).toBe(told);
  expect(page.calls).toEqual([]);
});

test("B109: if an app also has a tool of that name for everyone, other callers get that one", () => {
  const { board, page, agent } = boardWithBoth();
  const open = board.page({ app: "other", tools: [tool("fetch")] });
  agent.call("fetch");
  expect([page.calls.length, open.calls.length]).toEqual([0, 1]);
  expect(agent.call("fetch", { tab: "tab-1" }).heard).toEqual([]);
});

test("B109: if one tab has it for everyone and another for terminals, agents see only the first", async () => {
  const { board, page, agent, terminal } = boardWithBoth();
  const open = board.page({ tools: [tool("fetch")] });
  agent.call("fetch");
  const wrong = agent.call("fetch", { arguments: JSON.stringify({ tabId: "tab-1" }) });
  await Promise.resolve();
  expect(wrong.end).toMatchObject({ ran: "no", code: "tool-not-found" });
  terminal.call("fetch", { tab: "tab-1", isOwnName: true });
  expect([page.calls.length, open.calls.length]).toEqual([1, 1]);
  open.lose("gone");
  const waiting = agent.call("fetch");
  await board.clock.advance(10_000);
  expect(waiting.end).toMatchObject({ ran: "no" });
  expect([page.calls.length, agent.session.tool("fetch")]).toEqual([1, undefined]);
});

test("a terminal sees it among its tab's tools, by the tab's own name", async () => {
  const { page, terminal } = boardWithBoth();
  expect(terminal.session.tabOffer("tab-1").tools.map(({ name }) => name)).toEqual(["buy", "fetch"]);
  expect(terminal.session.tool("fetch", "tab-1")).toEqual(hidden);
  const wrong = terminal.call("none", { tab: "tab-1", isOwnName: true });
  await Promise.resolve();
  expect(JSON.stringify(wrong.outcomes)).toContain("offers: buy, fetch.");
  const call = terminal.call("fetch", { tab: "tab-1", isOwnName: true, arguments: '{"tabId":"mine"}' });
  page.ack();
  page.answer("{}");
  expect(call.end).toMatchObject({ outcome: "ok" });
  expect(page.calls).toMatchObject([{ name: "fetch", payload: '{"tabId":"mine"}' }]);
});

test("it stays when the tab changes its offer, and a call waits for it while the tab reloads", async () => {
  const { board, page, terminal } = boardWithBoth();
  const call = () => terminal.call("fetch", { tab: "tab-1", isOwnName: true });
  page.say({ type: "offer-change" }, JSON.stringify({ add: { tools: [tool("sell")] }, remove: { tools: ["buy"] } }));
  call();
  expect(page.calls).toHaveLength(1);
  page.lose("gone");
  const again = board.page({ tabId: "tab-1" });
  call();
  again.offer(tool("sell"));
  expect(again.calls).toEqual([]);
  again.offer(tool("sell"), hidden);
  expect(again.calls).toHaveLength(1);
  await board.clock.advance(10_000);
  again.offer(tool("sell"));
  expect(terminal.session.tool("fetch", "tab-1")).toBeUndefined();
});

test("an unused offer is dropped with these tools in it", () => {
  const { board, page } = boardWithBoth();
  const other = board.page({ tools: [hidden] });
  page.say({ type: "offer" }, JSON.stringify(offerWith()));
  const terminal = board.agent({ isTerminal: true });
  expect(terminal.session.tool("fetch", other.tabId)).toEqual(hidden);
});

test("B109: a reloaded page that now reserves a tool for terminals does not get other callers' calls of it", async () => {
  const board = createBoard();
  const before = board.page({ tools: [tool("fetch"), tool("buy")] });
  const [agent, terminal] = [board.agent(), board.agent({ identity: "terminal", isTerminal: true })];
  before.lose("gone");
  const waiting = agent.call("fetch");
  const page = board.page({ tabId: "tab-1" });
  // Agents see the earlier offer until the page has offered all of it again.
  page.offer(hidden);
  const [asked, own] = [agent.call("fetch"), terminal.call("fetch", { tab: "tab-1", isOwnName: true })];
  expect(page.calls).toHaveLength(1);
  await board.clock.advance(10_000);
  for (const { end } of [waiting, asked]) expect(end).toMatchObject({ ran: "no" });
  expect([page.calls.length, own.heard]).toEqual([1, []]);
});

test("B109: a reloaded page that offers the same tools, some to other callers, replaces its offer at once", () => {
  const board = createBoard();
  board.page({ tools: [tool("fetch"), tool("paste", { _meta: terminalOnly })] }).lose("gone");
  const waiting = board.agent().call("fetch");
  const page = board.page({ tabId: "tab-1" });
  page.offer(hidden, tool("paste"));
  expect(waiting.end).toMatchObject({ outcome: "page-gone", ran: "no" });
  expect([board.agent().session.tool("fetch"), board.agent().session.tool("paste")?.name]).toEqual([
    undefined,
    "paste",
  ]);
  expect(page.calls).toEqual([]);
});

test("a terminal does not see the built-in tools", async () => {
  const { page, terminal } = boardWithBoth();
  const calls = builtIn.flatMap((name) => [
    terminal.call(name, { arguments: '{"tabId":"tab-1","name":"buy"}' }),
    terminal.call(name, { tab: "tab-1", isOwnName: true, arguments: '{"tabId":"tab-1","name":"buy"}' }),
  ]);
  await Promise.resolve();
  for (const { end } of calls) expect(end).toMatchObject({ outcome: "rejected", code: "tool-not-found" });
  expect(page.calls).toEqual([]);
});

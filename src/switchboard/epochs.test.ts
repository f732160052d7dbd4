// Tabs that come back with all, some or none of their memory of calls.
import { expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab that has the tool `buy`, one agent, and a function that brings that tab back. */
function shop() {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const comeBack = (options: Parameters<typeof board.page>[0]) => board.page({ tabId: page.tabId, ...options });
  return { page, agent: board.agent(), comeBack };
}

const forgotten = { outcome: "outcome-unknown", ran: "maybe", code: "outcome-unknown" };

test.each([
  ["that runs", true],
  ["that was not acked", false],
])("B114: a page that is back without its memory is not given a call %s; its outcome is unknown", (_, acked) => {
  for (const epochs of [undefined, [], ["another"], ["another", "a third"]]) {
    const { page, agent, comeBack } = shop();
    const call = agent.call("buy");
    if (acked) page.ack();
    page.lose("cut");
    const back = comeBack({ epochs, tools: [tool("buy")] });
    expect(call.end).toEqual(forgotten);
    expect(back.calls).toEqual([]);
  }
});

test("B114: a page that reports which epochs it remembers gets their calls again, or is asked about them", () => {
  const { page, agent, comeBack } = shop();
  const [acked, lost] = [agent.call("buy"), agent.call("buy")];
  page.ack("call-1");
  page.lose("cut");
  const back = comeBack({ epochs: ["epoch", "next"], tools: [tool("buy")] });
  expect(back.calls).toMatchObject([
    { id: "call-1", resume: true, epoch: "next" },
    { id: "call-2", epoch: "next" },
  ]);
  back.answer("{}", "call-1");
  back.lose("cut");
  // It comes back with an earlier snapshot.
  comeBack({ epochs: ["epoch", "last"], tools: [tool("buy")] });
  expect([acked.end, lost.end]).toEqual([expect.objectContaining({ outcome: "ok" }), forgotten]);
});

test("B114: a call that the page reports as running is remembered, whatever epochs it reports", () => {
  const { page, agent, comeBack } = shop();
  const call = agent.call("buy");
  page.ack();
  page.lose("cut");
  const back = comeBack({ epochs: undefined, running: ["call-1"] });
  back.answer("{}", "call-1");
  expect(call.end).toMatchObject({ outcome: "ok" });
});

test("B114: a call that waited for its tab is sent to a page without memory, too", () => {
  const { page, agent, comeBack } = shop();
  page.lose("cut");
  const call = agent.call("buy");
  const back = comeBack({ epochs: ["another"], tools: [tool("buy")] });
  back.answer("{}");
  expect(call.end).toMatchObject({ outcome: "ok" });
});

test("B115: calls sent before the page announced its epoch, acked and not", () => {
  const { page, agent } = shop();
  agent.call("buy");
  agent.call("buy");
  page.ack("call-1");
  page.say({ type: "tab", title: "Shop" });
  page.say({ type: "tab", epochs: ["epoch"] });
  expect(page.calls.map(({ id, epoch }) => [id, epoch])).toEqual([
    ["call-1", "epoch"],
    ["call-2", "epoch"],
  ]);
  page.say({ type: "tab", epochs: ["epoch", "next"] });
  expect(page.calls.slice(2)).toMatchObject([{ id: "call-2", epoch: "next" }]);
});

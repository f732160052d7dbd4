// A tab that goes to another page, or to the same again.
import { expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab that has the tool `buy`, one agent, and a way for another page to take that tab. */
function shop() {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  return {
    page,
    agent,
    stateOf: () => agent.session.tabs().map(({ state }) => state),
    toolsOf: () =>
      agent.session
        .offer()
        .tools.map(({ name }) => name)
        .slice(3),
    comeBack: (options: Parameters<typeof board.page>[0]) => board.page({ tabId: page.tabId, ...options }),
  };
}

const elsewhere = { url: "https://shop.example/cart", tools: [tool("pay")] };
const leave = {
  "says goodbye": ({ page }: ReturnType<typeof shop>) => page.say({ type: "bye" }),
  "goes into the back/forward cache": ({ page }: ReturnType<typeof shop>) =>
    page.say({ type: "suspended", reason: "back-forward-cache" }),
  "is cut off in the back/forward cache": ({ page }: ReturnType<typeof shop>) => {
    page.say({ type: "suspended", reason: "back-forward-cache" });
    page.lose("cut");
  },
};

test.each(Object.entries(leave))(
  "B116: a page at another address inherits nothing from one that %s: its tools are listed in their place at once",
  (_, depart) => {
    const board = shop();
    depart(board);
    expect(board.toolsOf()).toEqual(["buy"]);
    const next = board.comeBack({ url: elsewhere.url });
    expect([board.stateOf(), board.toolsOf()]).toEqual([["connected"], []]);
    next.offer(...elsewhere.tools);
    expect(board.toolsOf()).toEqual(["pay"]);
    board.page.lose("gone");
    expect([board.stateOf(), board.toolsOf()]).toEqual([["connected"], ["pay"]]);
  },
);

test("B116: a page of another app at the same address inherits nothing", () => {
  const { page, toolsOf, comeBack } = shop();
  page.say({ type: "bye" });
  comeBack({ app: "bank", tools: [tool("pay")] });
  expect(toolsOf()).toEqual(["pay"]);
});

test("B116: a call that waits for the page that left ends at once, as page-gone and not run", () => {
  const { page, agent, comeBack } = shop();
  page.say({ type: "bye" });
  const call = agent.call("buy");
  const next = comeBack(elsewhere);
  expect(call.end).toEqual({ outcome: "page-gone", ran: "no", code: "tab-gone" });
  expect(next.calls).toEqual([]);
});

test.each([
  ["an address that differs by its query or fragment", { url: "https://shop.example/?page=2#top" }],
  ["no address", {}],
])("B116: a page with %s is the same page, reloaded", (_, greeting) => {
  const { page, toolsOf, comeBack } = shop();
  page.say({ type: "tab", url: "https://shop.example/" });
  page.say({ type: "bye" });
  comeBack(greeting);
  expect(toolsOf()).toEqual(["buy"]);
});

test("B116: a page that changes its own address keeps its tools and its calls, also while it is cut off", () => {
  const { page, agent, toolsOf, comeBack } = shop();
  const call = agent.call("buy");
  page.ack();
  page.say({ type: "tab", url: "https://shop.example/one" });
  page.lose("cut");
  const back = comeBack({ url: "https://shop.example/two", running: ["call-1"] });
  expect([toolsOf(), call.end]).toEqual([["buy"], undefined]);
  back.answer('"done"', "call-1");
  expect(call.end).toMatchObject({ outcome: "ok" });
});

test("B116: a page that came back from the back/forward cache and is then cut off is the same, whatever its address", () => {
  const { page, toolsOf, comeBack } = shop();
  page.say({ type: "suspended", reason: "back-forward-cache" });
  page.say({ type: "resumed" });
  page.lose("cut");
  comeBack({ url: elsewhere.url });
  expect(toolsOf()).toEqual(["buy"]);
});

import { describe, expect, test } from "vitest";
import type { Offer } from "../wire/index.ts";
import { createBoard, offerWith, tool } from "./board.test-helper.ts";

const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];
const bank = { origin: "https://bank.example", app: "bank" };

describe("what an agent is shown", () => {
  test("B61: the built-in tools are always there and first; others follow by name, whoever came first", () => {
    const orders = [
      [["b", "c"], ["a"]],
      [["a"], ["c", "b"]],
    ].map((offers) => {
      const board = createBoard();
      for (const names of offers) board.page({ app: names.join(), tools: names.map((name) => tool(name)) });
      return board.agent().session.offer();
    });
    expect(orders[0]?.tools.map(({ name }) => name)).toEqual([...builtIn, "a", "b", "c"]);
    expect(orders[1]).toEqual(orders[0]);
    expect(
      createBoard()
        .agent()
        .session.offer()
        .tools.map(({ name }) => name),
    ).toEqual(builtIn);
  });

  test("B62: a tool that many tabs of one app have is one tool, with an optional tabId", () => {
    const board = createBoard();
    const buy = tool("buy", { inputSchema: { type: "object", properties: { item: {} }, required: ["item"] } });
    for (let count = 0; count < 3; count++) board.page({ tools: [buy] });
    const [shown, ...others] = board.agent().session.offer().tools.slice(3);
    expect(others).toEqual([]);
    expect(shown).toEqual({
      ...buy,
      inputSchema: {
        type: "object",
        properties: { item: {}, tabId: { type: "string", description: expect.stringContaining("Optional") } },
        required: ["item"],
      },
    });
  });

  test("B62: tabs that offer different lists share the tools that read the same", () => {
    const board = createBoard();
    const [one, other] = [board.page({ tools: [tool("buy")] }), board.page({ tools: [tool("buy"), tool("sell")] })];
    const agent = board.agent();
    expect(
      agent.session
        .offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["buy", "sell"]);
    for (const { tabId } of [one, other]) agent.call("buy", { arguments: JSON.stringify({ tabId }) });
    expect([one.calls.length, other.calls.length]).toEqual([1, 1]);
  });

  test("B62: a tool that has a tabId of its own keeps it as it is", () => {
    const board = createBoard();
    const own = tool("move", { inputSchema: { type: "object", properties: { tabId: { type: "number" } } } });
    board.page({ tools: [own] });
    expect(board.agent().session.offer().tools.slice(3)).toEqual([own]);
  });

  test("B63: where definitions of one name differ each is listed under a name of its own, and the plain name is an error", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    const other = board.page({ ...bank, tools: [tool("buy")] });
    const agent = board.agent();
    expect(
      agent.session
        .offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["bank__buy", "shop__buy"]);
    const unclear = agent.call("buy");
    agent.call("bank__buy");
    await board.clock.advance(0);
    expect(unclear.end).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-ambiguous" });
    expect(unclear.outcomes[0]?.message).toMatch(/bank__buy.*shop__buy|shop__buy.*bank__buy/);
    expect(other.calls).toEqual([expect.objectContaining({ name: "buy" })]);
  });

  test("B63: same-named tools of two origins are told apart even when they and their apps read the same", async () => {
    const board = createBoard();
    const pages = [board.page({ tools: [tool("buy")] }), board.page({ origin: bank.origin, tools: [tool("buy")] })];
    const agent = board.agent();
    const names = agent.session
      .offer()
      .tools.slice(3)
      .map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of ["buy", ...names]) agent.call(name);
    await board.clock.advance(0);
    expect(pages.map(({ calls }) => calls.length)).toEqual([1, 1]);
  });

  test("B63: when the other app is gone, the name is plain again", async () => {
    const board = createBoard();
    board.page({ tools: [tool("buy")] });
    board.page({ ...bank, tools: [tool("buy")] }).lose("gone");
    await board.clock.advance(5000);
    expect(
      board
        .agent()
        .session.offer()
        .tools.slice(3)
        .map(({ name }) => name),
    ).toEqual(["buy"]);
  });

  test("B64: prompts are told apart like tools; resources and templates are listed by their address, each once", () => {
    const board = createBoard();
    const offer: Offer = {
      ...offerWith(),
      prompts: [{ name: "greet" }],
      resources: [{ uri: "shop://cart", name: "cart" }],
      resourceTemplates: [{ uriTemplate: "shop://item/{id}", name: "item" }],
    };
    for (const app of ["shop", "bank"]) {
      board.page({ app }).say({ type: "offer" }, JSON.stringify(offer));
    }
    expect(board.agent().session.offer()).toMatchObject({
      prompts: [{ name: "bank__greet" }, { name: "shop__greet" }],
      resources: [{ uri: "shop://cart", name: "cart" }],
      resourceTemplates: [{ uriTemplate: "shop://item/{id}", name: "item" }],
    });
  });

  test("B65: what one tab offers is shown under its own names, as the page wrote it", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    board.page({ ...bank, tools: [tool("buy")] });
    expect(board.agent().session.tabOffer(page.tabId)).toEqual(offerWith(tool("buy")));
    expect(board.agent().session.tabOffer(board.page().tabId)).toEqual(offerWith());
  });

  test("B66: the list is the same object until something in it changes", () => {
    const board = createBoard();
    const page = board.page({ tools: [tool("buy")] });
    const { session } = board.agent();
    const before = session.offer();
    board.page({ tools: [tool("buy")], focused: true });
    expect(session.offer()).toBe(before);
    page.offer(tool("sell"));
    expect(session.offer()).not.toBe(before);
  });
});

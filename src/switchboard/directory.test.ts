import { describe, expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

describe("the list of tabs", () => {
  test("a tab is listed with its app, origin, title, tools, state and time last seen, and its address without query or fragment", async () => {
    const board = createBoard();
    await board.clock.advance(1000);
    board.page({ title: "Cart", url: "https://shop.example/cart?token=secret#more", tools: [tool("buy")] });
    expect(board.agent().session.tabs()).toEqual([
      {
        tabId: "tab-1",
        app: "shop",
        origin: "https://shop.example",
        title: "Cart",
        url: "https://shop.example/cart",
        isActive: true,
        state: "connected",
        tools: ["buy"],
        lastSeen: "1970-01-01T00:00:01.000Z",
      },
    ]);
  });

  test("the active tab is the connected one that was focused last", () => {
    const board = createBoard();
    const pages = [board.page({ focused: true }), board.page({ focused: true }), board.page()];
    const { session } = board.agent();
    const active = () => session.tabs().findIndex(({ isActive }) => isActive);
    expect(active()).toBe(1);
    pages[2]?.say({ type: "tab", focused: true });
    pages[0]?.say({ type: "tab", focused: false });
    expect(active()).toBe(2);
    pages[2]?.lose("cut");
    expect(active()).toBe(1);
  });

  test("a page may change its title and address", () => {
    const board = createBoard();
    const page = board.page({ title: "Cart", url: "https://shop.example/cart" });
    page.say({ type: "tab", title: "Till" });
    page.say({ type: "tab", url: "https://shop.example/till?x" });
    expect(board.agent().session.tabs()).toMatchObject([{ title: "Till", url: "https://shop.example/till" }]);
  });

  test("an unknown tab is an error that lists the existing ones", () => {
    const board = createBoard();
    const { session } = board.agent();
    const message = () => {
      try {
        return session.tabOffer("nope");
      } catch (error) {
        return String(error);
      }
    };
    expect(message()).toContain('There is no tab "nope". No tab is open.');
    board.page({ title: "Cart" });
    board.page();
    expect(message()).toContain("Open tabs: tab-1 (Cart), tab-2 (shop).");
    for (let count = 2; count < 50; count++) board.page();
    expect(message()).toMatch(/, tab-49 \(shop\), tab-50 \(shop\)\.$/);
    board.page();
    board.page({ title: "Till" });
    expect(message()).toMatch(/, tab-50 \(shop\) and 2 more\.$/);
  });

  test("a long title is cut in the list of an error", () => {
    const board = createBoard();
    board.page({ title: "t".repeat(500) });
    expect(() => board.agent().session.tabOffer("nope")).toThrow(`Open tabs: tab-1 (${"t".repeat(80)}).`);
  });
});

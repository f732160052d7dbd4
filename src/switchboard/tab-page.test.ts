import { expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";
import type { TestBoard } from "./board.test-helper.ts";

interface Listed {
  readonly tabs: readonly { readonly tabId: string; readonly isActive: boolean }[];
  readonly total?: number;
  readonly nextCursor?: string;
}

async function list(board: TestBoard, given: object = {}, name = "list_browser_tabs"): Promise<Listed> {
  const call = board.agent().call(name, { arguments: JSON.stringify(given) });
  await board.clock.advance(0);
  const { payload, message } = call.outcomes[0] ?? {};
  if (payload === undefined) throw new Error(message);
  return (JSON.parse(String(payload)) as { structuredContent: Listed }).structuredContent;
}

async function listAll(board: TestBoard, given: object = {}, between = () => {}): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = await list(board, given); ; page = await list(board, { ...given, cursor: page.nextCursor })) {
    found.push(...page.tabs.map(({ tabId }) => tabId));
    expect(page.tabs.length).toBeLessThanOrEqual(100);
    if (page.nextCursor === undefined) return found;
    between();
  }
}

test("of 10,000 tabs each answer lists 100, and all together list each once", async () => {
  const board = createBoard({ tabsPerPrincipal: 10_000 });
  const pages = Array.from({ length: 10_000 }, () => board.page({ tools: [tool("buy")] }));
  pages[7000]?.say({ type: "tab", focused: true });
  const first = await list(board);
  expect(first.tabs).toHaveLength(100);
  expect(first.total).toBe(10_000);
  expect(first.tabs[0]).toMatchObject({ tabId: "tab-7001", isActive: true });
  expect(JSON.stringify(first).length).toBeLessThan(30_000);
  const tabIds = await listAll(board);
  expect(tabIds).toHaveLength(10_000);
  expect(new Set(tabIds)).toHaveLength(10_000);
  const tools = await list(board, {}, "list_tab_tools");
  expect(tools).toMatchObject({ total: 10_000, nextCursor: first.nextCursor });
  expect(JSON.stringify(tools).match(/inputSchema/g)).toHaveLength(1);
});

test("a tab that stays is listed once, even if others come, go and are focused between the pages", async () => {
  const board = createBoard();
  const pages = Array.from({ length: 450 }, () => board.page({ focused: true }));
  let turn = 0;
  const tabIds = await listAll(board, {}, () => {
    turn++;
    pages[turn * 100 - 1]?.say({ type: "bye", final: true });
    pages[449 - turn]?.say({ type: "tab", focused: true });
    board.page({ focused: true });
  });
  const stayed = pages.map((_, index) => `tab-${index + 1}`).filter((id) => !/^tab-[1-4]00$/.test(id));
  expect(new Set(tabIds).size).toBe(tabIds.length);
  expect(tabIds).toEqual(expect.arrayContaining(stayed));
});

test("a page that holds all tabs is listed in their order, without a cursor", async () => {
  const board = createBoard();
  for (let count = 0; count < 100; count++) board.page({ focused: true });
  const { tabs, ...more } = await list(board);
  expect(tabs.map(({ tabId }) => tabId)).toEqual(Array.from({ length: 100 }, (_, index) => `tab-${index + 1}`));
  expect(more).toEqual({});
});

test("a search finds tabs by app, title, address and the names of their tools", async () => {
  const board = createBoard();
  board.page({ title: "Sales of Europe", tools: [tool("export_csv")] });
  board.page({ app: "mailer", url: "https://shop.example/inbox?secret=sales" });
  board.page({ url: "https://shop.example/SALES/2026" });
  board.page({ tools: [tool("count_sales")] });
  const found = (search: string) => listAll(board, { search });
  expect(await found("sales")).toEqual(["tab-1", "tab-3", "tab-4"]);
  expect(await found("MAIL")).toEqual(["tab-2"]);
  expect(await found("export_")).toEqual(["tab-1"]);
  expect(await found("secret")).toEqual([]);
  expect(await found("")).toHaveLength(4);
});

test("a search with many results comes in pages, too, with the active tab first if it matches", async () => {
  const board = createBoard();
  for (let count = 0; count < 300; count++) board.page({ title: count % 2 ? "odd" : "even" });
  const odd = await list(board, { search: "odd" });
  expect(odd).toMatchObject({ total: 150 });
  expect(await listAll(board, { search: "odd" })).toHaveLength(150);
  expect(await listAll(board, { search: "even" })).toHaveLength(150);
});

test("list_tab_tools lists the tools of tabs with equal offers once", async () => {
  const board = createBoard();
  for (const tools of [[tool("buy")], [tool("buy")], [tool("sell")], [tool("buy")]]) board.page({ tools });
  board.page({ app: "bank", tools: [tool("buy")] });
  expect(await list(board, {}, "list_tab_tools")).toMatchObject({
    tabs: [
      { tabId: "tab-1", tools: [{ name: "buy" }] },
      { tabId: "tab-2", sameToolsAs: "tab-1" },
      { tabId: "tab-3", tools: [{ name: "sell" }] },
      { tabId: "tab-4", sameToolsAs: "tab-1" },
      { tabId: "tab-5", app: "bank", tools: [{ name: "buy" }] },
    ],
  });
});

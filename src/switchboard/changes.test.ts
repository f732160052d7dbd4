import { describe, expect, test } from "vitest";
import { createBoard, tool } from "./board.test-helper.ts";

/** A board with one tab, and all announcements to an agent. */
function watched() {
  const board = createBoard();
  const page = board.page({ tools: [tool("buy")] });
  const agent = board.agent();
  const heard: string[] = [];
  const stop = agent.session.onChange((what) => heard.push(what));
  const open = (tabId: string) => board.page({ tabId, tools: [tool("buy")] });
  return { ...board, page, heard, stop, agent, open };
}

describe("announcements of changes", () => {
  test("changes within changesTime are announced once, together, a moment after the first", async () => {
    const { clock, page, heard } = watched();
    page.offer(tool("buy"), tool("sell"));
    await clock.advance(60);
    page.offer(tool("buy"), tool("sell"), tool("look"));
    page.say({ type: "tab", title: "Shop" });
    await clock.advance(39);
    expect(heard).toEqual([]);
    await clock.advance(1);
    expect(heard).toEqual(["offer", "tabs"]);
    await clock.advance(1000);
    expect(heard).toHaveLength(2);
  });

  test("a change that is undone in time is not announced, nor is a heartbeat", async () => {
    const { clock, page, heard } = watched();
    page.offer();
    page.offer(tool("buy"));
    page.say({ type: "heartbeat" });
    page.say({ type: "tab", title: "" });
    await clock.advance(1000);
    expect(heard).toEqual([]);
  });

  test("a tab that reloads and offers the same in time changes the list of tabs twice, and never the offer", async () => {
    const { clock, page, heard, open } = watched();
    page.lose("gone");
    await clock.advance(100);
    expect(heard).toEqual(["tabs"]);
    open(page.tabId);
    await clock.advance(100);
    expect(heard).toEqual(["tabs", "tabs"]);
  });

  test("a second tab with the same offer gives its tools a tabId, and a third changes only the list of tabs", async () => {
    const { clock, heard, open } = watched();
    open("another");
    await clock.advance(100);
    expect(heard.toSorted()).toEqual(["offer", "tabs"]);
    heard.length = 0;
    open("a third");
    await clock.advance(100);
    expect(heard).toEqual(["tabs"]);
  });

  test("a tab with a different offer is a change, even if another tab still has its earlier offer", async () => {
    const { clock, page, heard, open } = watched();
    const prompt = { tools: [tool("buy")], prompts: [{ name: "report" }], resources: [], resourceTemplates: [] };
    const other = open("another");
    for (const each of [page, other]) each.say({ type: "offer" }, JSON.stringify(prompt));
    await clock.advance(100);
    heard.length = 0;
    other.offer(tool("buy"));
    await clock.advance(100);
    expect(heard).toEqual(["tabs"]);
  });

  test("a listener that unsubscribes gets no more changes; one that subscribes again gets only new ones", async () => {
    const { clock, page, heard, stop, agent } = watched();
    stop();
    page.offer();
    await clock.advance(1000);
    agent.session.onChange((what) => heard.push(what));
    await clock.advance(1000);
    expect(heard).toEqual([]);
    page.offer(tool("sell"));
    await clock.advance(1000);
    expect(heard).toEqual(["offer", "tabs"]);
  });
});

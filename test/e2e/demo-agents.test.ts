import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectAgent } from "./demo-agent.test-helper.ts";
import { startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.close());
beforeEach(() => demo.open());
afterEach(() => demo.leave());

const claude = { name: "claude-code", version: "2.1.4" };
const cursor = { name: "cursor-vscode", version: "1.0.0" };

/** The texts of a list's items, one line each. */
const textsOf = (selector: string): Promise<string[]> =>
  demo.tab.evaluate(
    (css) => [...document.querySelectorAll(css)].map((item) => item.textContent?.replaceAll(/\s+/g, " ").trim() ?? ""),
    selector,
  );

/** Answers the approval question for a running call. */
async function answer(): Promise<void> {
  await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
  await demo.tab.press("Escape");
}

const top = (selector: string): Promise<number> =>
  demo.tab.evaluate((css) => document.querySelector(css)?.getBoundingClientRect().top ?? -1, selector);

describe("agents on the page", () => {
  test.each(["auto", "legacy"] as const)(
    "an MCP client (%s) sees the page's tools, resource and prompt, and uses them",
    async (mode) => {
      const agent = await connectAgent(demo, { mode });
      const { tools } = await agent.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["get_sales_data", "highlight"]));
      const { resources } = await agent.listResources();
      const [view] = resources;
      const { contents } = await agent.readResource({ uri: view?.uri ?? "" });
      expect(JSON.stringify(contents)).toContain("totalRevenue");
      expect((await agent.listPrompts()).prompts.map(({ name }) => name)).toEqual(["weekly_report"]);
      expect(JSON.stringify(await agent.getPrompt({ name: "weekly_report" }))).toContain("highlight");
      await agent.callTool({ name: "highlight", arguments: { target: "revenue", message: "Here" } });
      expect(await demo.textOf(".pointed .callout")).toBe("tester: Here");
      expect(await textsOf(".call-agent .called")).toEqual(["tester 1.0", "tester 1.0", "tester 1.0"]);
    },
  );

  test("an agent's name is shown as plain text, and truncated if it is long", async () => {
    const hostile = {
      name: `<img src=x onerror="document.title='owned'">${"\u202E"}${"x".repeat(60)}`,
      version: "9".repeat(90),
    };
    const agent = await connectAgent(demo, { agent: hostile });
    await agent.callTool({ name: "set_period", arguments: { days: 7 } });
    const [label = ""] = await textsOf(".call-agent .called");
    expect(label).toMatch(/^<img src=x onerror="document\.ti… 9{15}…$/);
    expect(await demo.countOf(".agents img")).toBe(0);
    expect(await demo.tab.evaluate("document.title")).toBe("Sales · Halyard Coffee");
    expect(await demo.tab.evaluate("document.getElementById('agents').scrollWidth")).toBeLessThanOrEqual(376);
    expect(await demo.tab.evaluate("document.getElementById('activity').scrollWidth")).toBe(
      await demo.tab.evaluate("document.getElementById('activity').clientWidth"),
    );
  });

  test("while a call runs the page says who is using it, without animation if motion is reduced, and what is below stays in its place", async () => {
    const agent = await connectAgent(demo, { agent: claude });
    const before = await top("#connect");
    const call = agent.callTool({ name: "ask_sales_goal", arguments: {} });
    await demo.tab.waitFor("document.querySelector('.presence.used') !== null");
    expect(await demo.textOf("#presence")).toBe("claude-code is using this page");
    expect(await top("#connect")).toBe(before);
    expect(await demo.textOf(".seen-agent.running")).toContain("calling now");
    const motion = (): Promise<string> =>
      demo.tab.evaluate("getComputedStyle(document.querySelector('.presence.used .dot')).animationName");
    expect(await motion()).toBe("breathe");
    await demo.prefer("prefers-reduced-motion", "reduce");
    expect(await motion()).toBe("none");
    await answer();
    await call;
    await demo.tab.waitFor("document.querySelector('.presence:not(.used)') !== null");
    expect(await demo.textOf("#presence")).toBe("No agent is using this page now");
    expect(await top("#connect")).toBe(before);
  });

  test("on a phone the bar says who is using the page, and then what was called", async () => {
    await demo.resize(390);
    expect(await demo.textOf("#agents-open .last")).toBe("Connect your agent");
    const agent = await connectAgent(demo, { agent: claude });
    const call = agent.callTool({ name: "ask_sales_goal", arguments: {} });
    await demo.tab.waitFor("document.querySelector('#agents-open .last.used') !== null");
    expect(await demo.textOf("#agents-open .last")).toBe("claude-code is using this page");
    await answer();
    await call;
    await demo.tab.waitFor("document.querySelector('#agents-open .last:not(.used)') !== null");
    expect(await demo.textOf("#agents-open .last")).toBe("ask_sales_goal by claude-code: done");
  });

  test("several agents at once are told apart, in the list of agents and at each call", async () => {
    const [one, other] = await Promise.all([
      connectAgent(demo, { agent: claude }),
      connectAgent(demo, { agent: cursor, mode: "legacy" }),
    ]);
    await one.callTool({ name: "filter_sales", arguments: { region: "Mars" } });
    await one.callTool({ name: "get_dashboard_overview", arguments: {} });
    const calls = [one, other].map((agent) => agent.callTool({ name: "ask_sales_goal", arguments: {} }));
    await demo.tab.waitFor("document.querySelectorAll('.seen-agent.running').length === 2");
    expect(await demo.textOf("#presence")).toBe("2 agents are using this page");
    await answer();
    await Promise.race(calls);
    await answer();
    await Promise.all(calls);
    await demo.tab.waitFor("document.querySelector('.seen-agent.running') === null");
    const time = String.raw`last at \d\d:\d\d:\d\d`;
    const [first, second, ...others] = await textsOf(".seen-agent");
    expect(first).toMatch(new RegExp(`^claude-code 2.1.4 ?3 calls ?${time}$`));
    expect(second).toMatch(new RegExp(`^cursor-vscode 1.0.0 ?1 call ?${time}$`));
    expect(others).toEqual([]);
    expect((await textsOf(".call .called")).toSorted()).toEqual([
      "claude-code 2.1.4",
      "claude-code 2.1.4",
      "claude-code 2.1.4",
      "cursor-vscode 1.0.0",
    ]);
    const marks = await demo.tab.evaluate(() =>
      [...document.querySelectorAll(".seen-agent .agent-mark")].map((mark) => getComputedStyle(mark).backgroundColor),
    );
    expect(new Set(marks).size).toBe(2);
  });

  test("a reloaded page has seen no agents yet", async () => {
    const agent = await connectAgent(demo, { agent: claude });
    await agent.callTool({ name: "get_dashboard_overview", arguments: {} });
    expect(await demo.countOf(".seen-agent")).toBe(1);
    await demo.tab.reload();
    await demo.tab.waitFor("document.querySelector('.dot.connected') !== null");
    expect(await demo.countOf(".seen-agent")).toBe(0);
    expect(await demo.tab.evaluate("document.getElementById('seen').hidden")).toBe(true);
  });
});

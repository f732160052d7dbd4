import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, pagewireCommand, startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";
import { waitUntil } from "./support/wait.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
  await demo.open();
});
afterAll(() => demo?.close());

// One page for all of them: opening it takes longer than most of what they do. What changes the view comes last.
describe("the tools of the dashboard", () => {
  test("a page connects when it opens, and lists its tools with their effects", async () => {
    expect(await demo.textOf("#connection")).toContain(demo.hub.url);
    expect(await demo.textOf("#tools-title")).toBe("Tools (11)");
    const tools = await demo.tab.evaluate(() =>
      [...document.querySelectorAll(".tool")].map((tool) => [
        tool.querySelector(".tool-name")?.textContent,
        tool.querySelector(".badge")?.textContent,
      ]),
    );
    expect(tools).toContainEqual(["get_sales_data", "read-only"]);
    expect(tools).toContainEqual(["set_period", "changes the page"]);
    expect(tools).toContainEqual(["delete_notes", "destructive"]);
    const offered = await demo.client.offer();
    expect(offered.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(tools.map(([name]) => name)));
  });

  test("the overview gives the numbers on the tiles", async () => {
    const overview = await answerOf<Record<string, number>>(demo.call("get_dashboard_overview"));
    const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
    expect(await demo.figureOf("revenue")).toBe(dollars.format(overview["totalRevenue"] ?? 0));
    expect(await demo.figureOf("orders")).toBe(overview["orders"]?.toLocaleString("en-US"));
    expect(await demo.figureOf("active_users")).toBe(overview["activeUsers"]?.toLocaleString("en-US"));
    expect(await demo.figureOf("conversion")).toBe(`${overview["conversionRate"]?.toFixed(2)}%`);
  });

  test("sales data come in rows whose sums are the total, whatever they are grouped by", async () => {
    for (const groupBy of ["day", "week", "product", "region", "channel"]) {
      const { data, total, period } = await answerOf<{
        data: { revenue: number; orders: number }[];
        total: { revenue: number; orders: number };
        period: string;
      }>(demo.call("get_sales_data", { days: 30, groupBy }));
      expect(period).toBe("Last 30 days");
      expect(data.reduce((sum, row) => sum + row.orders, 0)).toBe(total.orders);
      expect(data.reduce((sum, row) => sum + row.revenue, 0)).toBeCloseTo(total.revenue, 2);
    }
  });

  test("a value that is not listed is refused and changes nothing", async () => {
    const before = await demo.figureOf("revenue");
    const outcome = await demo.call("filter_sales", { channel: "Fax" });
    expect(outcome.outcome).toBe("rejected");
    expect(outcome.message).toContain("Marketplace");
    expect(await demo.figureOf("revenue")).toBe(before);
  });

  test("export_csv offers the whole file in the page and returns its first rows", async () => {
    const { result } = await demo.call("export_csv", { maxRows: 3 });
    expect(result).toMatchObject({
      content: [
        { text: expect.stringContaining("Rows here: 3") },
        { resource: { mimeType: "text/csv", text: expect.stringMatching(/^order,date,.*\r\n(H\d+,.*\r\n){3}$/) } },
      ],
    });

    const folder = await mkdtemp(join(tmpdir(), "pagewire-download-"));
    try {
      await demo.browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
      await demo.tab.click(".download a");
      const name = await demo.tab.evaluate<string>("document.querySelector('.download a').download");
      const saved = (): Promise<string> => readFile(join(folder, name), "utf8").catch(() => "");
      const lines = (await waitUntil(saved, () => `${name} was not saved.`)).trim().split("\r\n");
      expect((lines.length - 1).toLocaleString("en-US")).toBe(await demo.figureOf("orders"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("a cancelled forecast draws nothing", async () => {
    const abort = new AbortController();
    const outcome = await demo.call("run_forecast", {}, { signal: abort.signal, onProgress: () => abort.abort() });
    expect(outcome.outcome).toBe("cancelled");
    expect(await demo.textOf(".call-outcome")).toMatch(/^cancelled/);
    expect(await demo.countOf("#legend .ahead")).toBe(0);
  });

  test("run_forecast shows its progress and continues the chart", async () => {
    const seen: number[] = [];
    const forecast = answerOf<{ data: object[] }>(
      demo.call("run_forecast", { days: 14 }, { onProgress: ({ progress }) => seen.push(progress) }),
    );
    await demo.tab.waitFor("document.querySelector('.call progress')?.value > 0");
    expect((await forecast).data).toHaveLength(14);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await demo.countOf("#legend .ahead")).toBe(1);
    expect(await demo.textOf("#chart-extras")).toContain("Next 14 days");
  });

  test("a declined question sets no goal", async () => {
    const answer = answerOf<{ action: string }>(demo.call("ask_sales_goal"));
    await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
    await demo.tab.press("Escape");
    expect((await answer).action).toBe("cancel");
    expect(await demo.countOf(".chart-line")).toBe(0);
  });

  test("ask_sales_goal asks the user and draws the answer", async () => {
    const goal = answerOf<{ dailyGoal: number }>(demo.call("ask_sales_goal", { suggestion: 4000 }));
    await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
    await demo.tab.press("Enter");
    expect((await goal).dailyGoal).toBe(4000);
    expect(await demo.textOf(".chart-line-label")).toBe("Goal $4,000");
    expect(await demo.textOf("#chart-extras")).toMatch(/reached on \d+ of 30 days/);
  });

  test("filter_sales narrows the whole page, and null clears a filter", async () => {
    const all = await demo.figureOf("revenue");
    await demo.call("filter_sales", { region: "Europe", product: "Gift Box" });
    expect(await demo.textOf("#scope")).toContain("Europe · Gift Box");
    expect(await demo.tab.evaluate("document.querySelector('select[name=region]').value")).toBe("Europe");
    await demo.call("filter_sales", { region: null, product: null });
    expect(await demo.figureOf("revenue")).toBe(all);
  });

  test("an order that is on another page of the table is turned to; one that is not listed is an error", async () => {
    const { orders } = await answerOf<{ orders: { id: string }[] }>(demo.call("search_orders", { limit: 30 }));
    const orderId = orders.at(-1)?.id ?? "";
    await demo.call("highlight", { target: "order", orderId });
    expect(await demo.countOf(`tr.pointed[data-order="${orderId}"]`)).toBe(1);
    const missing = await demo.call("highlight", { target: "order", orderId: "H1" });
    expect(missing.outcome).toBe("tool-error");
    expect(JSON.stringify(missing.result)).toContain("search_orders");
  });

  test("search_orders lists what it found in the page's table too", async () => {
    const { matching, orders } = await answerOf<{ matching: number; orders: { id: string; total: number }[] }>(
      demo.call("search_orders", { text: "gift", sort: "total", direction: "descending", limit: 5 }),
    );
    const listed = await demo.tab.evaluate(() =>
      [...document.querySelectorAll("#orders tbody tr")].map((row) => row.getAttribute("data-order")),
    );
    expect(listed.slice(0, 5)).toEqual(orders.map((order) => order.id));
    expect(await demo.textOf("#pager")).toContain(`of ${matching} orders`);
    expect(await demo.tab.evaluate("document.getElementById('order-search').value")).toBe("gift");
    expect(await demo.countOf("th[aria-sort=descending]")).toBe(1);
  });

  test("highlight rings a part of the page, brings it into view and says who points at it", async () => {
    await demo.prefer("prefers-reduced-motion", "reduce");
    await demo.call("highlight", { target: "orders_table", message: "Look here" });
    expect(await demo.textOf(".pointed .callout")).toBe("tester: Look here");
    const isInView = await demo.tab.evaluate(() => {
      const box = document.querySelector(".pointed")?.getBoundingClientRect();
      return box !== undefined && box.top < innerHeight && box.bottom > 0;
    });
    expect(isInView).toBe(true);
    await demo.tab.click(".callout button");
    expect(await demo.countOf(".pointed, .callout")).toBe(0);
  });

  test("the commands that the page shows work exactly as shown", async () => {
    const commands = await demo.tab.evaluate(() =>
      [...document.querySelectorAll("#commands code")].map((code) => code.textContent ?? ""),
    );
    expect(commands.length).toBeGreaterThan(1);
    for (const shown of commands) {
      const script = shown.replace("npx pagewire", `"${process.execPath}" "${pagewireCommand}"`);
      const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
        env: { PATH: process.env["PATH"], PAGEWIRE_HOME: demo.hub.home },
        encoding: "utf8",
      });
      expect({ shown, status, stderr }).toMatchObject({ status: 0 });
      expect(stdout).not.toBe("");
    }
    expect(await demo.countOf(".pointed")).toBe(1);
  });

  test("a note is marked on the chart, is there after a reload, and is deleted only if the user allows it", async () => {
    const { period } = await answerOf<{ period: { to: string } }>(demo.call("get_dashboard_overview"));
    await demo.call("add_note", { text: "<b>Shipping</b> was late", date: period.to });
    expect(await demo.textOf(".note-text")).toBe("<b>Shipping</b> was late");
    expect(await demo.textOf(".note-about")).toContain("tester");
    expect(await demo.countOf(`.chart-flag[data-flag="${period.to}"]`)).toBe(1);
    const outcome = await demo.call("add_note", { text: "Long ago", date: "2001-01-01" });
    expect(outcome.outcome).toBe("tool-error");
    expect(await demo.countOf(".note")).toBe(1);

    await demo.tab.reload();
    await demo.tab.waitFor("document.querySelector('.dot.connected') !== null");
    await demo.offered();
    expect(await demo.textOf(".note-text")).toBe("<b>Shipping</b> was late");

    const refused = demo.call("delete_notes");
    await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
    await demo.tab.press("Escape");
    expect((await refused).outcome).toBe("tool-error");
    expect(await demo.countOf(".note")).toBe(1);

    const allowed = answerOf<{ deleted: number }>(demo.call("delete_notes"));
    await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
    // The dialog opens with the focus on the button that refuses.
    await demo.tab.press("Tab");
    await demo.tab.press("Enter");
    expect(await allowed).toEqual({ deleted: 1 });
    expect(await demo.countOf(".note")).toBe(0);
  });

  test("set_period changes the whole page", async () => {
    const before = await demo.figureOf("revenue");
    const { period } = await answerOf<{ period: { days: number } }>(demo.call("set_period", { days: 90 }));
    expect(period.days).toBe(90);
    expect(await demo.figureOf("revenue")).not.toBe(before);
    expect(await demo.textOf("#period [aria-pressed=true]")).toBe("90 days");
    expect(await demo.textOf("#legend")).toContain("7-day average");
  });

  test("each call appears as it happens, newest first, with agent, arguments, outcome and duration", async () => {
    await demo.call("set_period", { days: 7 });
    await demo.call("filter_sales", { region: "Mars" });
    const calls = await demo.tab.evaluate(() =>
      [...document.querySelectorAll(".call")].map((item) => item.textContent?.replaceAll(/\s+/g, " ") ?? ""),
    );
    expect(calls[0]).toMatch(/^filter_salesrejected · \d+ msby testerArguments\{ "region": "Mars" \}/);
    expect(calls[1]).toMatch(/^set_perioddone · \d+ msby testerArguments\{ "days": 7 \}/);
    expect(await demo.countOf(".call details[open]")).toBe(0);
    expect(await demo.textOf("#announcer[role=status]")).toBe("filter_sales ended: rejected");
  });

  test("the view is a resource, and the weekly report a prompt", async () => {
    await demo.call("filter_sales", { channel: "Mobile app" });
    const view = await demo.client.call({ method: "resources/read", name: "dashboard://view" });
    expect(view.result).toMatchObject({ contents: [{ text: expect.stringContaining('"channel": "Mobile app"') }] });
    const prompt = await demo.client.call({
      method: "prompts/get",
      name: "weekly_report",
      arguments: { audience: "the board" },
    });
    expect(JSON.stringify(prompt.result)).toContain("the board");
  });
});

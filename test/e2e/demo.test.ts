import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { connectHub } from "pagewire/hub-client";
import type { HubCall, HubClient, HubOutcome } from "pagewire/hub-client";
import { WebSocket } from "ws";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import type { Tab } from "./support/tab.ts";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let hub: HubProcess;
let browser: Browser;
let client: HubClient;
let tab: Tab;

beforeAll(async () => {
  [hub, browser] = await Promise.all([startHub(), launchChromium()]);
  client = await connectHub({ url: hub.url, WebSocket, token: await hub.token(), agent: { name: "tester" } });
});

afterAll(async () => {
  client?.close();
  await Promise.allSettled([hub?.close(), browser?.close()]);
});

beforeEach(async () => {
  tab = await browser.open(`${hub.url}/demo/`);
  await tab.waitFor("document.querySelector('.dot.connected') !== null");
});

afterEach(async () => {
  await tab.evaluate("localStorage.clear()");
  await tab.close();
});

/** What an element says, in one line. */
const textOf = (selector: string): Promise<string> =>
  tab.evaluate((css) => document.querySelector(css)?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "", selector);

const countOf = (selector: string): Promise<number> =>
  tab.evaluate((css) => document.querySelectorAll(css).length, selector);

const figureOf = (name: string): Promise<string> => textOf(`[data-target="${name}"] .tile-figure`);

/** Calls a tool, and waits until the page shows that the call has ended. */
async function call(name: string, input: HubCall["arguments"] = {}, more: Partial<HubCall> = {}): Promise<HubOutcome> {
  const outcome = await client.call({ name, arguments: input, ...more });
  await tab.waitFor(() => document.querySelector("#activity .call:not(.ended)") === null);
  return outcome;
}

async function answerOf<Answer>(outcome: Promise<HubOutcome>): Promise<Answer> {
  const { result, message } = await outcome;
  if (result?.["structuredContent"] === undefined) throw new Error(message ?? JSON.stringify(result));
  return result["structuredContent"] as Answer;
}

describe("the tools of the dashboard", () => {
  test("D16: a page that is opened connects by itself and lists its tools with what they may do", async () => {
    expect(await textOf("#connection")).toContain(hub.url);
    expect(await textOf("#tools-title")).toBe("Tools (11)");
    const tools = await tab.evaluate(() =>
      [...document.querySelectorAll(".tool")].map((tool) => [
        tool.querySelector(".tool-name")?.textContent,
        tool.querySelector(".badge")?.textContent,
      ]),
    );
    expect(tools).toContainEqual(["get_sales_data", "read-only"]);
    expect(tools).toContainEqual(["set_period", "changes the page"]);
    expect(tools).toContainEqual(["delete_notes", "destructive"]);
    const offered = await client.offer();
    expect(offered.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(tools.map(([name]) => name)));
  });

  test("D17: each call appears as it happens, newest first, with agent, arguments, outcome and duration", async () => {
    await call("set_period", { days: 7 });
    await call("filter_sales", { region: "Mars" });
    const calls = await tab.evaluate(() =>
      [...document.querySelectorAll(".call")].map((item) => item.textContent?.replaceAll(/\s+/g, " ") ?? ""),
    );
    expect(calls[0]).toMatch(/^filter_salesrejected · \d+ msby testerArguments\{ "region": "Mars" \}/);
    expect(calls[1]).toMatch(/^set_perioddone · \d+ msby testerArguments\{ "days": 7 \}/);
    expect(await countOf(".call details[open]")).toBe(0);
    expect(await textOf("#announcer[role=status]")).toBe("filter_sales ended: rejected");
  });

  test("D5: the overview gives the numbers on the tiles", async () => {
    const overview = await answerOf<Record<string, number>>(call("get_dashboard_overview"));
    const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
    expect(await figureOf("revenue")).toBe(dollars.format(overview["totalRevenue"] ?? 0));
    expect(await figureOf("orders")).toBe(overview["orders"]?.toLocaleString("en-US"));
    expect(await figureOf("active_users")).toBe(overview["activeUsers"]?.toLocaleString("en-US"));
    expect(await figureOf("conversion")).toBe(`${overview["conversionRate"]?.toFixed(2)}%`);
  });

  test("D18: sales data come in rows whose sums are the total, whatever they are grouped by", async () => {
    for (const groupBy of ["day", "week", "product", "region", "channel"]) {
      const { data, total, period } = await answerOf<{
        data: { revenue: number; orders: number }[];
        total: { revenue: number; orders: number };
        period: string;
      }>(call("get_sales_data", { days: 30, groupBy }));
      expect(period).toBe("Last 30 days");
      expect(data.reduce((sum, row) => sum + row.orders, 0)).toBe(total.orders);
      expect(data.reduce((sum, row) => sum + row.revenue, 0)).toBeCloseTo(total.revenue, 2);
    }
  });

  test("D19: set_period changes the whole page", async () => {
    const before = await figureOf("revenue");
    const { period } = await answerOf<{ period: { days: number } }>(call("set_period", { days: 90 }));
    expect(period.days).toBe(90);
    expect(await figureOf("revenue")).not.toBe(before);
    expect(await textOf("#period [aria-pressed=true]")).toBe("90 days");
    expect(await textOf("#legend")).toContain("7-day average");
  });

  test("D20: filter_sales narrows the whole page, and null clears a filter", async () => {
    const all = await figureOf("revenue");
    await call("filter_sales", { region: "Europe", product: "Gift Box" });
    expect(await textOf("#scope")).toContain("Europe · Gift Box");
    expect(await tab.evaluate("document.querySelector('select[name=region]').value")).toBe("Europe");
    await call("filter_sales", { region: null, product: null });
    expect(await figureOf("revenue")).toBe(all);
  });

  test("D20: a value that is not listed is refused and changes nothing", async () => {
    const before = await figureOf("revenue");
    const outcome = await call("filter_sales", { channel: "Fax" });
    expect(outcome.outcome).toBe("rejected");
    expect(outcome.message).toContain("Marketplace");
    expect(await figureOf("revenue")).toBe(before);
  });

  test("D21: search_orders lists what it found in the page's table too", async () => {
    const { matching, orders } = await answerOf<{ matching: number; orders: { id: string; total: number }[] }>(
      call("search_orders", { text: "gift", sort: "total", direction: "descending", limit: 5 }),
    );
    const listed = await tab.evaluate(() =>
      [...document.querySelectorAll("#orders tbody tr")].map((row) => row.getAttribute("data-order")),
    );
    expect(listed.slice(0, 5)).toEqual(orders.map((order) => order.id));
    expect(await textOf("#pager")).toContain(`of ${matching} orders`);
    expect(await tab.evaluate("document.getElementById('order-search').value")).toBe("gift");
    expect(await countOf("th[aria-sort=descending]")).toBe(1);
  });

  test("D22: highlight rings a part of the page, brings it into view and says who points at it", async () => {
    await call("highlight", { target: "orders_table", message: "Look here" });
    expect(await textOf(".pointed .callout")).toBe("tester: Look here");
    await tab.waitFor(() => {
      const box = document.querySelector(".pointed")?.getBoundingClientRect();
      return box !== undefined && box.top < innerHeight && box.bottom > 0;
    });
    await tab.click(".callout button");
    expect(await countOf(".pointed, .callout")).toBe(0);
  });

  test("D22: an order that is on another page of the table is turned to; one that is not listed is an error", async () => {
    const { orders } = await answerOf<{ orders: { id: string }[] }>(call("search_orders", { limit: 30 }));
    const orderId = orders.at(-1)?.id ?? "";
    await call("highlight", { target: "order", orderId });
    expect(await countOf(`tr.pointed[data-order="${orderId}"]`)).toBe(1);
    const missing = await call("highlight", { target: "order", orderId: "H1" });
    expect(missing.outcome).toBe("tool-error");
    expect(JSON.stringify(missing.result)).toContain("search_orders");
  });

  test("D23: add_note writes a note and marks its day on the chart", async () => {
    const { period } = await answerOf<{ period: { to: string } }>(call("get_dashboard_overview"));
    await call("add_note", { text: "<b>Shipping</b> was late", date: period.to });
    expect(await textOf(".note-text")).toBe("<b>Shipping</b> was late");
    expect(await textOf(".note-about")).toContain("tester");
    expect(await countOf(`.note-mark[data-note-day="${period.to}"]`)).toBe(1);
    const outcome = await call("add_note", { text: "Long ago", date: "2001-01-01" });
    expect(outcome.outcome).toBe("tool-error");
    expect(await countOf(".note")).toBe(1);
  });

  test("D14: notes are there again after a reload", async () => {
    await call("add_note", { text: "Keep me" });
    await tab.reload();
    await tab.waitFor("document.querySelector('.dot.connected') !== null");
    expect(await textOf(".note-text")).toBe("Keep me");
  });

  test("D24: delete_notes asks in the page, and deletes only what was allowed", async () => {
    await call("add_note", { text: "One" });
    const refused = call("delete_notes");
    await tab.waitFor("document.querySelector('pagewire-dialog') !== null");
    await tab.press("Escape");
    expect((await refused).outcome).toBe("tool-error");
    expect(await countOf(".note")).toBe(1);

    const allowed = answerOf<{ deleted: number }>(call("delete_notes"));
    await tab.waitFor("document.querySelector('pagewire-dialog') !== null");
    // The dialog opens with the focus on its refusal.
    await tab.press("Tab");
    await tab.press("Enter");
    expect(await allowed).toEqual({ deleted: 1 });
    expect(await countOf(".note")).toBe(0);
  });

  test("D25: export_csv offers the whole file in the page and returns its first rows", async () => {
    const { result } = await call("export_csv", { maxRows: 3 });
    const [summary, file] = result?.["content"] as { text?: string; resource?: { text: string; mimeType: string } }[];
    expect(file?.resource?.mimeType).toBe("text/csv");
    expect(file?.resource?.text.trim().split("\r\n")).toHaveLength(4);
    expect(summary?.text).toContain("3 of them");
    const whole = await tab.evaluate(async () => {
      const link = document.querySelector<HTMLAnchorElement>(".download a[download$='.csv']");
      const { promise, resolve } = Promise.withResolvers<string>();
      const request = new XMLHttpRequest();
      request.open("GET", link?.href ?? "");
      request.onloadend = () => resolve(request.responseText);
      request.send();
      return (await promise).trim().split("\r\n").length - 1;
    });
    expect((await figureOf("orders")).replace(",", "")).toBe(String(whole));
  });

  test("D26: run_forecast shows its progress and continues the chart", async () => {
    const seen: number[] = [];
    const forecast = answerOf<{ data: object[] }>(
      call("run_forecast", { days: 14 }, { onProgress: ({ progress }) => seen.push(progress) }),
    );
    await tab.waitFor("document.querySelector('.call progress')?.value > 0");
    expect((await forecast).data).toHaveLength(14);
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await countOf(".plot .ahead, .plot .band")).toBe(2);
    expect(await textOf("#chart-extras")).toContain("Next 14 days");
  });

  test("D26: a forecast that is cancelled draws nothing", async () => {
    const abort = new AbortController();
    const outcome = await call("run_forecast", {}, { signal: abort.signal, onProgress: () => abort.abort() });
    expect(outcome.outcome).toBe("cancelled");
    expect(await textOf(".call-outcome")).toMatch(/^cancelled/);
    expect(await countOf(".plot .ahead")).toBe(0);
  });

  test("D27: ask_sales_goal asks the user and draws the answer", async () => {
    const goal = answerOf<{ dailyGoal: number }>(call("ask_sales_goal", { suggestion: 4000 }));
    await tab.waitFor("document.querySelector('pagewire-dialog') !== null");
    await tab.press("Enter");
    expect((await goal).dailyGoal).toBe(4000);
    expect(await textOf(".goal-label")).toBe("Goal $4,000");
    expect(await textOf("#chart-extras")).toMatch(/reached on \d+ of 30 days/);
  });

  test("D27: a question that is declined sets no goal", async () => {
    const answer = answerOf<{ action: string }>(call("ask_sales_goal"));
    await tab.waitFor("document.querySelector('pagewire-dialog') !== null");
    await tab.press("Escape");
    expect((await answer).action).toBe("cancel");
    expect(await countOf(".goal-line")).toBe(0);
  });

  test("D28: the view is a resource, and the weekly report a prompt", async () => {
    await call("filter_sales", { channel: "Mobile app" });
    const view = await client.call({ method: "resources/read", name: "dashboard://view" });
    const [{ text }] = view.result?.["contents"] as [{ text: string }];
    expect(JSON.parse(text)).toMatchObject({ filters: { channel: "Mobile app" }, period: { days: 30 } });
    const prompt = await client.call({
      method: "prompts/get",
      name: "weekly_report",
      arguments: { audience: "the board" },
    });
    expect(JSON.stringify(prompt.result)).toContain("the board");
  });

  test("D29: the commands that the page shows work as they stand", async () => {
    const commands = await tab.evaluate(() =>
      [...document.querySelectorAll("#commands code")].map((code) => code.textContent ?? ""),
    );
    expect(commands.length).toBeGreaterThan(1);
    for (const shown of commands) {
      const script = shown.replace("npx pagewire", `"${process.execPath}" "${command}"`);
      const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
        env: { PATH: process.env["PATH"], PAGEWIRE_HOME: hub.home },
        encoding: "utf8",
      });
      expect({ shown, status, stderr }).toMatchObject({ status: 0 });
      expect(stdout).not.toBe("");
    }
    expect(await countOf(".pointed")).toBe(1);
  });
});

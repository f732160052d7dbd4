import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { waitUntil } from "./support/wait.ts";

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
  await resize(1440);
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

const resize = (width: number): Promise<unknown> =>
  tab.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });

const prefer = (name: string, value: string): Promise<unknown> =>
  tab.send("Emulation.setEmulatedMedia", { features: [{ name, value }] });

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
    await prefer("prefers-reduced-motion", "reduce");
    await call("highlight", { target: "orders_table", message: "Look here" });
    expect(await textOf(".pointed .callout")).toBe("tester: Look here");
    const isInView = await tab.evaluate(() => {
      const box = document.querySelector(".pointed")?.getBoundingClientRect();
      return box !== undefined && box.top < innerHeight && box.bottom > 0;
    });
    expect(isInView).toBe(true);
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

    const folder = await mkdtemp(join(tmpdir(), "pagewire-download-"));
    try {
      await browser.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
      await tab.click(".download a");
      const name = await tab.evaluate<string>("document.querySelector('.download a').download");
      const saved = (): Promise<string> => readFile(join(folder, name), "utf8").catch(() => "");
      const lines = (await waitUntil(saved, 10_000, () => `${name} was not saved.`)).trim().split("\r\n");
      expect((lines.length - 1).toLocaleString("en-US")).toBe(await figureOf("orders"));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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

describe("the dashboard page", () => {
  test("D30: nothing is written to the console and no rule of the content security policy is broken", async () => {
    await call("highlight", { target: "revenue" });
    await call("add_note", { text: "x", date: "2001-01-01" });
    await call("set_period", { days: 180 });
    await tab.click("#export");
    await tab.click("#theme");
    expect(tab.console.errors).toEqual([]);
    expect(tab.console.messages).toEqual([]);
    const { headers } = await fetch(`${hub.url}/demo/`);
    expect(headers.get("content-security-policy")).toContain("script-src 'self'");
  });

  test("D31: every control can be reached by keyboard, in the order of the page, and shows its focus", async () => {
    const controls = "a[href], button, select, input, summary, [tabindex='0']";
    const expected = await tab.evaluate(
      (css) =>
        [...document.querySelectorAll(css)].filter(
          (one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(":disabled"),
        ).length,
      controls,
    );
    const reached = new Set<string>();
    for (let step = 0; step < expected * 2; step++) {
      await tab.press("Tab");
      const focused = await tab.evaluate((css) => {
        const element = document.activeElement;
        if (element === null || element === document.body) return undefined;
        const place = [...document.querySelectorAll(css)].indexOf(element);
        const { outlineStyle } = getComputedStyle(element);
        // The parts of a date field share its element; one of them draws its focus by itself.
        return { place, shows: outlineStyle !== "none" || element.matches("[type=date]") };
      }, controls);
      if (focused === undefined || (reached.has(String(focused.place)) && focused.place === 0)) break;
      expect(focused).toMatchObject({ shows: true });
      reached.add(String(focused.place));
    }
    expect([...reached].map(Number)).toEqual([...reached].map(Number).toSorted((one, other) => one - other));
    expect(reached.size).toBe(expected);
  });

  test("D31: the first key press offers to skip to the sales", async () => {
    await tab.press("Tab");
    await tab.press("Enter");
    await tab.press("Tab");
    expect(await tab.evaluate("document.activeElement.textContent")).toBe("7 days");
  });

  test("D32: each day of the chart is reached and read by keyboard, and Enter starts a note about it", async () => {
    await tab.evaluate("document.querySelector('.plot').focus()");
    const value = (): Promise<string> => tab.evaluate("document.querySelector('.plot').getAttribute('aria-valuetext')");
    const days = new Set<string>();
    for (let index = 0; index < 30; index++) {
      days.add(await value());
      await tab.press("ArrowLeft");
    }
    expect(days.size).toBe(30);
    expect(await value()).toMatch(/^\w{3} \d+ \w+ \d{4}: Revenue \$[\d,]+, Orders \d+, Period before/);
    expect(await textOf(".tooltip")).toContain("Revenue");
    await tab.press("Enter");
    expect(await tab.evaluate("document.activeElement.name")).toBe("text");
    expect(await tab.evaluate("document.querySelector('input[name=day]').value")).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  test("D33: a bar filters by what it stands for, and a second press clears that", async () => {
    await tab.evaluate("document.querySelector('.bar[data-key=\"Gift Box\"]').focus()");
    await tab.press("Enter");
    expect(await textOf("#scope")).toContain("Gift Box");
    expect(await tab.evaluate("document.activeElement.dataset.key")).toBe("Gift Box");
    await tab.press("Enter");
    expect(await textOf("#scope")).toContain("everything sold");
  });

  test("D33: the table is sorted by its headers and turned by its buttons", async () => {
    await tab.click("#orders th:last-child button");
    expect(await tab.evaluate("document.querySelector('#orders th:last-child').ariaSort")).toBe("descending");
    const first = await textOf("#orders tbody tr");
    await tab.click("#pager button:last-child");
    expect(await textOf("#orders tbody tr")).not.toBe(first);
    await tab.click("#pager button:first-child");
    expect(await textOf("#orders tbody tr")).toBe(first);
  });

  test.each([360, 768, 1024, 1440])("D34: at %i pixels nothing makes the page scroll sideways", async (width) => {
    await resize(width);
    await call("highlight", {
      target: "conversion",
      message: "A message that is as long as such a message may be, ".repeat(2),
    });
    await call("export_csv");
    expect(await tab.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  });

  test("D35: on a phone the agents are a sheet that opens from a bar, and Escape closes it", async () => {
    await resize(360);
    await call("set_period", { days: 7 });
    expect(await textOf("#agents-open")).toContain("set_period by tester: done");
    expect(await tab.evaluate("document.getElementById('agents').checkVisibility({ visibilityProperty: true })")).toBe(
      false,
    );
    await tab.click("#agents-open");
    await tab.waitFor("document.getElementById('agents').checkVisibility({ visibilityProperty: true })");
    expect(await tab.evaluate("document.activeElement.id")).toBe("agents-title");
    await tab.press("Escape");
    await tab.waitFor("!document.getElementById('agents').checkVisibility({ visibilityProperty: true })");
    expect(await tab.evaluate("document.activeElement.id")).toBe("agents-open");
  });

  test("D36: the theme follows the system until it is chosen, and is kept", async () => {
    const ground = (): Promise<string> => tab.evaluate("getComputedStyle(document.body).backgroundColor");
    await prefer("prefers-color-scheme", "dark");
    const dark = await ground();
    await tab.click("#theme");
    const light = await ground();
    expect(light).not.toBe(dark);
    await tab.reload();
    expect(await ground()).toBe(light);
  });

  test("D37: who prefers reduced motion sees a highlight that stands still", async () => {
    const motion = (): Promise<string> =>
      tab.evaluate("getComputedStyle(document.querySelector('.pointed')).animationName");
    await call("highlight", { target: "revenue" });
    expect(await motion()).toBe("pulse");
    await prefer("prefers-reduced-motion", "reduce");
    expect(await motion()).toBe("none");
  });

  test("D38: when the hub goes, the page counts down to its next try; when it is back, so is the page", async () => {
    await hub.kill("SIGTERM");
    await tab.waitFor("document.querySelector('.dot.reconnecting') !== null");
    await tab.waitFor("document.querySelector('.connection-retry')?.textContent.includes('Trying again')");
    await hub.restart();
    await tab.click(".connection-retry button");
    await tab.waitFor("document.querySelector('.dot.connected') !== null");
    await waitUntil(
      async () => client.state.status === "connected",
      10_000,
      () => client.state.message,
    );
    expect((await call("get_dashboard_overview")).outcome).toBe("ok");
  });
});

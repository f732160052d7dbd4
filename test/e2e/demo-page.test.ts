import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";
import { waitUntil } from "./support/wait.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.close());

describe("a page of the dashboard", () => {
  beforeAll(() => demo.open());
  afterAll(() => demo.leave());

  test("no two landmarks of the page have one name", async () => {
    const names = await demo.tab.evaluate<string[]>(() =>
      [...document.querySelectorAll("main, nav, aside, section, form, [role=region], [role=navigation]")].map(
        (one) =>
          one.getAttribute("aria-label") ??
          document.getElementById(one.getAttribute("aria-labelledby") ?? "")?.textContent ??
          "",
      ),
    );
    const named = names.filter((name) => name !== "");
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
  });

  test("a bar filters by what it stands for, and a second press clears that", async () => {
    await demo.tab.evaluate("document.querySelector('.bar[data-key=\"Gift Box\"]').focus()");
    await demo.tab.press("Enter");
    expect(await demo.textOf("#scope")).toContain("Gift Box");
    expect(await demo.tab.evaluate("document.activeElement.dataset.key")).toBe("Gift Box");
    await demo.tab.press("Enter");
    expect(await demo.textOf("#scope")).toContain("everything sold");
  });

  test("the table is sorted by its headers and turned by its buttons", async () => {
    await demo.tab.click("#orders th:last-child button");
    expect(await demo.tab.evaluate("document.querySelector('#orders th:last-child').ariaSort")).toBe("descending");
    const first = await demo.textOf("#orders tbody tr");
    await demo.tab.click("#pager button:last-child");
    expect(await demo.textOf("#orders tbody tr")).not.toBe(first);
    await demo.tab.click("#pager button:first-child");
    expect(await demo.textOf("#orders tbody tr")).toBe(first);
  });

  test("each day of the chart is reached and read by keyboard, and Enter starts a note about it", async () => {
    await demo.tab.evaluate("document.querySelector('.chart').focus()");
    const value = (): Promise<string> =>
      demo.tab.evaluate("document.querySelector('.chart').getAttribute('aria-valuetext')");
    const days = new Set<string>();
    for (let index = 0; index < 30; index++) {
      days.add(await value());
      await demo.tab.press("ArrowLeft");
    }
    expect(days.size).toBe(30);
    expect(await value()).toMatch(/^\w{3} \d+ \w+ \d{4}: Revenue \$[\d,]+, Orders \d+, Period before/);
    expect(await demo.textOf(".tooltip")).toContain("Revenue");
    await demo.tab.press("Enter");
    expect(await demo.tab.evaluate("document.activeElement.name")).toBe("text");
    expect(await demo.tab.evaluate("document.querySelector('input[name=day]').value")).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

describe("a new page of the dashboard", () => {
  beforeEach(() => demo.open());
  afterEach(() => demo.leave());

  test("nothing is written to the console and no rule of the content security policy is broken", async () => {
    await demo.call("highlight", { target: "revenue" });
    await demo.call("add_note", { text: "x", date: "2001-01-01" });
    await demo.call("set_period", { days: 180 });
    await demo.tab.click("#export");
    await demo.tab.click("#theme");
    expect(demo.tab.console.errors).toEqual([]);
    expect(demo.tab.console.messages).toEqual([]);
    const { headers } = await fetch(demo.origin);
    const policy = headers.get("content-security-policy")?.split("; ");
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'"]));
  });

  test("every control can be reached by keyboard, in the order of the page, and shows its focus", async () => {
    const controls = "a[href], button, select, input, summary, [tabindex='0']";
    const expected = await demo.tab.evaluate(
      (css) =>
        [...document.querySelectorAll(css)].filter(
          (one) => one.checkVisibility({ visibilityProperty: true }) && !one.matches(":disabled"),
        ).length,
      controls,
    );
    const reached = new Set<string>();
    for (let step = 0; step < expected * 2; step++) {
      await demo.tab.press("Tab");
      const focused = await demo.tab.evaluate((css) => {
        const element = document.activeElement;
        if (element === null || element === document.body) return undefined;
        const place = [...document.querySelectorAll(css)].indexOf(element);
        const { outlineStyle } = getComputedStyle(element);
        // The parts of a date field share its element; one of them draws its own focus ring.
        return { place, shows: outlineStyle !== "none" || element.matches("[type=date]") };
      }, controls);
      if (focused === undefined || (reached.has(String(focused.place)) && focused.place === 0)) break;
      expect(focused).toMatchObject({ shows: true });
      reached.add(String(focused.place));
    }
    expect([...reached].map(Number)).toEqual([...reached].map(Number).toSorted((one, other) => one - other));
    expect(reached.size).toBe(expected);
  });

  test("the first key press offers to skip to the sales", async () => {
    await demo.tab.press("Tab");
    await demo.tab.press("Enter");
    await demo.tab.press("Tab");
    expect(await demo.tab.evaluate("document.activeElement.textContent")).toBe("7 days");
  });

  test("at 360, 768, 1024 and 1440 pixels nothing makes the page scroll sideways", async () => {
    for (const width of [360, 768, 1024, 1440]) {
      await demo.resize(width);
      await demo.call("highlight", {
        target: "conversion",
        message: "A message that is as long as such a message may be, ".repeat(2),
      });
      await demo.call("export_csv");
      const overflow = await demo.tab.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(overflow, `${width} pixels`).toBeLessThanOrEqual(0);
    }
  });

  test("on a phone the agents are a sheet that opens from a bar, and Escape closes it", async () => {
    await demo.resize(360);
    await demo.call("set_period", { days: 7 });
    expect(await demo.textOf("#agents-open")).toContain("set_period by tester: done");
    await demo.tab.waitFor("!document.getElementById('agents').checkVisibility({ visibilityProperty: true })");
    await demo.tab.click("#agents-open");
    await demo.tab.waitFor("document.getElementById('agents').checkVisibility({ visibilityProperty: true })");
    expect(await demo.tab.evaluate("document.activeElement.id")).toBe("agents-title");
    await demo.tab.press("Escape");
    await demo.tab.waitFor("!document.getElementById('agents').checkVisibility({ visibilityProperty: true })");
    expect(await demo.tab.evaluate("document.activeElement.id")).toBe("agents-open");
  });

  test("the theme follows the system until it is chosen, and is kept", async () => {
    const ground = (): Promise<string> => demo.tab.evaluate("getComputedStyle(document.body).backgroundColor");
    await demo.prefer("prefers-color-scheme", "dark");
    const dark = await ground();
    await demo.tab.click("#theme");
    const light = await ground();
    expect(light).not.toBe(dark);
    await demo.tab.reload();
    expect(await ground()).toBe(light);
  });

  test("axe finds nothing on the page, with a note, a goal, a forecast and a highlight, wide and narrow", async () => {
    await demo.call("add_note", { text: "Look here" });
    await demo.call("run_forecast");
    await demo.call("highlight", { target: "orders_table", message: "Look here" });
    for (const width of [1440, 390]) {
      await demo.resize(width);
      expect(await axeFindings(demo.tab)).toEqual([]);
    }
  });

  test("with reduced motion a highlight is shown without animation", async () => {
    const motion = (): Promise<string> =>
      demo.tab.evaluate("getComputedStyle(document.querySelector('.pointed')).animationName");
    await demo.call("highlight", { target: "revenue" });
    expect(await motion()).toBe("pulse");
    await demo.prefer("prefers-reduced-motion", "reduce");
    expect(await motion()).toBe("none");
  });

  test("when the hub goes, the page counts down to its next try; when it is back, so is the page", async () => {
    await demo.hub.kill("SIGTERM");
    await demo.tab.waitFor("document.querySelector('.dot.reconnecting') !== null");
    await demo.tab.waitFor("document.querySelector('.connection-retry')?.textContent.includes('Trying again')");
    const shown = await demo.tab.evaluate<string>("document.querySelector('#connection').textContent");
    expect(shown.match(/Trying again/g)).toHaveLength(1);
    await demo.hub.restart();
    // It may already have reconnected on its own.
    await demo.tab.evaluate("document.querySelector('.connection-retry button')?.click()");
    await demo.tab.waitFor("document.querySelector('.dot.connected') !== null");
    await waitUntil(
      async () => demo.client.state.status === "connected",
      () => demo.client.state.message,
    );
    await demo.offered();
    expect(await demo.call("get_dashboard_overview")).toMatchObject({ outcome: "ok" });
  });
});

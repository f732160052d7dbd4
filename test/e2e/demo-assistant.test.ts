import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDemo } from "./demo.test-helper.ts";
import type { Demo } from "./demo.test-helper.ts";
import {
  allowOnce,
  answerIn,
  askAssistant,
  draftIn,
  isStatus,
  openAssistant,
  signIn,
} from "./demo-window.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
  await signIn(demo);
});
afterAll(() => demo?.close());
beforeEach(() => demo.open());
afterEach(async () => {
  for (const popup of await demo.tab.popups()) await popup.close();
  await demo.leave();
});

const question = "What were sales in the last 30 days?";
const callsOf = (): Promise<string[]> =>
  demo.tab.evaluate(() =>
    [...document.querySelectorAll("#activity .call-head")].map((head) => head.textContent?.split(" ·")[0] ?? ""),
  );
const blocked = () => demo.tab.evaluate("document.getElementById('assistant-open').click()");

describe("the assistant beside the dashboard", () => {
  test("the button opens the assistant with the page's tools, and no second one; the page says how it stands, and can close it", async () => {
    expect(await demo.textOf("#assistant-status")).toBe("Assistant not open");
    expect(await demo.textOf("#assistant-open")).toBe("Open AI assistant");
    const assistant = await openAssistant(demo.tab);
    expect(await assistant.evaluate("location.origin")).toBe(demo.hub.url);
    await assistant.waitFor((origin) => document.body.textContent?.includes(`11 tools of ${origin}`), {
      values: [demo.origin],
    });
    expect(await demo.textOf("#assistant-open")).toBe("Show AI assistant");

    await demo.tab.click("#assistant-open");
    expect(await demo.tab.popups()).toHaveLength(1);
    await demo.tab.click("#assistant-close");
    await isStatus(demo.tab, "Assistant not open");
    expect(await demo.tab.evaluate("document.activeElement.id")).toBe("assistant-open");
    await waitUntil(
      async () => (await demo.tab.popups()).length === 0,
      () => "The window is still open.",
    );
  });

  test("the assistant's calls show in the page like any agent's", async () => {
    const assistant = await openAssistant(demo.tab);
    const answer = await askAssistant(assistant, question);
    expect(answer).toContain((await demo.figureOf("revenue")).replace("$", ""));
    expect(await callsOf()).toEqual(["get_sales_datadone"]);
    expect(await demo.textOf("#activity .called")).toBe("AI assistant");
    expect(await demo.textOf("#seen-agents")).toContain("AI assistant");
    expect(await demo.textOf("#announcer")).toBe("get_sales_data ended: done");
  });

  test("a tool of the assistant that asks the user asks in the page, once the user has allowed it", async () => {
    const assistant = await openAssistant(demo.tab);
    const asked = askAssistant(assistant, "Ask for a sales goal");
    await allowOnce(assistant);
    await demo.tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
    await demo.tab.activate();
    await demo.tab.send("Input.insertText", { text: "4000" });
    await demo.tab.press("Enter");
    await asked;
    expect(await demo.textOf(".chart-line-label")).toBe("Goal $4,000");
  });

  test("asking about a tile, the chart, the bars or an order writes a question into the assistant's field", async () => {
    const assistant = await openAssistant(demo.tab, "[data-target=revenue] .ask-about");
    const revenue = await demo.figureOf("revenue");
    expect(await draftIn(assistant)).toEqual({
      text: expect.stringContaining(`What explains the revenue of the last 30 days? Now at ${revenue}, `) as string,
      mark: `From ${demo.origin}`,
    });
    const questions = [
      ["#chart-ask .ask-about", "Which days stand out"],
      ["#breakdown-tools .ask-about", "by product"],
      ["#orders tbody tr:first-child .ask-about", 'Find order "H'],
    ] as const;
    for (const [selector, words] of questions) {
      await demo.tab.activate();
      await demo.tab.click(selector);
      await expect.poll(async () => (await draftIn(assistant)).text).toContain(words);
    }
    expect(await assistant.evaluate("document.querySelectorAll('.turn').length")).toBe(0);
    expect(await callsOf()).toEqual([]);
  });

  test("the summary is sent at once, as the page's words, and answered with what the page shows", async () => {
    const assistant = await openAssistant(demo.tab, "#summarise");
    await answerIn(
      assistant,
      "Sum up this dashboard: the key figures of the last 30 days, what changed most, and what to look at first.",
    );
    expect(await assistant.evaluate("document.querySelector('.turn.app .who').textContent")).toBe(
      `From ${demo.origin}`,
    );
    expect(await callsOf()).toContain("get_dashboard_overviewdone");
  });

  test("a reloaded page gets its assistant back, and the conversation continues with its tools", async () => {
    const assistant = await openAssistant(demo.tab);
    await askAssistant(assistant, question);
    await demo.tab.reload();
    await isStatus(demo.tab, "Assistant connected");
    expect(await demo.textOf("#assistant-open")).toBe("Show AI assistant");
    expect(await demo.tab.popups()).toHaveLength(1);
    await askAssistant(assistant, "Give me the key figures");
    expect(await callsOf()).toEqual(["get_dashboard_overviewdone"]);
    expect(await assistant.evaluate("document.querySelectorAll('.turn.user').length")).toBe(2);
  });

  test("when the user closes the window the page says so, and opens another", async () => {
    const assistant = await openAssistant(demo.tab);
    await assistant.close();
    await isStatus(demo.tab, "The assistant was closed");
    expect(await demo.textOf("#assistant-open")).toBe("Open AI assistant");
    await openAssistant(demo.tab);
    expect(await demo.tab.popups()).toHaveLength(1);
  });

  test("where the browser blocks the window the page says how to allow it, and has the assistant within itself", async () => {
    await blocked();
    await isStatus(demo.tab, "Assistant blocked");
    expect(await demo.textOf("#assistant-notice[role=status]")).toContain("Allow pop-ups for this page");
    expect(await demo.tab.popups()).toHaveLength(0);
    await demo.tab.click("#assistant-notice button");
    await isStatus(demo.tab, "Assistant connected");
    expect(await demo.textOf("#assistant-notice")).toBe("");
    expect(await demo.tab.evaluate("document.querySelector('#assistant-frame iframe').src")).toBe(`${demo.hub.url}/`);
    expect(await demo.tab.evaluate("document.activeElement.closest('#assistant-panel') !== null")).toBe(true);
    const covered = "['agents', 'agents-open'].map((id) => document.getElementById(id).inert)";
    expect(await demo.tab.evaluate(covered)).toEqual([true, true]);
    await demo.tab.click("#assistant-leave");
    await isStatus(demo.tab, "Assistant not open");
    expect(await demo.countOf("#assistant-frame iframe")).toBe(0);
    expect(await demo.tab.evaluate(covered)).toEqual([false, false]);
    expect(await demo.tab.evaluate("document.activeElement.id")).toBe("assistant-open");
  });

  test("at 360, 1024 and 1440 pixels the assistant within the page makes nothing scroll sideways", async () => {
    const overflow = () => demo.tab.evaluate("document.documentElement.scrollWidth - innerWidth");
    const widths = [360, 1024, 1440];
    await blocked();
    await isStatus(demo.tab, "Assistant blocked");
    for (const width of widths) {
      await demo.resize(width);
      expect(await overflow(), `blocked at ${width}`).toBeLessThanOrEqual(0);
    }
    await demo.tab.click("#assistant-notice button");
    await isStatus(demo.tab, "Assistant connected");
    for (const width of widths) {
      await demo.resize(width);
      expect(await overflow(), `connected at ${width}`).toBeLessThanOrEqual(0);
      const top = await demo.tab.evaluate<number>(
        "document.getElementById('assistant-panel').getBoundingClientRect().top",
      );
      // On narrow screens the upper part of the page stays visible.
      expect(top > 0, `top at ${width}`).toBe(width <= 1120);
    }
  });

  test("a question whose window was blocked is put to the assistant within the page", async () => {
    await demo.tab.evaluate("document.getElementById('summarise').click()");
    await isStatus(demo.tab, "Assistant blocked");
    await demo.tab.click("#assistant-notice button");
    await demo.tab.waitFor("document.querySelector('#activity .call.ended') !== null");
    expect(await callsOf()).toContain("get_dashboard_overviewdone");
    expect(await demo.textOf("#assistant-last")).toMatch(/^get_dashboard_overview: done/);
  });
});

/** The browser's tab at this origin, once there is one. */
function tabAt(browser: Browser, origin: string): Promise<Tab> {
  const look = async (): Promise<Tab | undefined> => {
    for (const tab of await browser.tabs()) if ((await tab.evaluate("location.origin")) === origin) return tab;
    return undefined;
  };
  return waitUntil(look, () => `No tab shows ${origin}.`) as Promise<Tab>;
}

test("from the address that the hub prints to the numbers: home, demo, assistant, question, tool, answer", async () => {
  const [printed = ""] = /http:\S+#code=\S+/.exec(demo.hub.output()) ?? [];
  const browser = await openChromium();
  try {
    const home = await browser.open(printed);
    // On a narrow screen the link to the demo is out of sight; at this width it is visible.
    await home.send("Emulation.setDeviceMetricsOverride", {
      width: 1440,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await home.click(`a[href^="${demo.origin}"]`);
    const dashboard = await tabAt(browser, demo.origin);
    const assistant = await openAssistant(dashboard);
    const answer = await askAssistant(assistant, question);
    const shown = await dashboard.evaluate(() => ({
      call: document.querySelector("#activity .call.ended .call-name")?.textContent,
      agent: document.querySelector("#activity .called")?.textContent,
      revenue: document.querySelector("[data-target=revenue] .tile-figure")?.textContent ?? "",
    }));
    expect(shown).toMatchObject({ call: "get_sales_data", agent: "AI assistant" });
    expect(answer).toContain(shown.revenue.replace("$", ""));
    expect(await assistant.evaluate("document.querySelector('.turn.call').textContent")).toContain("Sales");
    for (const tab of [home, dashboard, assistant])
      expect([tab.console.messages, tab.console.errors]).toEqual([[], []]);
  } finally {
    await browser.close();
  }
});

describe("the address of the hub", () => {
  test("the dashboard is at an origin of its own, and its tools, its commands and its model are its hub's", async () => {
    expect(demo.origin).not.toBe(demo.hub.url);
    expect(await demo.tab.evaluate("location.origin")).toBe(demo.origin);
    expect(await demo.textOf("#connection")).toContain(demo.hub.url);
    expect(await demo.textOf("#client-panes")).toContain(`${demo.hub.url}/mcp`);
    await demo.tab.waitFor("document.getElementById('ask').hidden === false");
  });

  test.each([
    ["nothing", "", "does not know where its hub is"],
    ["something else", "here", 'the hub address "here", which is not an address'],
  ])("a dashboard with %s for a hub says so, and shows the sales", async (_what, told, words) => {
    // The page's own script runs after the page has loaded, and so reads the changed value.
    const tell = `document.querySelector("meta[name=pagewire-hub]")?.setAttribute("content", ${JSON.stringify(told)})`;
    const source = `new MutationObserver(() => ${tell}).observe(document, { childList: true, subtree: true })`;
    await demo.tab.send("Page.addScriptToEvaluateOnNewDocument", { source });
    await demo.tab.reload();
    await demo.tab.waitFor("document.querySelector('.tile-figure') !== null");
    expect(await demo.textOf("#assistant-notice")).toContain(words);
    expect(await demo.figureOf("revenue")).toMatch(/^\$/);
    expect(await demo.countOf(".ask-about")).toBe(0);
    const isShown = (id: string): Promise<boolean> =>
      demo.tab.evaluate((name) => document.getElementById(name)?.checkVisibility() ?? false, id);
    expect([await isShown("agents"), await isShown("agents-open"), await isShown("assistant")]).toEqual([
      false,
      false,
      false,
    ]);
    expect([demo.tab.console.messages, demo.tab.console.errors]).toEqual([[], []]);
  });
});

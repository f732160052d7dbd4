// The page of all parts, which each page of the hub is made of.
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import type { Tab } from "./support/tab.ts";

let hub: HubProcess;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  hub = await startHub({ args: ["--no-demo"] });
  browser = await openChromium();
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  const minted = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  const { code } = (await minted.json()) as { code: string };
  tab = await browser.open(`${hub.url}/console#code=${code}`);
  await tab.waitFor("document.querySelector('main h1')");
  await tab.evaluate(() => (location.hash = "#/parts"));
  await tab.waitFor("document.querySelector('#parts .hljs-attr')");
});

afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

const resize = (width: number) =>
  tab.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });

test("axe finds nothing in any part, wide and narrow, and nothing is wider than the page", async () => {
  for (const width of [1280, 320]) {
    await resize(width);
    expect(await axeFindings(tab)).toEqual([]);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test("badges are alike but for their colours", async () => {
  const shapes = await tab.evaluate<readonly string[]>(() =>
    [...document.querySelectorAll("#parts .badge")].map((badge) => {
      const { display, padding, borderLeftWidth } = getComputedStyle(badge);
      return `${display} ${padding} ${borderLeftWidth}`;
    }),
  );
  expect([shapes.length > 3, new Set(shapes).size]).toEqual([true, 1]);
});

test("a dialog takes the focus, Escape closes it, and the focus returns; axe finds nothing in either", async () => {
  for (const name of ["Dialog", "Drawer"]) {
    const button = `[...document.querySelectorAll(".button")].find((each) => each.textContent === "${name}")`;
    await tab.evaluate(`${button}.focus()`);
    await tab.press("Enter");
    await tab.waitFor("document.querySelector('dialog[open]')?.contains(document.activeElement)");
    expect(await axeFindings(tab, "dialog")).toEqual([]);
    await tab.press("Escape");
    await tab.waitFor(`!document.querySelector("dialog") && document.activeElement === ${button}`);
  }
});

test("a chart is read and picked from by keyboard, and its parts are picked by drawing over them", async () => {
  await resize(1280);
  await tab.waitFor("document.querySelectorAll('.chart-marks').length === 2");
  await tab.evaluate(() => document.querySelector<HTMLElement>(".chart")?.focus());
  await tab.press("Home");
  const read = () => tab.evaluate(() => document.querySelector(".chart")?.getAttribute("aria-valuetext"));
  expect(await read()).toBe("Day 1: Sold 400, Before 470");
  await tab.press("ArrowRight");
  expect(await tab.evaluate(() => document.querySelector(".tooltip")?.textContent)).toContain("Day 2");
  await tab.press("Enter");
  await tab.waitFor("document.querySelector('#parts').textContent.includes('Day 2 was picked.')");
});

test("of 10,000 rows only the visible ones are in the document, and keys move through all", async () => {
  await resize(1280);
  const rows = () =>
    tab.evaluate<string[]>(() =>
      [...document.querySelectorAll(".table-row code")].map((each) => each.textContent ?? ""),
    );
  expect((await rows()).length).toBeLessThan(50);
  await tab.evaluate(() => document.querySelector<HTMLElement>(".table")?.focus());
  await tab.press("End");
  await expect.poll(rows).toContain("tool_0");
  await tab.press("ArrowUp");
  await tab.press("Enter");
  await tab.waitFor("document.querySelector('dialog.drawer h2')?.textContent === 'tool_1'");
  await tab.press("Escape");
  await tab.press("Home");
  await expect.poll(rows).toContain("tool_9999");
  expect(await tab.evaluate(() => document.querySelector(".table")?.getAttribute("aria-rowcount"))).toBe("10001");
});

// The console: what is connected now, and trying what it offers.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { pagewireCommand } from "./demo.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { spawnOwned } from "./support/processes.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

let hub: HubProcess;
let browser: Browser;
let pages: PageServer;
let tab: Tab;

const tools = `
const orderSchema = {
  type: "object", required: ["customer", "lines"], additionalProperties: false,
  properties: {
    customer: { type: "object", title: "Customer", required: ["name"], properties: { name: { type: "string" } } },
    lines: { type: "array", minItems: 1, items: {
      type: "object", required: ["sku"],
      properties: { sku: { enum: ["tea", "coffee"] }, count: { type: "integer", minimum: 1, default: 1 } } } },
  },
};
window.ran = [];
pagewire.registerTool({ name: "place_order", title: "Place an order", inputSchema: orderSchema,
  description: "<b>Orders</b> tea.", annotations: { destructiveHint: true },
  execute: (input) => (window.ran.push(input), { orders: input.lines.map((line, index) => ({ number: index + 7, ...line })) }) });
pagewire.registerTool({ name: "ask_name", title: "Ask for a name", inputSchema: { type: "object" },
  async execute(_, context) {
    context.progress(1, 2, "half of it");
    const { content } = await context.ask({ message: "Who are you?", requestedSchema: {
      type: "object", required: ["name"], properties: { name: { type: "string", title: "Name" } } } });
    return "Hello " + content.name;
  } });
pagewire.registerTool({ name: "wait", title: "Wait", inputSchema: { type: "object" },
  execute: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => {
    window.stopped = true; reject(signal.reason); })) });
pagewire.registerResource({ uri: "work://list", name: "The list", read: () => ({ text: "tea and coffee" }) });`;

beforeAll(async () => {
  // A page that is closed is gone soon: each test has its own.
  hub = await startHub({ args: ["--no-demo", "--limit", "graceTime=200ms"] });
  const workshop = `<!doctype html><html lang="en"><title>Workshop</title><h1>Workshop</h1>
    <script src="${hub.url}/pagewire.js" data-app="workshop"></script><script>${tools}</script>`;
  pages = await servePages({ "/": workshop });
  await runCommand("allow", pages.origin);
  browser = await openChromium();
});

afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await hub?.close();
});

beforeEach(async () => {
  const link = (await runCommand("open", "console", "--print")).trim();
  tab = await browser.open(link);
  await tab.waitFor("document.querySelector('.now')");
});

afterEach(async () => {
  for (const open of await browser.tabs()) await open.close();
  await waitUntil(
    async () => (await runCommand("tabs")).includes("No tab offers tools."),
    () => "The hub still lists tabs that are closed.",
  );
});

async function runCommand(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, PAGEWIRE_HOME: hub.home };
  const owned = await spawnOwned(process.execPath, [pagewireCommand, ...args], { env });
  await owned.closed;
  return owned.output();
}

const textOf = (selector: string): Promise<string> =>
  tab.evaluate((css) => document.querySelector(css)?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "", selector);

const shows = (selector: string, text: string): Promise<unknown> =>
  tab.waitFor((css, part) => document.querySelector(css)?.textContent?.includes(part), { values: [selector, text] });

const go = (place: string): Promise<unknown> => tab.evaluate((to) => (location.hash = to), place);

async function openWorkshop(): Promise<Tab> {
  const page = await browser.open(pages.url("/"));
  // A console that is hidden reads nothing.
  await tab.activate();
  await shows(".now .table-row", "workshop");
  return page;
}

async function open(title: string): Promise<void> {
  await go("#/try");
  await shows(".picker", title);
  await tab.evaluate((text) => {
    for (const link of document.querySelectorAll<HTMLElement>(".picker a"))
      if (link.textContent?.startsWith(text)) link.click();
  }, title);
  await shows(".about-target h2", title);
}

test("a page that joins is listed with what it offers, and one that leaves is not", async () => {
  await shows(".now .state", "No page is connected");
  expect(await axeFindings(tab)).toEqual([]);
  const page = await openWorkshop();
  expect(await textOf(".now .table-row")).toContain("3 tools1 resource");
  await shows("section[aria-labelledby=now-agents]", "pagewire-console");
  expect(await axeFindings(tab)).toEqual([]);
  await tab.click(".now .table-row a");
  await shows(".tab-place", "<b>Orders</b> tea");
  expect(await axeFindings(tab)).toEqual([]);
  await page.close();
  await shows(".state", "This page is not connected");
});

test("a disconnected page stays away, and comes back when it is loaded again or let back", async () => {
  const page = await openWorkshop();
  const disconnect = async () => {
    await tab.click(".now .table-row a");
    await tab.click(".place-actions .danger");
    await tab.waitFor("document.querySelector('dialog[open]')");
    expect(await axeFindings(tab, "dialog")).toEqual([]);
    await tab.click("dialog footer .danger");
    await shows(".disconnected", "workshop");
  };
  await disconnect();
  await page.waitFor("pagewire.state.code === 'tab-disconnected'");
  expect(await runCommand("tabs")).toContain("No tab offers tools.");
  await page.reload();
  await tab.activate();
  await shows(".now .table-row", "workshop");

  await disconnect();
  await tab.click(".disconnected .button");
  await shows(".now .table-row", "workshop");
});

test("a tool is tried with a form, and what is missing is said first", async () => {
  const page = await openWorkshop();
  await open("Place an order");
  // This verdict moves what is below it, such as the button.
  await shows(".trial-form", "has too few items");
  await tab.click(".trial-form button[type=submit]");
  await shows(".trial-form", "is required");
  expect(await axeFindings(tab)).toEqual([]);
  expect(await page.evaluate("ran.length")).toBe(0);

  await tab.type(".trial-form input", "Ann");
  await tab.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>(".trial-form .button"))
      if (button.textContent === "Add an item") button.click();
  });
  await tab.waitFor("document.querySelector('.trial-form select')");
  await tab.evaluate(() => {
    const select = document.querySelector<HTMLSelectElement>(".trial-form select");
    if (select) select.value = "0";
    select?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await tab.click(".trial-form button[type=submit]");
  await shows(".trial-outcome", "Done");
  expect(await page.evaluate("ran")).toEqual([{ customer: { name: "Ann" }, lines: [{ sku: "tea", count: 1 }] }]);
  expect(await textOf(".trial-outcome .table-row")).toContain("7");
  await tab.click(".same-call summary");
  await shows(".same-call", "npx pagewire call");
  expect(await axeFindings(tab)).toEqual([]);

  await go("#/try");
  await shows("main", "Choose what to try");
  await open("Place an order");
  await shows(".earlier", '"Ann"');
  await shows(".trial-form", "has too few items");
  await tab.click(".earlier li .button");
  await tab.waitFor("document.querySelector('.trial-form input').value === 'Ann'");
});

test("a tool's progress and question are shown, and its user answers or cancels", async () => {
  const page = await openWorkshop();
  await open("Ask for a name");
  await tab.click(".trial-form button[type=submit]");
  await shows(".question", "ask_name asks: Who are you?");
  expect(await textOf(".progress")).toContain("half of it");
  expect(await axeFindings(tab)).toEqual([]);
  await tab.type(".question input", "Ann");
  await tab.click(".question button[type=submit]");
  await shows(".trial-outcome", "Hello Ann");

  await open("Wait");
  await tab.click(".trial-form button[type=submit]");
  await shows(".trial-outcome", "The page has it.");
  await tab.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>(".trial-form .button"))
      if (button.textContent === "Cancel") button.click();
  });
  await shows(".trial-outcome", "Cancelled");
  await page.waitFor("window.stopped");
});

test("a tool's question stays when its view is left, and is asked where a call is made again", async () => {
  await openWorkshop();
  await open("Ask for a name");
  await tab.click(".trial-form button[type=submit]");
  await shows(".question", "Who are you?");
  await go("#/calls?tool=ask_name");
  await shows(".question", "Who are you?");
  await tab.type(".question input", "Ann");
  await tab.click(".question button[type=submit]");
  await tab.waitFor("!document.querySelector('.question')");

  await tab.waitFor("document.querySelector('.timeline .table-row .call-end')?.textContent.includes('ok')");
  await tab.click(".timeline .table-row");
  await tab.waitFor("document.querySelector('dialog.drawer footer .button.strong')");
  await tab.click("dialog.drawer footer .button.strong");
  await tab.waitFor("document.querySelector('dialog .button.danger')");
  await tab.click("dialog .button.danger");
  await shows("dialog.drawer .question", "ask_name asks: Who are you?");
  await tab.type("dialog.drawer .question input", "Bea");
  await tab.click("dialog.drawer .question button[type=submit]");
  await shows(".toasts", "ask_name: ok");
  await tab.press("Escape");
  await tab.waitFor("!document.querySelector('dialog')");
});

test("a resource is read", async () => {
  await openWorkshop();
  await open("The list");
  await tab.click(".trial-form button[type=submit]");
  await shows(".trial-outcome", "tea and coffee");
});

test("a hub that goes is said to be away, and one that comes back shows what is there", async () => {
  await openWorkshop();
  await hub.restart();
  await tab.waitFor("document.querySelector('.away-banner')");
  await shows(".now .table-row", "workshop");
  await tab.waitFor("!document.querySelector('.away-banner')");
});

test("on a phone nothing is wider than the screen, and keys lead everywhere", async () => {
  await openWorkshop();
  const width = 320;
  await tab.send("Emulation.setDeviceMetricsOverride", { width, height: 700, deviceScaleFactor: 1, mobile: true });
  await open("Place an order");
  for (const place of ["#/now", "#/try"]) {
    await go(place);
    await tab.waitFor(
      (hash) => document.querySelector(".side-link[aria-current=page]")?.getAttribute("href") === hash,
      {
        values: [place],
      },
    );
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    expect(await axeFindings(tab)).toEqual([]);
  }
  expect(await tab.evaluate(() => document.activeElement?.id)).toBe("main");
});

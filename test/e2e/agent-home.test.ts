import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pagewireCommand } from "./demo.test-helper.ts";
import { axeFindings } from "./axe.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import { spawnOwned } from "./support/processes.ts";
import type { Tab } from "./support/tab.ts";
import { bearerOf } from "./support/page-bearer.ts";

let hub: HubProcess;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  hub = await startHub({ args: ["--model", "rehearsal", "--demo-port", "0"] });
  browser = await openChromium();
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});
beforeEach(async () => {
  tab = await browser.open(await mintLink());
  await tab.waitFor(isReady);
  await resize(1280);
});
afterEach(async () => {
  await tab.evaluate("localStorage.clear(), sessionStorage.clear()");
  for (const open of await browser.tabs()) await open.close();
});

const isReady = "document.querySelector('.status')?.textContent.includes('Connected')";
const isSignedOut = "document.querySelector('.sign-in') !== null";

async function mintLink(): Promise<string> {
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  return ((await response.json()) as { readonly url: string }).url;
}

async function runCommand(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, PAGEWIRE_HOME: hub.home };
  await (
    await spawnOwned(process.execPath, [pagewireCommand, ...args], { env })
  ).exited;
}

const textOf = (selector: string, of = tab): Promise<string> =>
  of.evaluate((css) => document.querySelector(css)?.textContent?.replaceAll(/\s+/g, " ").trim() ?? "", selector);
const isThere = (selector: string, text: string, of = tab): Promise<unknown> =>
  of.waitFor((css, part) => document.querySelector(css)?.textContent?.includes(part), { values: [selector, text] });

async function ask(question: string): Promise<void> {
  await tab.type(".composer textarea", question);
  await tab.press("Enter");
  await isThere(".conversations", question);
}

async function choosePage(title: string): Promise<void> {
  await tab.evaluate((text) => {
    const select = document.querySelector<HTMLSelectElement>("#pages");
    const option = [...(select?.options ?? [])].find((one) => one.text === text);
    if (!select || !option) throw new Error(`There is no page "${text}" to choose.`);
    select.value = option.value;
    select.dispatchEvent(new Event("change"));
  }, title);
}

async function resize(width: number, height = 740): Promise<void> {
  await tab.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  // The page is notified of its new size in the next frame.
  await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** Clicks, in the open settings, not by a place on the screen: the decisions above the button may still be read. */
const signOut = () =>
  tab.evaluate(() => document.querySelector<HTMLElement>("dialog[open] section:last-child button")?.click());

describe("signing in", () => {
  test("the link signs in once, leaves nothing in the address or the history, and a reload stays signed in", async () => {
    const address = () => tab.evaluate<string>("location.href");
    expect(await address()).toBe(`${hub.url}/`);
    const { entries } = await tab.send<{ entries: { url: string }[] }>("Page.getNavigationHistory");
    expect(entries.map(({ url }) => url).filter((url) => url.includes("code="))).toEqual([]);
    await tab.reload();
    await tab.waitFor(isReady);
    expect(await address()).toBe(`${hub.url}/`);
  });

  test("a link is good once; who is signed in goes on with it, and anybody else is told", async () => {
    const link = await mintLink();
    const other = await browser.open(link);
    await other.waitFor(isReady);
    await other.evaluate((url) => void (location.href = url), link);
    await other.waitFor("location.hash === ''");
    await other.waitFor(isReady);
    await other.evaluate("localStorage.clear()");
    await other.navigate("about:blank");
    await other.navigate(link);
    await other.waitFor(isSignedOut);
    expect(await textOf("#code-problem", other)).toContain("not good any more");
  });

  test("a new token signs every page out, and each explains how to sign in again", async () => {
    await runCommand("token", "rotate");
    await tab.waitFor(isSignedOut);
    expect(await textOf(".sign-in .command code")).toBe("npx pagewire open");
    expect(await tab.evaluate("document.querySelector('.composer')")).toBeNull();
    await tab.type("#code", await mintLink());
    await tab.press("Enter");
    await tab.waitFor(isReady);
  });

  test("signing out takes effect in every tab and at the hub", async () => {
    const other = await browser.open(`${hub.url}/`);
    await other.waitFor(isReady);
    const token = await bearerOf(tab);
    await tab.activate();
    await tab.click("[aria-label=Settings]");
    await isThere("dialog[open]", "Sign out");
    await signOut();
    await Promise.all([tab.waitFor(isSignedOut), other.waitFor(isSignedOut)]);
    expect(await textOf(".sign-in .why", other)).toContain("another tab");
    const { status } = await fetch(`${hub.url}/api/app`, { headers: { Authorization: `Bearer ${token}` } });
    expect(status).toBe(401);
  });

  test("a missing hub is reported with the command that starts it, and the page reconnects to it", async () => {
    await hub.kill();
    await isThere(".notices", "npx pagewire");
    await isThere(".tabs-live.stale", "The hub does not answer");
    await tab.reload().catch(() => {});
    await hub.restart();
    await tab.navigate(`${hub.url}/`);
    await tab.waitFor(isReady);
    expect(await textOf(".notices")).toBe("");
  });
});

describe("the home page", () => {
  test("it shows the state of model and hub, and has the landmarks that screen readers need", async () => {
    expect(await textOf(".status")).toBe("Rehearsal modelConnected");
    expect(await tab.evaluate("document.querySelector('.loading')")).toBeNull();
    expect(await tab.evaluate(() => document.querySelectorAll("h1").length)).toBe(1);
    for (const landmark of ["header", "main", "nav[aria-label]", "main section[aria-labelledby]", "[role=status]"]) {
      expect(await tab.evaluate((css) => document.querySelector(css) !== null, landmark), landmark).toBe(true);
    }
    const unnamed = await tab.evaluate(() =>
      [...document.querySelectorAll("button, input, textarea, a[href]")]
        .filter(
          (one) =>
            one.checkVisibility() &&
            !(one.ariaLabel || one.textContent?.trim() || (one as HTMLInputElement).labels?.length),
        )
        .map((one) => one.outerHTML),
    );
    expect(unnamed).toEqual([]);
    await tab.evaluate("document.querySelector('.skip-link').focus()");
    await tab.press("Enter");
    expect(await tab.evaluate("document.activeElement.id")).toBe("talk");
  });

  test("an answered question is in the list at once; it is opened from there, and deleted after a yes", async () => {
    await ask("Hello, are you there?");
    expect(await textOf(".conversations [aria-current=true] .title")).toBe("Hello, are you there?");
    await tab.click(".begin");
    await tab.waitFor("document.querySelector('.conversations [aria-current=true]') === null");
    await tab.waitFor("!document.querySelector('.turns').textContent.includes('are you there')");
    await tab.click(".conversations .open");
    await isThere(".turns", "are you there");
    await tab.click(".conversations .delete");
    await tab.click(".conversations .yes");
    await isThere(".conversations", "Nothing was said yet.");
    await tab.waitFor("!document.querySelector('.turns').textContent.includes('are you there')");
  });

  test("it shows the demo as it comes, and the first question uses its tools, unless no page is chosen", async () => {
    expect(await textOf(".home")).toContain("npx pagewire terminal");
    expect(await tab.evaluate("document.querySelector('.home [href=\"/console#/connect\"]')?.textContent")).toBe(
      "Connect a client",
    );
    expect(await textOf(".home pre")).toContain(`${hub.url}/pagewire.js`);
    const dashboard = await browser.open(await tab.evaluate<string>("document.querySelector('.home-head a').href"));
    await isThere(".tabs-live", "sales-dashboard");
    expect(await textOf(".tabs-live")).toContain("get_sales_data");
    await tab.activate();
    expect(await textOf(".empty")).toContain("The assistant can use 11 tools of the connected pages.");
    expect(await textOf(".suggestions li:first-child")).toBe("Show me the sales data of the last 30 days");
    await tab.click(".suggestions li:first-child button");
    await tab.press("Enter");
    await isThere(".turns", "Revenue");
    const chosen = () => tab.evaluate<string>("document.querySelector('#pages').selectedOptions[0]?.text");
    expect(await chosen()).toContain("Halyard");
    await choosePage("No page");
    await isThere(".outcome", "“No page” is chosen");
    await tab.reload();
    await tab.waitFor(isReady);
    await tab.waitFor("document.querySelector('#pages')?.selectedOptions[0]?.text === 'No page'");
    await tab.click(".begin");
    await tab.waitFor("document.querySelector('#pages').selectedOptions[0]?.text.includes('Halyard')");
    await dashboard.close();
    // A tab that leaves might come back after a reload, so the hub keeps its place for a while.
    await tab.waitFor("document.querySelector('.tabs-live').textContent.includes('No page')");
    await isThere(".empty", "Open the demo, or connect a page");
  });

  test("with no page connected the demo is one click away in the conversation itself, also on a phone", async () => {
    await resize(390);
    await tab.waitFor("document.querySelector('.empty .example')?.offsetParent");
    await tab.click(".empty .example");
    await isThere(".empty", "The assistant can use 11 tools of the connected pages.");
    await tab.activate();
    expect(await tab.evaluate("document.querySelector('.empty .example').offsetParent")).toBeNull();
    await tab.click(".suggestions li:first-child button");
    await tab.press("Enter");
    await isThere(".turns", "Revenue");
  });

  test("with several pages the model chooses, or the user does in the field: the question then has that page's tools", async () => {
    const pages = await servePages({
      "/": `<title>Warehouse</title><script src="${hub.url}/pagewire.js"></script><script>
        pagewire.registerTool({
          name: "list_pallets",
          description: "The pallets that are there.",
          inputSchema: { type: "object", properties: {} },
          annotations: { readOnlyHint: true },
          execute: () => "forty pallets",
        });
      </script>`,
    });
    await runCommand("allow", pages.origin);
    const dashboard = await browser.open(await tab.evaluate<string>("document.querySelector('.home-head a').href"));
    const warehouse = await browser.open(pages.url());
    await isThere(".tabs-live", "list_pallets");
    await isThere(".tabs-live", "get_sales_data");
    await tab.activate();
    await isThere("#pages", "All connected pages (2)");
    await choosePage("Warehouse");
    await isThere(".empty", "The assistant can use one tool of the connected pages.");
    expect(await textOf(".suggestions li:first-child")).toBe("Show me the pallets");
    await tab.click(".suggestions li:first-child button");
    await tab.press("Enter");
    await isThere(".turns", "forty pallets");
    await warehouse.close();
    await isThere("#pages", "A page that is closed");
    await dashboard.close();
    await pages.close();
  });

  test("at 360 px nothing is wider than the page, and what has no room beside is one step away", async () => {
    await ask("Show me a table");
    await resize(360);
    const width = () => tab.evaluate<number>("document.documentElement.scrollWidth");
    expect(await width()).toBe(360);
    await tab.click(".menu");
    await tab.waitFor("document.querySelector('.side').contains(document.activeElement)");
    await tab.press("Escape");
    await tab.waitFor("document.activeElement.classList.contains('menu')");
    const isShown = () => tab.evaluate<boolean>("document.querySelector('.home').offsetParent !== null");
    expect(await isShown()).toBe(false);
    await tab.click(".segments button:last-child");
    expect([await isShown(), await width()]).toEqual([true, 360]);
  });

  test("axe finds nothing, in both themes, in any important state", async () => {
    const dashboard = await browser.open(await tab.evaluate<string>("document.querySelector('.home-head a').href"));
    await isThere(".tabs-live", "sales-dashboard");
    await tab.activate();
    await ask("What were sales in the last 30 days?");
    await isThere(".turns .call.done .fold-hint", "days");
    await tab.click(".conversations .delete");
    expect(await axeFindings(tab)).toEqual([]);
    await dashboard.close();
    await tab.press("Escape");
    await tab.click("[aria-label=Settings]");
    await isThere("dialog[open]", "Sign out");
    expect(await axeFindings(tab)).toEqual([]);
    await tab.press("Escape");
    await resize(360);
    await tab.click(".segments button:last-child");
    expect(await axeFindings(tab)).toEqual([]);
    await resize(1280);
    await tab.click("[aria-label=Settings]");
    await isThere("dialog[open]", "Sign out");
    await signOut();
    await tab.waitFor(isSignedOut);
    expect(await axeFindings(tab)).toEqual([]);
  });
});

describe("the window beside an app", () => {
  test("an app that is not allowed is reported with the command that allows it, and connects after that", async () => {
    const pages = await servePages({
      "/": `<button>Open</button><script>
        document.querySelector("button").onclick = () => {
          const assistant = window.open("${hub.url}/", "assistant");
          const say = (type, payload) => assistant.postMessage({ type, payload }, "${hub.url}");
          setInterval(() => (say("ping", {}), say("tools_list", { tools: [] })), 100);
        };
      </script>`,
    });
    const app = await browser.open(pages.url());
    const assistant = await app.popup(() => app.click("button"));
    await isThere(".notice.danger", pages.origin, assistant);
    expect(await textOf(".notice.danger code", assistant)).toBe(`npx pagewire allow ${pages.origin}`);
    await runCommand("allow", pages.origin);
    await assistant.activate();
    await assistant.click(".notice.danger > .button");
    await isThere(".status", new URL(pages.origin).host, assistant);
    await assistant.waitFor("document.querySelector('.notice.danger') === null");
    expect(await assistant.evaluate("document.title")).toBe(`Assistant · ${new URL(pages.origin).host}`);
    await pages.close();
  });

  test("an address that asks for one approval shows that, and nothing else of the page", async () => {
    const popup = await browser.open(`${hub.url}/#approve`);
    await popup.waitFor("document.querySelector('.loading') === null");
    expect(await popup.evaluate("document.querySelector('.top-bar, .composer, .sign-in')")).toBeNull();
  });
});

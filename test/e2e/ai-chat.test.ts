// `<ai-chat>` by its one script tag, with a hub: first a page that the hub does not know, then the same page as a chat.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";

let hub: HubProcess;
let pages: PageServer;
let browser: Browser;

const teas = `
pagewire.registerTool({ name: "list_teas", description: "All teas.", annotations: { readOnlyHint: true }, execute: () => ["oolong"] });
pagewire.registerTool({ name: "order_tea", title: "Order a tea", description: "Orders.", execute: () => "it is on its way" });
`;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  const page = `<script src="${hub.url}/pagewire.js" data-app="shop"></script><script>${teas}</script>`;
  served["/shop"] =
    `<!doctype html><title>Shop</title>${page}<script src="${hub.url}/ai-chat.js"></script><ai-chat tools="page"></ai-chat>`;
  served["/module"] =
    `<!doctype html><title>Module</title><script type="module" src="${hub.url}/ai-chat.js"></script><ai-chat></ai-chat>`;
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await pages.close();
});

const field = "ai-chat >>> textarea[aria-label=Message]";
const textsOf = (tab: Tab, selector: string) =>
  tab.evaluate((wanted: string) => {
    const found = document.querySelector("ai-chat")?.shadowRoot?.querySelectorAll<HTMLElement>(wanted) ?? [];
    return [...found].filter((one) => one.checkVisibility()).map(({ innerText }) => innerText.trim());
  }, selector);

async function say(tab: Tab, text: string): Promise<void> {
  await tab.waitFor("document.querySelector('ai-chat').agent.loading === false");
  await tab.type(field, text);
  await tab.press("Enter");
}

test("a page with one script tag has a chat that uses the page's tools, asks first, and is there after a reload", async () => {
  const tab = await browser.open(pages.url("/shop"));
  await expect.poll(() => textsOf(tab, ".suggestion")).toEqual(["Show me the teas", "Order a tea"]);
  await tab.click("ai-chat >>> .suggestion");
  await tab.press("Enter");
  await expect.poll(() => textsOf(tab, ".answer .markdown").then((texts) => texts.join())).toContain("oolong");
  await say(tab, "order_tea");
  await expect.poll(() => textsOf(tab, ".question")).toEqual(["May Order a tea run?"]);
  await expect
    .poll(() => textsOf(tab, ".choices > .button[aria-disabled='false']"))
    .toEqual(["Allow once", "Don't allow"]);
  await tab.click("ai-chat >>> .choices .button.strong");
  await expect.poll(() => textsOf(tab, ".call-status").then((texts) => texts.length)).toBe(2);
  await expect.poll(() => textsOf(tab, ".answer .markdown").then((texts) => texts.join())).toContain("on its way");
  await tab.reload();
  await expect.poll(() => textsOf(tab, ".said")).toEqual(["Show me the teas", "order_tea"]);
  await tab.close();
});

test("the hub's conversations that this tab had are listed after a reload, without another tab's, opened and deleted", async () => {
  const tab = await browser.open(pages.url("/module"));
  await say(tab, "Good morning");
  await expect.poll(() => textsOf(tab, ".answer .markdown").then((texts) => texts.length)).toBe(1);
  await tab.click("ai-chat >>> [aria-label='New conversation']");
  await expect.poll(() => textsOf(tab, ".said")).toEqual([]);
  await tab.reload();
  await tab.click("ai-chat >>> [aria-label=Conversations]");
  await expect.poll(() => textsOf(tab, ".conversations .title")).toEqual(["Good morning"]);
  await tab.click("ai-chat >>> .conversations .open");
  await expect.poll(() => textsOf(tab, ".said")).toEqual(["Good morning"]);
  await tab.click("ai-chat >>> [aria-label=Conversations]");
  await tab.click("ai-chat >>> .conversations .delete");
  await tab.click("ai-chat >>> .conversations .yes");
  await expect.poll(() => textsOf(tab, ".said")).toEqual([]);
  await tab.close();
});

test("a hub that goes away is said with the command that starts it, until it is back", async () => {
  const tab = await browser.open(pages.url("/module"));
  await tab.waitFor("document.querySelector('ai-chat').connection === 'open'");
  await hub.kill();
  const text = `No hub answers at 127.0.0.1:${hub.port}. Start it with: npx pagewire`;
  await expect.poll(() => textsOf(tab, ".outcome p")).toEqual([text]);
  await hub.restart();
  await expect.poll(() => textsOf(tab, ".outcome p")).toEqual([]);
  await say(tab, "Hello");
  await expect.poll(() => textsOf(tab, ".answer .markdown").then((texts) => texts.join())).toContain("rehearsal");
  await tab.close();
});

test("a page whose origin the hub does not know says so in the chat's place, with the command that allows it", async () => {
  const origin = pages.originFor("other.localhost");
  const tab = await browser.open(`${origin}/shop`);
  const text = `The hub at 127.0.0.1:${hub.port} does not know this page yet. Allow it with: npx pagewire allow ${origin}`;
  await expect.poll(() => textsOf(tab, "[role=alert]").then((texts) => texts.join())).toContain(text);
  await tab.close();
});

// A site that is allowed by a click on the extension's button, without a permission of the browser's that lasts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import type { Tab } from "./support/tab.ts";

let world: ExtensionWorld;
let site: string;

beforeAll(async () => {
  world = await createExtensionWorld({ limits: { graceTime: 500 } });
  await world.pair();
  // The extension under test has permissions for other hosts only.
  site = world.pages.originFor("localhost");
});

afterEach(() => world.closeTabs());

afterAll(() => world?.close());

/** Opens the site, and clicks the extension's button there. */
async function openSite(): Promise<{ readonly tab: Tab; readonly id: number }> {
  const tab = await world.browser.open(`${site}/`);
  await tab.activate();
  await world.clickButton(tab);
  let id: unknown;
  const find = () => world.inExtension(`chrome.tabs.query({ url: "${site}/" }).then(([found]) => found?.id)`);
  await expect.poll(async () => (id = await find())).toEqual(expect.any(Number));
  return { tab, id: Number(id) };
}

const tools = async () => (await world.tabs()).filter(({ state }) => state === "connected").map((each) => each.tools);
const all = ["buy", "price_of", "wait"];
const lasts = async () => (await world.shownTab(site))?.lasts;
const allow = async (tab: number, lasting: "page" | "tab") =>
  expect(await world.send({ type: "allow", tab, origin: site, lasts: lasting })).toEqual({ ok: true });

test("a site that is allowed for a page offers its tools until the page is left, and can be allowed again", async () => {
  const { tab, id } = await openSite();
  expect(await tools()).toEqual([]);
  await allow(id, "page");
  await expect.poll(tools).toEqual([all]);
  // The worker writes what the popup shows a little later than it lets the page in.
  await expect.poll(lasts).toBe("page");
  await tab.reload();
  await expect.poll(lasts).toBeUndefined();
  await expect.poll(tools).toEqual([]);
  await allow(id, "page");
  await expect.poll(tools).toEqual([all]);
});

test("a site that is allowed in a tab is that after a reload, and after another site once the button is clicked", async () => {
  const { tab, id } = await openSite();
  await allow(id, "tab");
  await expect.poll(tools).toEqual([all]);
  await tab.reload();
  await expect.poll(tools).toEqual([all]);
  await tab.navigate(`${world.pages.originFor("other.test")}/empty`);
  await expect.poll(tools).toEqual([]);
  await tab.navigate(`${site}/`);
  await expect.poll(lasts).toBeUndefined();
  expect(await tools()).toEqual([]);
  await world.clickButton(tab);
  await expect.poll(tools).toEqual([all]);
  await expect.poll(lasts).toBe("tab");
});

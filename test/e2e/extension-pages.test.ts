// The popup, the settings and the window that asks, in the real extension: its policy, its worker, its storage.
import { mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { createExtensionWorld, extensionOrigin } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

/** With a folder in this variable, each state is also written there as a picture. */
const { PAGEWIRE_PICTURES: pictures } = process.env;

let world: ExtensionWorld;

beforeAll(async () => {
  world = await createExtensionWorld();
});

afterAll(() => world?.close());

async function look(tab: Tab, name: string, size: { readonly width: number; readonly height: number }): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  for (const dark of [false, true])
    await tab.screenshot(`${pictures}/${name}-${dark ? "dark" : "light"}.png`, { ...size, dark });
}

const popupSize = { width: 360, height: 600 };
const askSize = { width: 480, height: 640 };

/** Waits for a text on a page of the extension. */
const shows = (tab: Tab, text: string) =>
  tab.waitFor<boolean, [string]>((wanted) => document.body.innerText.includes(wanted), { values: [text] });

/** The popup for the tab of a page, in a tab of its own. */
async function openPopup(origin = world.pages.origin): Promise<Tab> {
  const id = await waitUntil(
    async () => (await world.shownTab(origin))?.id,
    () => `The worker shows no tab of ${origin}.`,
  );
  return world.browser.open(`${extensionOrigin}/popup.html?tab=${id}`, { newWindow: true });
}

/** The window that the extension opens by itself. */
async function askWindow(): Promise<Tab> {
  const find = async (): Promise<Tab | undefined> => {
    for (const tab of await world.browser.tabs()) {
      await tab.attach();
      if ((await tab.evaluate("location.pathname").catch(() => "")) === "/ask.html") return tab;
    }
    return undefined;
  };
  const found = await waitUntil(find, () => "The extension opened no window.");
  if (!found) throw new Error("The extension opened no window.");
  await shows(found, "Allow");
  return found;
}

test("a browser is paired in the popup by the line that the hub gives", async () => {
  const popup = await world.browser.open(`${extensionOrigin}/popup.html`, { newWindow: true });
  await shows(popup, "Pair this browser");
  await look(popup, "popup-pair", popupSize);
  expect(await axeFindings(popup)).toEqual([]);
  await popup.type("form .field input", `${world.hub.url}#${await world.mintCode()}`);
  await popup.press("Enter");
  await shows(popup, new URL(world.hub.url).host);
  await shows(popup, "Pause everything");
  expect(popup.console.errors).toEqual([]);
  expect((await world.shownHub())?.status).not.toBe("unpaired");
  await popup.close();
});

test("the popup has the page's tools and its calls, stops one, and keeps within the button's window", async () => {
  const shop = await world.open();
  const popup = await openPopup();
  await shows(popup, "price_of");
  await shows(popup, "Always allowed");
  await world.call("price_of", { item: "tea" });
  const waiting = world.call("wait", {});
  await shows(popup, "Running");
  await shows(popup, "Done");
  await look(popup, "popup", popupSize);
  expect(await axeFindings(popup)).toEqual([]);
  expect(await popup.evaluate("document.querySelector('#app').scrollWidth")).toBeLessThanOrEqual(380);
  await popup.click('button[aria-label="Stop wait"]');
  expect(await waiting).toMatchObject({ outcome: "tool-error", ran: "yes" });
  await shows(popup, "Stopped");
  expect(await shop.evaluate("shop.state")).toBe("gave up");
  expect(popup.console.errors).toEqual([]);
  await Promise.all([popup.close(), shop.close()]);
});

/** Answers the question with one of its buttons, by its place. */
async function answer(ask: Tab, place: number): Promise<void> {
  await ask.waitFor("document.querySelector('.answers button:not(:disabled)')");
  await closing(ask.click(`.answers button:nth-of-type(${place})`));
}

/** The last input to a window, which may be gone before the browser has reported it. The call's outcome tells whether it counted. */
function closing(input: Promise<void>): Promise<void> {
  return input.catch(() => {});
}

test("a call that changes something shows its arguments, is allowed once, and is asked about again", async () => {
  const shop = await world.open();
  for (let call = 1; call <= 2; call++) {
    const called = world.call("buy", { item: "tea" });
    const ask = await askWindow();
    await shows(ask, '"item": "tea"');
    await look(ask, "ask", askSize);
    expect(await axeFindings(ask)).toEqual([]);
    await answer(ask, 3);
    expect(await called).toMatchObject({ outcome: "ok" });
  }
  expect(await shop.evaluate("shop.sold")).toBe(2);
  await shop.close();
});

test("a call that is allowed in the page is not asked about again there", async () => {
  const shop = await world.open();
  const first = world.call("buy", { item: "tea" });
  await answer(await askWindow(), 2);
  expect([(await first).outcome, (await world.call("buy", { item: "tea" })).outcome]).toEqual(["ok", "ok"]);
  expect(await shop.evaluate("shop.sold")).toBe(2);
  await shop.close();
});

test("Escape refuses a call, and so does the closed window", async () => {
  const shop = await world.open();
  for (const refuse of [(ask: Tab) => closing(ask.press("Escape")), (ask: Tab) => ask.close()]) {
    const called = world.call("buy", { item: "tea" });
    const ask = await askWindow();
    await ask.waitFor("document.querySelector('.answers button:not(:disabled)')");
    await refuse(ask);
    expect(await called).toMatchObject({ outcome: "rejected", ran: "no" });
  }
  expect(await shop.evaluate("shop.sold")).toBe(0);
  await shop.close();
});

test("the settings have the hub, the sites and their switches", async () => {
  const options = await world.browser.open(`${extensionOrigin}/options.html`, { newWindow: true });
  await shows(options, "Always allowed");
  await look(options, "options", { width: 1280, height: 800 });
  expect(await axeFindings(options)).toEqual([]);
  await options.click(".sites > li:last-child .segments button:nth-child(2)");
  await shows(options, "Agents get only tools that change nothing.");
  expect(options.console.errors).toEqual([]);
  await options.close();
});

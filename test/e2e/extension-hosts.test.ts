// The page's own Pagewire script tells the browser's extension which hub has the page's tools, so that each of them is offered once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import { freePort } from "../support/free-port.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";

const served: Record<string, Page> = {};
let browser: Browser;
let pages: PageServer;
let hub: HubProcess;
let other: HubProcess;
let noHub: string;

/** Asks as the extension does, and counts the news that come unasked. */
const extension = `<script>
globalThis.news = 0;
document.addEventListener("pagewire-host-changed", () => news++);
globalThis.hosts = () => {
  const answers = [];
  const hear = ({ detail }) => answers.push(JSON.parse(detail));
  document.addEventListener("pagewire-host", hear);
  document.dispatchEvent(new Event("pagewire-host?"));
  document.removeEventListener("pagewire-host", hear);
  return answers;
};</script>`;

beforeAll(async () => {
  pages = await servePages(served);
  const allowing = { args: ["--allow-origin", pages.origin] };
  [hub, other] = await Promise.all([startHub(allowing), startHub(allowing)]);
  noHub = `http://127.0.0.1:${await freePort()}`;
  served["/sdk.js"] = await bundleModule(
    `import { connectPage } from "pagewire/page"; globalThis.connectPage = connectPage;`,
  );
  served["/import"] = `<!doctype html>${extension}<script type="module" src="/sdk.js"></script>`;
  served["/tag"] = `<!doctype html>${extension}<script src="${hub.url}/pagewire.js" data-app="shop"></script>`;
  browser = await openChromium();
});
afterAll(async () => {
  await Promise.all([browser?.close(), pages?.close(), hub?.close(), other?.close()]);
});

const hosts = (tab: Tab) => tab.evaluate("hosts()");
const says = (url: string) => ({ hub: url, status: "connected" });

test("the script tag's page answers once it is connected, and no more when it is closed", async () => {
  const tab = await browser.open(pages.url("/tag"));
  await expect.poll(() => hosts(tab)).toEqual([says(hub.url)]);
  const before = await tab.evaluate<number>("news");
  expect(before).toBeGreaterThan(0);
  await tab.evaluate("pagewire.close()");
  expect(await hosts(tab)).toEqual([]);
  expect(await tab.evaluate<number>("news")).toBeGreaterThan(before);
  await tab.close();
});

test("each connected page of a document answers for its own hub, and one whose hub is away does not", async () => {
  const tab = await browser.open(pages.url("/import"));
  await tab.waitFor("globalThis.connectPage");
  expect(await hosts(tab)).toEqual([]);
  const connect = (url: string) => tab.evaluate<void>(`void connectPage({ app: "shop", hub: "${url}" })`);
  for (const url of [hub.url, other.url, noHub]) await connect(url);
  const sorted = async () => ((await hosts(tab)) as { hub: string }[]).map((each) => each.hub).toSorted();
  await expect.poll(sorted).toEqual([hub.url, other.url].toSorted());
  await tab.close();
});

test("a page whose person signs out says so and answers no more, and one whose hub is back answers again", async () => {
  const tab = await browser.open(pages.url("/tag"));
  await expect.poll(() => hosts(tab)).toEqual([says(hub.url)]);
  const before = await tab.evaluate<number>("news");
  await tab.evaluate("pagewire.setToken(null)");
  expect(await tab.evaluate<number>("news")).toBeGreaterThan(before);
  expect([await hosts(tab), await tab.evaluate("pagewire.state.status")]).toEqual([[], "signed-out"]);
  await tab.reload();
  await expect.poll(() => hosts(tab)).toEqual([says(hub.url)]);
  await hub.restart();
  await expect.poll(() => hosts(tab)).toEqual([says(hub.url)]);
  await tab.close();
});

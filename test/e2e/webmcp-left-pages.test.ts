// Pages with tools whose user navigates to another page, of the same site and of another, in a browser with its own
// model context that keeps the page in its back/forward cache. Chromium 156 crashes as a whole when such a page asks for
// its tools during the navigation: then every later test fails, too.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createBrowserWorld } from "./browser-world.test-helper.ts";
import type { BrowserWorld, Origins } from "./browser-world.test-helper.ts";
import type { Page } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, connected, listTabs, tabIdOf, worldToken } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

/** Registers a tool through the browser's own interface. */
const stock = (name: string, execute = `() => "${name} ran"`, options = "{}") =>
  `document.modelContext.registerTool({ name: "${name}", description: "${name}", execute: ${execute} }, ${options});`;

const untilLeft = `() => new Promise((_, reject) => {
  globalThis.isRunning = true;
  addEventListener("pagehide", () => reject(new Error("left")), { once: true });
})`;

function pagesOf(hub: string, { stranger }: Origins): Record<string, Page> {
  const tag = (app: string, attributes = "") =>
    `<script src="${hub}/pagewire.js" data-app="${app}" ${attributes}></script>`;
  const page = (script: string, more = tag("shop")) =>
    `<!doctype html><script>
addEventListener("pageshow", ({ persisted }) => { globalThis.isRestored = persisted; });
const removal = new AbortController();
${script}</script>${more}`;
  const own = `<script>pagewire.registerTool({ name: "kept", execute: () => "kept ran" });</script>`;
  const atHidden = (act: string) =>
    `document.addEventListener("visibilitychange", () => { if (document.hidden) ${act} });`;
  return {
    "/stock": page(stock("kept")),
    "/own": page("", tag("shop", "data-native") + own),
    "/both": page(stock("stock"), tag("shop", "data-native") + own),
    "/taken-away": page(
      stock("kept") + stock("going", "() => ''", "{ signal: removal.signal }") + atHidden("removal.abort();"),
    ),
    "/registered": page(stock("kept") + atHidden(stock("late"))),
    "/own-registered": page(
      stock("kept") + atHidden(`pagewire.registerTool({ name: "late", execute: () => "late ran" });`),
      tag("shop", "data-native"),
    ),
    "/two-pages": page(
      stock("kept"),
      `${tag("first")}<script>addEventListener("pagehide", ({ currentTarget }) => currentTarget.first.close(), true); var first = pagewire;</script>${tag("shop")}`,
    ),
    "/in-flight": page(stock("kept") + stock("slow", untilLeft)),
    "/around": page(
      stock("kept"),
      `<iframe src="/stock"></iframe><iframe allow="tools" src="${stranger}/exposed"></iframe>${tag("around", `data-from-origins="${stranger}"`)}`,
    ),
    "/exposed": page(""),
    "/elsewhere": "<title>Elsewhere</title>",
  };
}

let world: BrowserWorld;
let call: CallByHttp;

beforeAll(async () => {
  world = await createBrowserWorld({ isNative: true, limits: { graceTime: 1000 }, pagesOf });
  call = callerOf(world.hub.url, worldToken);
});

afterEach(async () => {
  await world.closeTabs();
  await waitUntil(
    async () => (await listed()).length === 0,
    () => "A tab that was closed is connected.",
  );
});

afterAll(() => world?.close());

/** The connected tab's tools at the hub. */
async function listed(): Promise<readonly string[]> {
  return (await listTabs(call)).filter(({ state }) => state === "connected").flatMap(({ tools }) => tools);
}

async function openListed(path: string, expected: readonly string[]): Promise<Tab> {
  const tab = await world.open(path);
  await expect.poll(listed).toEqual(expect.arrayContaining([...expected]));
  return tab;
}

async function comeBack(tab: Tab): Promise<void> {
  await tab.back();
  await connected(tab);
  expect(await tab.evaluate("isRestored")).toBe(true);
}

const leftPages = [
  { page: "whose script registered a tool", path: "/stock", before: ["kept"], after: ["kept"] },
  { page: "that gives its tools to the browser", path: "/own", before: ["kept"], after: ["kept"] },
  { page: "with tools of both kinds", path: "/both", before: ["kept", "stock"], after: ["kept", "stock"] },
  { page: "that takes a tool away as it is left", path: "/taken-away", before: ["going", "kept"], after: ["kept"] },
  { page: "that registers a tool as it is left", path: "/registered", before: ["kept"], after: ["kept", "late"] },
  { page: "that offers a tool as it is left", path: "/own-registered", before: ["kept"], after: ["kept", "late"] },
  { page: "whose first toolbox closes as it is left", path: "/two-pages", before: ["kept"], after: ["kept"] },
  { page: "with frames that have tools", path: "/around", before: ["kept"], after: ["kept"] },
];

describe.each(["app", "stranger"] as const)("left for a page of the %s", (next) => {
  async function leave(tab: Tab): Promise<void> {
    await tab.navigate(`${world.origins[next]}/elsewhere`);
    expect(await tab.evaluate("document.title")).toBe("Elsewhere");
  }

  test.each(leftPages)("a page $page has its tools when it is back", async ({ path, before, after }) => {
    const tab = await openListed(path, before);
    await leave(tab);
    await comeBack(tab);
    await expect.poll(async () => [...new Set(await listed())].toSorted()).toEqual(after);
    await expect
      .poll(async () => call("kept", {}, { tab: await tabIdOf(tab) }))
      .toMatchObject({ outcome: "ok", result: { content: [{ text: "kept ran" }] } });
  });

  test("a call whose tool fails as its page is left has one honest outcome", async () => {
    const tab = await openListed("/in-flight", ["slow"]);
    const to = { tab: await tabIdOf(tab) };
    const calling = call("slow", {}, to);
    await tab.waitFor("globalThis.isRunning");
    await leave(tab);
    expect(await calling).toMatchObject({ outcome: "page-suspended", ran: "maybe" });
    await comeBack(tab);
    await expect.poll(listed).toContain("slow");
    expect(await call("kept", {}, to)).toMatchObject({ outcome: "ok" });
  });
});

test("a tool that is registered while its tab is in the background is listed and called there", async () => {
  const tab = await openListed("/stock", ["kept"]);
  await tab.hide();
  await tab.evaluate(stock("late"));
  await expect.poll(listed).toContain("late");
  expect(await tab.evaluate("document.hidden")).toBe(true);
  expect(await call("late", {})).toMatchObject({ outcome: "ok", result: { content: [{ text: "late ran" }] } });
});

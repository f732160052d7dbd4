import { expect, test, vi } from "vitest";
import { makeCalls } from "../toolbox/index.ts";
import { PagewireError, linkCloseReason } from "../wire/index.ts";
import type { Offer, OfferChange } from "../wire/index.ts";
import type { SessionPart } from "./connection/create-session.ts";
import { createSession } from "./connection/create-session.ts";
import { createFakeBrowser } from "./test-support/fake-browser.test-helper.ts";
import { call, connectedPage, deferred, endings, openPage } from "./test-support/page-under-test.test-helper.ts";
import type { PageUnderTest } from "./test-support/page-under-test.test-helper.ts";
import type { PageOptions } from "./api/page-options.ts";

const cut = { code: 1006, reason: "cut off" };
const work = { name: "work", execute: () => "done" };

test("P1: a page is the same tab after a reload", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const before = await connectedPage({}, { browser, storage });
  before.document.die();
  const after = await connectedPage({}, { browser, storage });
  expect(after.hub.heard("hello")[0]?.tab).toBe(before.hub.heard("hello")[0]?.tab);
});

test("P2: a page with a copy of another tab's storage is a tab of its own", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const original = await connectedPage({}, { browser, storage });
  const duplicate = await connectedPage({}, { browser, storage: new Map(storage) });
  expect(duplicate.hub.heard("hello")[0]?.tab).not.toBe(original.hub.heard("hello")[0]?.tab);
});

test("P3: a page that comes back from the back/forward cache is the tab that it was, and let go of it meanwhile", async () => {
  const page = await connectedPage();
  const { tab = "" } = page.hub.heard("hello")[0] ?? {};
  expect(page.browser.isHeld(tab)).toBe(true);
  await page.document.happen((listener) => listener.suspended("back-forward-cache"));
  expect(page.browser.isHeld(tab)).toBe(false);
  await page.hub.close();
  await page.document.happen((listener) => listener.resumed());
  expect(page.browser.isHeld(tab)).toBe(true);
  expect(page.browser.hub.end.heard("hello")[0]?.tab).toBe(tab);
});

test("P15: close takes the tools away at once, lets go of the tab, and nothing comes after it", async () => {
  const page = await connectedPage({ tools: [work] });
  const { tab = "" } = page.hub.heard("hello")[0] ?? {};
  page.page.close();
  page.page.close();
  await page.browser.clock.advance(0);
  expect(page.page.toolbox.offer().tools).toEqual([]);
  expect([page.hub.types.at(-1), page.hub.closing]).toEqual(["bye", linkCloseReason("normal")]);
  expect([page.browser.isHeld(tab), page.document.listeners]).toEqual([false, 0]);
  expect(page.page.state).toEqual({ status: "closed", message: "This page offers no tools any more." });
});

test("P15: a page that is closed while its session starts keeps nobody from the tab", async () => {
  const browser = createFakeBrowser();
  const page = openPage({}, { browser });
  page.page.close();
  await browser.clock.advance(60_000);
  const late = openPage({}, { browser });
  await Promise.resolve();
  await vi.waitUntil(() => late.loaded.includes("session"));
  late.page.close();
  await browser.clock.advance(60_000);
  expect([page, late].map(({ document }) => document.listeners)).toEqual([0, 0]);
  expect(["new-tab-1", "new-tab-2"].map(browser.isHeld)).toEqual([false, false]);
  expect(browser.hub.ends.flatMap(({ types }) => types)).toEqual([]);
  expect(late.states.map(({ status }) => status)).toEqual(["closed"]);
});

test("P15: a page that is opened again right after it was closed is the same tab", async () => {
  const browser = createFakeBrowser();
  const storage = new Map<string, string>();
  const first = await connectedPage({}, { browser, storage });
  first.page.close();
  const second = await connectedPage({}, { browser, storage });
  expect(second.hub.heard("hello")[0]?.tab).toBe(first.hub.heard("hello")[0]?.tab);
});

test("options of the wrong form are refused by name, before anything happens", () => {
  const wrong: [string, Partial<Record<keyof PageOptions, unknown>>][] = [
    ['"app"', { app: undefined }],
    ['"app"', { app: "" }],
    ['"app"', { app: "  " }],
    ['"app"', { app: "x".repeat(129) }],
    ['"app"', { app: 7 }],
    ['"hub"', { hub: "" }],
    ['"hub"', { hub: "127.0.0.1:7337" }],
    ['"hub"', { hub: "ws://127.0.0.1:7337" }],
    ['"hub"', { hub: "https://hub.example/with/a/path" }],
    ['"hub"', { hub: "https://hub.example?query" }],
    ['"hub"', { hub: "https://user:secret@hub.example" }],
    ['"hub"', { hub: "https://hub example" }],
    ['"callTime"', { limits: { callTime: 5 } }],
    ['"jsonDepth"', { limits: { jsonDepth: "64" } }],
    ["list_browser_tabs", { tools: [{ ...work, name: "list_browser_tabs" }] }],
  ];
  for (const [name, options] of wrong) {
    const browser = createFakeBrowser();
    expect(() => openPage(options as Partial<PageOptions>, { browser })).toThrow(name);
    expect(browser.hub.ends).toEqual([]);
  }
  expect(() => openPage({ app: "" })).toThrow(PagewireError);
});

test("an address may end with a slash", async () => {
  const page = openPage({ hub: "http://localhost:7337/" });
  await page.browser.clock.advance(0);
  expect(page.browser.hub.end.url).toBe("ws://localhost:7337/page");
});

test("P30: a page that is frozen says so, and is connected again as soon as it runs", async () => {
  const page = await connectedPage({ tools: [work] });
  const connected = page.page.state;
  await page.document.happen((listener) => listener.suspended("frozen"));
  expect(page.hub.heard("suspended")).toMatchObject([{ reason: "frozen" }]);
  expect(page.page.state).toEqual({ status: "suspended", message: "The browser has suspended this page." });
  await page.document.happen((listener) => listener.resumed());
  expect([page.hub.types.at(-1), page.page.state]).toEqual(["resumed", connected]);
  await call(page, page.hub);
  expect(endings(page.hub)).toHaveLength(1);
});

test("P30: a page that enters the back/forward cache says so once, though it is frozen there too", async () => {
  const page = await connectedPage();
  await page.document.happen((listener) => listener.suspended("back-forward-cache"));
  await page.document.happen((listener) => listener.suspended("frozen"));
  expect(page.hub.heard("suspended")).toMatchObject([{ reason: "back-forward-cache" }]);
  await page.document.happen((listener) => listener.resumed());
  await page.document.happen((listener) => listener.resumed());
  expect(page.hub.heard("resumed")).toHaveLength(1);
});

test("P30: a page whose link ended while it was suspended connects at once when it is back, and says how it stands", async () => {
  const page = await connectedPage();
  await page.document.happen((listener) => listener.suspended("back-forward-cache"));
  await page.hub.close(cut);
  expect(page.page.state.status).toBe("suspended");
  await page.document.happen((listener) => listener.resumed());
  expect(page.page.state.status).toBe("reconnecting");
  await page.browser.hub.welcome();
  expect([page.browser.hub.ends.length, page.page.state.status]).toEqual([2, "connected"]);
});

test("P30: waking up without having slept changes nothing", async () => {
  const page = await connectedPage();
  const { types } = page.hub;
  await page.document.happen((listener) => listener.resumed());
  await page.document.wake();
  expect([page.hub.types, page.states.length]).toEqual([types, 1]);
});

test("P31: a page that is left says goodbye and lets go of its tab", async () => {
  const page = await connectedPage();
  const { tab = "" } = page.hub.heard("hello")[0] ?? {};
  await page.document.happen((listener) => listener.gone(false));
  expect([page.hub.types.at(-1), page.browser.isHeld(tab)]).toEqual(["bye", false]);
});

test("P72: a page that is left for good says so with its goodbye", async () => {
  const page = await connectedPage();
  await page.document.happen((listener) => listener.gone(true));
  expect(page.hub.heard("bye")).toMatchObject([{ final: true }]);
});

test("P72: a page that is left for good says so as it enters the back/forward cache", async () => {
  const page = await connectedPage();
  await page.document.happen((listener) => listener.suspended("back-forward-cache", true));
  expect(page.hub.heard("suspended")).toMatchObject([{ reason: "back-forward-cache", final: true }]);
});

test("P32: title, address and focus are told when they change, and only then", async () => {
  const page = await connectedPage();
  const change = (tab: object) => {
    page.document.tab = { ...page.document.tab, ...tab };
    return page.document.happen((listener) => listener.changed());
  };
  await change({});
  await change({ title: "Cart" });
  await change({});
  await change({ url: "https://shop.example/cart", focused: true });
  await change({ focused: false });
  expect(page.hub.heard("tab")).toMatchObject([
    { title: "Cart", focused: false },
    { title: "Cart", url: "https://shop.example/cart", focused: true },
    { title: "Cart", url: "https://shop.example/cart", focused: false },
  ]);
});

test("P32: what changes between the hello and the welcome, or while there is no link, is told after the welcome", async () => {
  const page = openPage();
  const change = async (title: string) => {
    page.document.tab = { ...page.document.tab, title };
    await page.document.happen((listener) => listener.changed());
  };
  await page.browser.clock.advance(0);
  await change("Late");
  await page.browser.hub.welcome();
  expect(page.browser.hub.end.types).toEqual(["hello", "offer", "tab"]);
  expect(page.browser.hub.end.heard("tab")).toMatchObject([{ title: "Late" }]);
  await page.browser.hub.end.close(cut);
  await change("Later");
  await page.browser.clock.advance(500);
  await page.browser.hub.welcome();
  expect(page.browser.hub.end.types).toEqual(["hello", "offer"]);
  expect(page.browser.hub.end.heard("hello")).toMatchObject([{ title: "Later" }]);
});

test("P40: tools can be registered before there is a hub, and are all in the offer", async () => {
  const page = openPage({ tools: [work] });
  page.page.registerTool({ name: "early", execute: () => "done" }).remove();
  page.page.registerTool({ name: "kept", execute: () => "done" });
  await page.browser.clock.advance(0);
  await page.browser.hub.welcome();
  const { tools } = JSON.parse(page.browser.hub.end.heard("offer")[0]?.payload ?? "") as Offer;
  expect(tools.map(({ name }) => name)).toEqual(["work", "kept"]);
});

test("what is registered and removed while the page is connected is told as a change, never before the offer", async () => {
  const page = openPage();
  await page.browser.clock.advance(0);
  page.page.onState(({ status }) => {
    if (status === "connected") page.page.registerTool({ name: "prompt", execute: () => "done" });
  });
  await page.browser.hub.welcome();
  const { end } = page.browser.hub;
  expect(end.types).toEqual(["hello", "offer", "offer-change"]);
  const work2 = page.page.registerTool(work);
  await page.browser.clock.advance(0);
  work2.remove();
  await page.browser.clock.advance(0);
  const changes = end.heard("offer-change").map(({ payload }) => JSON.parse(payload) as OfferChange);
  expect(changes.map(({ add, remove }) => [add.tools?.map(({ name }) => name), remove.tools])).toEqual([
    [["prompt"], undefined],
    [["work"], undefined],
    [undefined, ["work"]],
  ]);
});

test("the validator is loaded with the first call of a tool that needs it, the dialog with the first question", async () => {
  const strict = {
    name: "strict",
    inputSchema: { type: "object", properties: { days: { type: "number" } } },
    execute: () => "done",
  } as const;
  const page = await connectedPage({ tools: [work, strict] });
  await call(page, page.hub);
  expect(page.loaded).not.toContain("validator");
  await call(page, page.hub, { id: "c2", name: "strict", input: { days: "7" } });
  expect(page.loaded).toContain("validator");
  expect(page.loaded).not.toContain("dialog");
});

test("a page without a hub loads nothing that serves one, and leaves no trace in its browser", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  const storage = new Map<string, string>();
  const page = openPage({ tools: [work] }, { browser, storage });
  await browser.clock.advance(600_000);
  expect(page.loaded).not.toContain("session");
  expect([storage.size, page.document.listeners]).toEqual([0, 2]);
});

test("what serves a hub is loaded once there is one, also when its first link ends meanwhile", async () => {
  const browser = createFakeBrowser();
  const part = deferred<SessionPart>();
  const loads: number[] = [];
  const page = openPage(
    {},
    {
      browser,
      chunks: {
        session() {
          loads.push(browser.clock.now());
          return part.promise;
        },
      },
    },
  );
  await browser.clock.advance(0);
  await browser.hub.end.close(cut);
  await browser.clock.advance(250);
  part.resolve({
    makeCalls,
    startSession: (options) => createSession(options, page.document.tabEnvironment),
  });
  await browser.clock.advance(0);
  expect([loads, browser.hub.ends.map(({ types }) => types)]).toEqual([[0], [[], ["hello"]]]);
});

test("a part that cannot be loaded is told by name, and loaded with the next attempt", async () => {
  let isThere = false;
  const page: PageUnderTest = openPage(
    {},
    {
      chunks: {
        session: async () => {
          if (!isThere) throw new Error("Failed to fetch");
          return { makeCalls, startSession: (options) => createSession(options, page.document.tabEnvironment) };
        },
      },
    },
  );
  await page.browser.clock.advance(0);
  expect(page.page.state).toMatchObject({
    status: "refused",
    code: "part-missing",
    message: "The page could not say hello: Failed to fetch",
  });
  isThere = true;
  await page.browser.clock.advance(250);
  await page.browser.hub.welcome();
  expect(page.page.state.status).toBe("connected");
});

test("a page says at which address its hub is, before one has answered", () => {
  expect(openPage().page.hub).toBe("http://127.0.0.1:7337");
  expect(openPage({ hub: "https://hub.example/" }).page.hub).toBe("https://hub.example");
});

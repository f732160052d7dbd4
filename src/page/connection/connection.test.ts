import { expect, test } from "vitest";
import { makeCalls } from "../../toolbox/index.ts";
import { PagewireError, linkCloseReason } from "../../wire/index.ts";
import type { FrameToPage } from "../../wire/index.ts";
import type { SessionPart } from "./create-session.ts";
import { createSession } from "./create-session.ts";
import { createFakeBrowser, startDate } from "../test-support/fake-browser.test-helper.ts";
import { call, connectedPage, deferred, openPage } from "../test-support/page-under-test.test-helper.ts";
import type { PageUnderTest } from "../test-support/page-under-test.test-helper.ts";

const work = { name: "work", execute: () => "done" };
const cut = { code: 1006, reason: "cut off" };

test("P10: the state goes from connecting to connected, each with a sentence to show", async () => {
  const page = openPage();
  expect(page.page.state).toEqual({
    status: "connecting",
    message: "Connecting to the hub at http://127.0.0.1:7337.",
  });
  await page.browser.clock.advance(0);
  await page.browser.hub.welcome("t1");
  expect(page.states).toEqual([
    {
      status: "connected",
      message: "Connected to the hub at http://127.0.0.1:7337.",
      tabId: "t1",
      via: { kind: "socket" },
    },
  ]);
  expect(page.page.state).toBe(page.states.at(-1));
});

test("P10: the hello says who the page is, and the offer follows the welcome before anything else", async () => {
  const page = openPage({ hub: "https://hub.example/", tools: [{ name: "work", execute: () => "done" }] });
  await page.browser.clock.advance(0);
  const { end } = page.browser.hub;
  expect(end.url).toBe("wss://hub.example/page");
  expect(end.heard("hello")).toEqual([
    {
      type: "hello",
      versions: [1],
      tab: "new-tab-1",
      app: "shop",
      title: "Shop",
      url: "https://shop.example/",
      focused: false,
      running: [],
      epochs: ["new-tab-2"],
      batches: true,
      approves: true,
      payload: "",
    },
  ]);
  page.page.registerTool({ name: "second", execute: () => "done" });
  await page.browser.hub.welcome();
  expect(end.types).toEqual(["hello", "offer"]);
  const offer = JSON.parse(end.heard("offer")[0]?.payload ?? "") as { readonly tools: readonly { name: string }[] };
  expect(offer.tools.map(({ name }) => name)).toEqual(["work", "second"]);
});

test("P10: while no hub answers, the state says when it is tried again, and the page comes in when one does", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  const page = openPage({}, { browser });
  await browser.clock.advance(0);
  await browser.clock.advance(250);
  expect(page.states).toEqual([
    {
      status: "reconnecting",
      message: "No hub answers at http://127.0.0.1:7337. Trying again in 1 s.",
      retryAt: startDate + 250,
    },
    {
      status: "reconnecting",
      message: "No hub answers at http://127.0.0.1:7337. Trying again in 1 s.",
      retryAt: startDate + 750,
    },
  ]);
  expect(page.loaded).toEqual(["unreachable", "unreachable"]);
  browser.hub.isDown = false;
  await browser.clock.advance(500);
  await browser.hub.welcome();
  expect(page.page.state.status).toBe("connected");
});

test("P10: a connection that is lost says so, and is made again", async () => {
  const page = await connectedPage();
  await page.hub.close(cut);
  expect(page.page.state).toMatchObject({
    status: "reconnecting",
    message: "The connection to the hub was lost. Trying again in 1 s.",
  });
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  expect([page.page.state.status, again.types]).toEqual(["connected", ["hello", "offer"]]);
});

test("P11: a page that is refused says why and which command helps, and comes in by itself once it may", async () => {
  const page = openPage();
  await page.browser.clock.advance(0);
  const refused = {
    code: "origin-not-allowed",
    message: "This origin may not offer tools yet.",
    command: "pagewire allow https://shop.example",
  };
  await page.browser.hub.end.say({ type: "refused", ...refused });
  await page.browser.hub.end.close({ code: 4010, reason: "origin-not-allowed" });
  expect(page.page.state).toEqual({ status: "refused", ...refused, retryAt: startDate + 250 });
  await page.browser.clock.advance(250);
  await page.browser.hub.welcome();
  expect(page.page.state.status).toBe("connected");
});

test("P11: a hub that refuses before it heard the page's hello is understood, also by a page without its parts", async () => {
  const page = openPage({}, { chunks: { session: () => new Promise(() => {}) } });
  await page.browser.clock.advance(0);
  const { end } = page.browser.hub;
  await end.say({ type: "refused", code: "origin-not-allowed", message: "Not yet." });
  await end.close({ code: 4010, reason: "origin-not-allowed" });
  expect(page.page.state).toMatchObject({ status: "refused", code: "origin-not-allowed" });
});

test("P18: frames that a hub sends before it knows the page are passed over, but for those that need no hello", async () => {
  const part = deferred<SessionPart>();
  const page: PageUnderTest = openPage({ tools: [work] }, { chunks: { session: () => part.promise } });
  await page.browser.clock.advance(0);
  const { end } = page.browser.hub;
  await page.browser.hub.welcome();
  await call(page, end);
  await end.say({ type: "cancel", id: 7 } as unknown as FrameToPage);
  await end.say({ type: "heartbeat" });
  expect([page.page.state.status, page.errors, end.types]).toEqual(["connecting", [], ["heartbeat"]]);
  part.resolve({ makeCalls, startSession: (given) => createSession(given, page.document.tabEnvironment) });
  await page.browser.clock.advance(0);
  await page.browser.hub.welcome();
  expect([page.page.state.status, end.types, page.events]).toEqual(["connected", ["heartbeat", "hello", "offer"], []]);
});

test("P11: what a page that is refused could not load is not reported: the refusal says more", async () => {
  const browser = createFakeBrowser();
  const failing: ((why: Error) => void)[] = [];
  const session = () => new Promise<never>((_, reject) => failing.push(reject));
  const page = openPage({}, { browser, chunks: { session } });
  for (let attempt = 0; attempt < 2; attempt++) {
    await browser.clock.advance(30_000);
    await browser.hub.end.say({ type: "refused", code: "origin-not-allowed", message: "Not yet." });
    failing.at(-1)?.(new Error("Failed to fetch"));
    await browser.clock.advance(0);
    await browser.hub.end.close({ code: 4010, reason: "origin-not-allowed" });
  }
  expect([failing.length, page.errors]).toEqual([2, []]);
  expect(page.page.state).toMatchObject({ status: "refused", code: "origin-not-allowed", message: "Not yet." });
});

test("P19: why there was no token is reported, also after the hub refused the page for being late", async () => {
  let fail: (why: Error) => void = () => {};
  const page = openPage({ token: () => new Promise<string>((_, reject) => (fail = reject)) });
  await page.browser.clock.advance(0);
  await page.browser.hub.end.say({ type: "refused", code: "hello-late", message: "Too late." });
  fail(new Error("The app's server is busy."));
  await page.browser.clock.advance(0);
  expect(page.errors).toMatchObject([{ error: { message: "The app's server is busy." }, stage: "hello" }]);
});

test("P11: a hub that goes after it refused the page is a hub that does not answer", async () => {
  const page = openPage();
  await page.browser.clock.advance(0);
  await page.browser.hub.end.say({ type: "refused", code: "token-required", message: "Bring a token." });
  page.browser.hub.isDown = true;
  await page.browser.hub.end.close({ code: 4011, reason: "token-required" });
  await page.browser.clock.advance(250);
  expect(page.page.state).toMatchObject({ status: "reconnecting", message: expect.stringContaining("No hub answers") });
});

test("P11: a link that is cut after one that was refused is lost, not refused", async () => {
  const page = openPage();
  await page.browser.clock.advance(0);
  await page.browser.hub.end.say({ type: "refused", code: "token-required", message: "Bring a token." });
  await page.browser.hub.end.close({ code: 4011, reason: "token-required" });
  await page.browser.clock.advance(250);
  await (await page.browser.hub.welcome()).close(cut);
  expect(page.page.state).toMatchObject({ status: "reconnecting", message: expect.stringContaining("was lost") });
});

test("a page that the browser keeps from the hub says so instead of blaming the hub, until it is let through", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  const denied = { code: "local-network-denied", message: "Allow it in the settings." };
  let found: typeof denied | undefined = denied;
  const page = openPage({}, { browser, whyUnreachable: async () => found });
  await browser.clock.advance(0);
  expect(page.page.state).toEqual({ status: "refused", ...denied, retryAt: startDate + 250 });
  await browser.clock.advance(250);
  expect(page.states.slice(-1)).toEqual([{ status: "refused", ...denied, retryAt: startDate + 750 }]);
  found = undefined;
  await browser.clock.advance(500);
  expect(page.page.state.status).toBe("reconnecting");
});

test("a page that had a hub looks no further when that is gone", async () => {
  const page = await connectedPage();
  page.browser.hub.isDown = true;
  await page.hub.close(cut);
  await page.browser.clock.advance(500);
  expect(page.page.state).toMatchObject({ status: "reconnecting", message: expect.stringContaining("No hub answers") });
  expect(page.loaded).toEqual(["session"]);
});

test("a reason that is found too late, or not at all, changes nothing", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  let tellReason: (reason: { code: string; message: string }) => void = () => {};
  const page = openPage({}, { browser, whyUnreachable: () => new Promise((resolve) => (tellReason = resolve)) });
  await browser.clock.advance(0);
  browser.hub.isDown = false;
  await browser.clock.advance(250);
  await browser.hub.welcome();
  tellReason({ code: "local-network-denied", message: "Too late." });
  await browser.clock.advance(0);
  expect(page.page.state.status).toBe("connected");

  const silent = createFakeBrowser();
  silent.hub.isDown = true;
  const other = openPage({}, { browser: silent, whyUnreachable: () => Promise.reject(new Error("not found")) });
  await silent.clock.advance(0);
  expect(other.page.state.status).toBe("reconnecting");
});

test("P13: waits are random parts of a time that grows, and end at once on reconnect, focus and network", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  const page = openPage({}, { browser });
  await browser.clock.advance(0);
  await browser.clock.advance(250 + 500 + 1000);
  const waits = () => page.states.filter(({ status }) => status === "reconnecting").length;
  expect(waits()).toBe(4);
  page.page.reconnect();
  await browser.clock.advance(0);
  await page.document.wake();
  expect(waits()).toBe(6);
  browser.hub.isDown = false;
  await page.document.wake();
  await browser.hub.welcome();
  page.page.reconnect();
  await browser.clock.advance(0);
  expect([browser.hub.ends.length, page.page.state.status]).toEqual([1, "connected"]);
});

test("P13: a title that changes ends no wait", async () => {
  const browser = createFakeBrowser();
  browser.hub.isDown = true;
  const page = openPage({}, { browser });
  await browser.clock.advance(0);
  for (const title of ["1", "2", "3"]) {
    page.document.tab = { ...page.document.tab, title, focused: true };
    await page.document.happen((listener) => listener.changed());
  }
  expect(page.states).toHaveLength(1);
});

test("P13: after a goaway the link stays until the hub closes it, and the next attempt keeps to the hub's window", async () => {
  const page = await connectedPage();
  await page.hub.say({ type: "goaway", within: 8000 });
  await page.browser.clock.advance(1000);
  expect([page.hub.closing, page.page.state.status]).toEqual([undefined, "connected"]);
  await page.hub.close({ code: 1001, reason: "going-away" });
  expect(page.page.state).toMatchObject({ status: "reconnecting", retryAt: startDate + 1000 + 4000 });
});

test("P13: a page that loses its hub keeps to the window that the hub told last, with its welcome or a heartbeat", async () => {
  for (const more of [[], [{ type: "heartbeat", within: 12_000 }]] as const) {
    const browser = createFakeBrowser();
    const page = openPage({}, { browser });
    await browser.clock.advance(0);
    const hub = await browser.hub.welcome("t1", 8000);
    for (const frame of more) await hub.say(frame);
    await hub.close(cut);
    const window = more.at(0)?.within ?? 8000;
    expect(page.page.state).toMatchObject({ status: "reconnecting", retryAt: startDate + window / 2 });
    // It applies to one attempt: if there is no hub, the page retries sooner.
    browser.hub.isDown = true;
    await browser.clock.advance(window / 2);
    expect(page.page.state).toMatchObject({ status: "reconnecting", retryAt: startDate + window / 2 + 500 });
  }
});

test("P13: a hub that welcomes the page and is lost at once, again and again, is tried ever more seldom", async () => {
  const browser = createFakeBrowser();
  const page = openPage({}, { browser });
  const waits: number[] = [];
  for (let time = 0; time < 4; time++) {
    await browser.clock.advance(0);
    const hub = await browser.hub.welcome("t1", 500);
    const lostAt = browser.clock.now();
    await hub.close(cut);
    const { state } = page.page;
    if (state.status !== "reconnecting") throw new Error(`The page is ${state.status}.`);
    waits.push(state.retryAt - startDate - lostAt);
    await browser.clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([250, 500, 1000, 2000]);
});

test("P14: a hub that is silent for two and a half heartbeats counts as lost; any word of it is a sign of life", async () => {
  const page = await connectedPage();
  const { clock } = page.browser;
  await clock.advance(37_000);
  await page.hub.say({ type: "heartbeat" });
  expect(page.hub.types.at(-1)).toBe("heartbeat");
  await clock.advance(37_499);
  expect(page.hub.closing).toBeUndefined();
  await clock.advance(1);
  expect([page.hub.closing, page.page.state.status]).toEqual([linkCloseReason("heartbeat-missed"), "reconnecting"]);
});

test("P14: a hub that accepts the connection and never welcomes the page is given up", async () => {
  const page = openPage();
  await page.browser.clock.advance(10_000);
  expect([page.browser.hub.end.closing, page.page.state.status]).toEqual([
    linkCloseReason("heartbeat-missed"),
    "reconnecting",
  ]);
});

test("P18: frames of a type that the page does not know are passed over; what is no frame ends the link by name", async () => {
  const page = await connectedPage();
  await page.hub.sayRaw('{"type":"teleport"}\n{}');
  expect(page.page.state.status).toBe("connected");
  await page.hub.sayRaw('{"type":"call"}');
  expect(page.hub.closing).toEqual(linkCloseReason("frame-malformed"));
  expect(page.page.state).toMatchObject({ status: "refused", code: "frame-malformed" });
  expect(page.errors).toMatchObject([{ stage: "hub frame", error: { code: "frame-malformed" } }]);
  await page.browser.clock.advance(500);
  const again = await page.browser.hub.welcome();
  await again.sayRaw(Uint8Array.of(123, 125));
  expect(again.closing).toEqual(linkCloseReason("frame-malformed"));
});

test("P19: a token is given as it is, or asked for anew at each hello", async () => {
  let count = 0;
  const fixed = openPage({ token: "fixed" });
  const fresh = openPage({ token: async () => `token ${++count}` });
  for (const page of [fixed, fresh]) {
    await page.browser.clock.advance(0);
    await page.browser.hub.welcome();
    await page.browser.hub.end.close(cut);
    await page.browser.clock.advance(500);
  }
  const tokens = (page: typeof fixed) => page.browser.hub.ends.map((end) => end.heard("hello")[0]?.token);
  expect([tokens(fixed), tokens(fresh)]).toEqual([
    ["fixed", "fixed"],
    ["token 1", "token 2"],
  ]);
});

test("P19: a token that cannot be got is told with its reason, and asked for again at the next attempt", async () => {
  let isThere = false;
  const page = openPage({ token: () => (isThere ? "token" : Promise.reject(new Error("401"))) });
  await page.browser.clock.advance(0);
  expect(page.page.state).toMatchObject({
    status: "refused",
    code: "token-required",
    message: "The page could not say hello: 401",
  });
  expect(page.errors).toEqual([{ stage: "hello", error: new Error("401") }]);
  isThere = true;
  await page.browser.clock.advance(250);
  await page.browser.hub.welcome();
  expect(page.page.state.status).toBe("connected");
});

test("P15: a page that is closed says goodbye, and neither waits nor comes back", async () => {
  const page = await connectedPage();
  page.page.close();
  page.page.close();
  await page.browser.clock.advance(60_000);
  expect(page.hub.types.at(-1)).toBe("bye");
  expect(page.hub.closing).toEqual(linkCloseReason("normal"));
  expect([page.browser.hub.ends.length, page.browser.clock.pending]).toEqual([1, 0]);
  expect(page.states.filter(({ status }) => status === "closed")).toHaveLength(1);
});

test("only a hub that was looked for is said not to answer", async () => {
  const browser = createFakeBrowser();
  const worker = async () => ({
    startWorkerLinks: () => ({
      via: { kind: "shared-worker" as const },
      openLink: async () => Promise.reject(new PagewireError("tab-suspended", "The page does not want this link.")),
      leave() {},
    }),
  });
  const page = openPage({ worker: "auto" }, { browser, chunks: { worker } });
  await browser.clock.advance(0);
  expect(page.page.state).toMatchObject({
    status: "reconnecting",
    message: "The connection to the hub was lost. Trying again in 1 s.",
  });
});

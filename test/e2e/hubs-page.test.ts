// A real page behind a load balancer of two hubs, and callers of both.
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBalancer } from "../hubs/support/balance.ts";
import type { Balancer } from "../hubs/support/balance.ts";
import { startNats } from "../support/start-nats.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { shopPage } from "./support/shop.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { callerOf, connected, countsOf, listTabs, started, worldToken } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

const closing: (() => Promise<unknown>)[] = [];
const served: Record<string, string> = {};
let pages: PageServer;
let hubs: readonly Hub[];
let callers: readonly [CallByHttp, CallByHttp];
let balancer: Balancer;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  pages = await servePages(served);
  const nats = await startNats();
  closing.push(pages.close, nats.close);
  const ports = [await freePort(), await freePort()] as const;
  balancer = await startBalancer(ports);
  closing.push(balancer.close);
  const address = `127.0.0.1:${balancer.port}`;
  const start = (port: number) =>
    createHub({
      port,
      agentToken: () => worldToken,
      allowedOrigins: () => [pages.origin],
      publicHosts: [address],
      cluster: { nats: nats.url },
    });
  hubs = [await start(ports[0]), await start(ports[1])];
  for (const hub of hubs) closing.push(hub.close);
  callers = [callerOf(hubs[0]?.url ?? "", worldToken), callerOf(hubs[1]?.url ?? "", worldToken)];
  served["/"] = shopPage(`http://${address}`);
  served["/elsewhere"] = "<title>Elsewhere</title>";
  browser = await openChromium();
  closing.push(browser.close);
  tab = await browser.open(pages.url("/"));
  await connected(tab);
  await sameOnBoth("connected");
}, 120_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

/** Waits until both hubs list one tab in this state, with its tools. */
async function sameOnBoth(state: string): Promise<void> {
  let seen: unknown;
  await waitUntil(
    async () => {
      const lists = await Promise.all(callers.map(listTabs));
      seen = lists;
      const [one, two] = lists.map((list) => JSON.stringify(list.map(({ tabId, tools }) => [tabId, tools])));
      return (
        one === two &&
        lists.flat().length === 2 &&
        lists.flat().every((each) => each.state === state && each.tools.length > 0)
      );
    },
    () => `The hubs do not list the tab as ${state}: ${JSON.stringify(seen)}`,
  );
}

/** The hub that the page's connection is at, if it has one. */
async function hubOfPage(): Promise<Hub | undefined> {
  for (const hub of hubs) {
    const response = await fetch(`${hub.url}/metrics`, { headers: { Authorization: `Bearer ${worldToken}` } });
    if (
      /^pagewire_tabs 1$/m.test(await response.text()) &&
      (await tab.evaluate("pagewire.state.status")) === "connected"
    )
      return hub;
  }
  return undefined;
}

test("a page's tools are called through both hubs, and ask, report and fail through both", async () => {
  for (const [at, call] of callers.entries()) {
    expect(await call("echo", { tag: `echo-${at}` })).toMatchObject({
      outcome: "ok",
      result: { structuredContent: { tag: `echo-${at}` } },
    });
    expect(await call("fail", { tag: `${at}` })).toMatchObject({ outcome: "tool-error", ran: "yes" });
    expect(await call("echo", { wrong: true })).toMatchObject({ outcome: "rejected", ran: "no" });
    expect(await call("wait", { tag: `late-${at}`, ms: 60_000 }, { timeout: 0.5 })).toMatchObject({
      outcome: "deadline-exceeded",
    });
    await tab.waitFor((tag: string) => localStorage.getItem(`aborted:${tag}`) !== null, { values: [`late-${at}`] });
    expect(await countsOf(tab, `late-${at}`)).toEqual({ ran: 1, aborted: 1 });
  }
});

test("a tool that a page registers in a call is listed by both hubs when the call ends", async () => {
  expect(await callers[0]("unlock", { tag: "open" })).toMatchObject({ outcome: "ok" });
  await sameOnBoth("connected");
  for (const call of callers) expect(await call("open_safe", { tag: "x" })).toMatchObject({ outcome: "ok" });
});

test("calls of both hubs go on when the page's connection moves from one hub to the other, and run once", async () => {
  const running = callers.map((call, at) => call("wait", { tag: `moved-${at}`, ms: 5000 }));
  for (const at of callers.keys()) await started(tab, `moved-${at}`);
  const before = await hubOfPage();
  for (let now = before; now === before || now === undefined; now = await hubOfPage()) {
    if (now === before) balancer.reset();
    await tab.evaluate("pagewire.reconnect()");
  }
  for (const each of running) expect(await each).toMatchObject({ outcome: "ok" });
  for (const at of callers.keys()) expect(await countsOf(tab, `moved-${at}`)).toEqual({ ran: 1, aborted: 0 });
});

test("a reload ends the calls of both hubs as unknown, and the tab is the same at whichever hub it is now", async () => {
  const before = await listTabs(callers[0]);
  const cut = callers.map((call, at) => call("never", { tag: `reloaded-${at}` }));
  for (const at of callers.keys()) await started(tab, `reloaded-${at}`);
  await tab.reload();
  for (const each of cut) expect(await each).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await connected(tab);
  await sameOnBoth("connected");
  expect((await listTabs(callers[1])).map(({ tabId }) => tabId)).toEqual(before.map(({ tabId }) => tabId));
  for (const call of callers) expect(await call("echo", { tag: "after" })).toMatchObject({ outcome: "ok" });
});

test("a tab in the back/forward cache, and back from it, is the same on both hubs", async () => {
  await tab.navigate(pages.otherSite("/elsewhere"));
  await tab.back();
  await connected(tab);
  await sameOnBoth("connected");
  for (const call of callers) expect(await call("echo", { tag: "cached" })).toMatchObject({ outcome: "ok" });
});

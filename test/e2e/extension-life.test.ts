// The extension through breaks: its worker is stopped, the hub restarts, pages are put aside, the extension is loaded again.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import { startHub } from "./support/hub-process.ts";
import { callerOf, listTabs } from "./support/world.ts";

let world: ExtensionWorld;

beforeAll(async () => {
  world = await createExtensionWorld();
  await world.pair();
});

afterAll(() => world?.close());

/** Without those that were closed a moment ago. */
async function connected() {
  return (await world.tabs()).filter(({ state }) => state === "connected");
}

const shown = () => world.shownTab(world.pages.origin);

test("a worker that is stopped in the middle of a call comes back by itself, and the call ends as if nothing had been", async () => {
  const tab = await world.open();
  const [before] = await connected();
  const waiting = world.call("wait", {});
  await tab.waitFor("shop.state === 'waiting'");
  await world.stopWorker();
  await tab.evaluate("void shop.finish()");
  expect(await waiting).toMatchObject({ outcome: "ok", ran: "yes" });
  await expect.poll(connected).toMatchObject([{ tabId: before?.tabId }]);
  await expect.poll(shown).toMatchObject({ calls: [{ tool: "wait", outcome: "ok" }] });
  const badge = async () => world.inExtension(`chrome.action.getBadgeText({ tabId: ${(await shown())?.id} })`);
  await expect.poll(badge).toBe("");
  await tab.close();
});

test("a question outlives the worker, and its answer reaches the page", async () => {
  const tab = await world.open();
  const buying = world.call("buy", {});
  await expect
    .poll(async () => Object.keys(await world.everything()).some((name) => name.startsWith("ask:")))
    .toBe(true);
  await world.stopWorker();
  const name = Object.keys(await world.everything()).find((each) => each.startsWith("ask:")) ?? "";
  const allow = { action: "allow", lasts: "once" } as const;
  expect(await world.send({ type: "answer", ask: name.slice("ask:".length), answer: allow })).toEqual({ ok: true });
  expect(await buying).toMatchObject({ outcome: "ok", result: { structuredContent: { sold: 1 } } });
  await tab.close();
});

test("a page that comes back from the back/forward cache, from another site, has its tools again", async () => {
  const tab = await world.open();
  await tab.navigate(world.pages.originFor("other.test") + "/empty");
  await tab.back();
  expect(await tab.evaluate("performance.getEntriesByType('navigation')[0].type")).toBe("navigate");
  await expect.poll(async () => (await world.call("price_of", { item: "tea" })).outcome).toBe("ok");
  await tab.close();
});

test("a page that was put aside while everything was paused has its tools when its tab goes back to it", async () => {
  const tab = await world.open();
  await tab.evaluate("globalThis.isSame = true");
  await world.send({ type: "pause", paused: true });
  await expect.poll(connected).toEqual([]);
  await tab.navigate(world.pages.originFor("other.test") + "/empty");
  await world.send({ type: "pause", paused: false });
  await tab.back();
  await expect.poll(async () => (await world.call("price_of", { item: "tea" })).outcome).toBe("ok");
  expect(await tab.evaluate("isSame")).toBe(true);
  await tab.close();
});

test("tabs come back without being loaded when the extension is switched off and on", async () => {
  const tab = await world.open();
  await tab.evaluate("globalThis.isSame = true");
  await world.switchOffAndOn();
  await expect.poll(async () => (await world.call("price_of", { item: "tea" })).outcome).toBe("ok");
  expect(await tab.evaluate("isSame")).toBe(true);
  await expect.poll(connected).toMatchObject([{ tools: ["buy", "price_of", "wait"] }]);
  await tab.close();
});

test("tabs come back without being loaded when the extension is loaded again, and no tool is there twice", async () => {
  const tab = await world.open();
  await tab.evaluate("globalThis.isSame = true");
  await world.reloadExtension();
  await expect.poll(async () => (await world.call("price_of", { item: "tea" })).outcome).toBe("ok");
  expect(await tab.evaluate("isSame")).toBe(true);
  await expect.poll(connected).toMatchObject([{ tools: ["buy", "price_of", "wait"] }]);
  await tab.close();
});

test("a tab that the browser discards is away, and has its identity again once it is loaded", async () => {
  const tab = await world.open();
  const [before] = await connected();
  const id = String(
    await world.inExtension(`chrome.tabs.query({ url: "${world.pages.url()}" }).then(([found]) => found.id)`),
  );
  await tab.detach();
  const discarded = String(await world.inExtension(`chrome.tabs.discard(${id}).then((tab) => tab.id)`));
  await expect.poll(connected).toEqual([]);
  await world.inExtension(`chrome.tabs.reload(${discarded})`);
  await expect.poll(connected).toMatchObject([{ tabId: before?.tabId }]);
  await world.inExtension(`chrome.tabs.remove(${discarded})`);
});

test("two tabs share one connection, and both are there again after the hub has restarted", async () => {
  const hub = await startHub();
  try {
    const token = await hub.token();
    const key = (await readFile(join(hub.home, "shell-key"), "utf8")).trim();
    await world.pair({ url: hub.url, token: key });
    const tabs = await Promise.all([world.browser.open(world.pages.url()), world.browser.open(world.pages.url())]);
    const call = callerOf(hub.url, token);
    const listed = async () => {
      const connected = (await listTabs(call)).filter(({ state }) => state === "connected");
      return connected.map(({ tabId }) => tabId).toSorted();
    };
    await expect.poll(async () => (await listed()).length).toBe(2);
    const before = await listed();
    await hub.restart();
    await expect.poll(() => listed().catch(() => [])).toEqual(before);
    for (const tab of tabs) await tab.close();
  } finally {
    await hub.close();
  }
  await expect.poll(world.shownHub).not.toMatchObject({ status: "connected" });
});

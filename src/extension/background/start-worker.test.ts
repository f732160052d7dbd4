import { expect, test } from "vitest";
import { shownTab } from "../messages.ts";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import type { FakeExtension } from "../fake-extension-api.test-helper.ts";
import type { Sender } from "../browser-api.ts";
import { originPattern } from "../origin-pattern.ts";
import { connect, filesOf, hub, id, inShop, shop, shownOf, start, tell } from "./worker.test-helper.ts";
import type { Started } from "./worker.test-helper.ts";

test("a page of an allowed site gets its settings and its tab's identity, and nothing that it gets has the token", async () => {
  const fake = await start();
  const { got, port } = connect(fake);
  await expect
    .poll(() => got)
    .toMatchObject([{ type: "settings", hub: hub.address, paused: false, site: { calls: "ask" }, saved: {} }]);
  port.postMessage({ type: "save", name: "calls", value: "[1]" });
  const again = connect(fake);
  await expect.poll(() => again.got).toMatchObject([{ type: "settings", saved: { calls: "[1]" } }]);
  expect(again.got[0]).toMatchObject({ tab: (got[0] as { tab: string }).tab });
  const elsewhere = connect(fake, { ...inShop, tab: { id: 8, windowId: 1, active: true } });
  await expect.poll(() => elsewhere.got.length).toBe(1);
  expect(elsewhere.got[0]).toMatchObject({ saved: {} });
  expect((elsewhere.got[0] as { tab: string }).tab).not.toBe((got[0] as { tab: string }).tab);
  expect(JSON.stringify([got, again.got, elsewhere.got])).not.toContain(hub.token);
});

test("a page may offer nothing while its site is not allowed, the browser is not paired, or all is paused", async () => {
  for (const world of [
    { allowed: [] },
    { settings: {} },
    { settings: { hub, paused: true } },
    { settings: { hub, removed: [shop] } },
  ]) {
    const { got } = connect(await start(world));
    await expect.poll(() => got).toEqual([{ type: "leave" }]);
  }
});

test("ports of frames, of documents without an origin or ahead of their visit, and of others are closed unheard", async () => {
  const fake = await start();
  for (const sender of [
    { ...inShop, frameId: 3 },
    { ...inShop, origin: "null" },
    { ...inShop, origin: "file://" },
    { ...inShop, documentLifecycle: "prerender" as const },
    { ...inShop, id: "another" },
    { id, origin: shop },
  ]) {
    const { got, isGone } = connect(fake, sender);
    await expect.poll(isGone).toBe(true);
    expect(got).toEqual([]);
  }
  const { isGone } = connect(fake, inShop, "other");
  await expect.poll(isGone).toBe(true);
});

test("a script in a page cannot do what the extension's own pages do", async () => {
  const fake = await start();
  const { sendMessage } = fake.contentApi(inShop);
  for (const message of [
    { type: "unpair" },
    { type: "pause", paused: true },
    { type: "answer", ask: "7:a", answer: { action: "allow", lasts: "once" } },
  ])
    expect(await sendMessage(message)).toBeUndefined();
  const { got } = connect(fake);
  await expect.poll(() => got).toMatchObject([{ type: "settings", paused: false }]);
  expect(await fake.api.runtime.sendMessage({ type: "unpair everything" })).toBeUndefined();
});

test("the page's script runs in the very document that has tools, if its site is allowed", async () => {
  const fake = await start();
  void fake.contentApi(inShop).sendMessage({ type: "tools-here" });
  await expect
    .poll(() => fake.injections)
    .toMatchObject([{ target: { tabId: 7, documentIds: ["d1"] }, files: ["page.js"] }]);
  const other = await start({ allowed: [] });
  await other.contentApi(inShop).sendMessage({ type: "tools-here" });
  await tell(other, { type: "stop-call", tab: 7, call: "1" });
  expect(other.injections).toEqual([]);
});

test("pausing, unpairing and taking the permission back end the pages that are there", async () => {
  const ends: ((fake: Started) => Promise<unknown>)[] = [
    (fake) => tell(fake, { type: "pause", paused: true }),
    (fake) => tell(fake, { type: "unpair" }),
    (fake) => tell(fake, { type: "remove-site", origin: shop }),
    ({ api }) => api.permissions.remove({ origins: [`${shop}/*`] }),
  ];
  for (const end of ends) {
    const fake = await start();
    const { got } = connect(fake);
    await expect.poll(() => got.length).toBe(1);
    await end(fake);
    await expect.poll(() => got.at(-1)).toEqual({ type: "leave" });
  }
});

test("a site that is allowed for a page is that for its document only, and for a tab for all of its documents there", async () => {
  const fake = await start({ allowed: [] });
  expect(await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "page" })).toEqual({ ok: true });
  expect(filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
  await expect.poll(() => shownOf(fake)).toMatchObject({ origin: shop, lasts: "page" });
  const [here, next] = [connect(fake), connect(fake, { ...inShop, documentId: "d2" })];
  await expect.poll(() => [here.got[0]?.type, next.got[0]?.type]).toEqual(["settings", "leave"]);
  await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "tab" });
  const later = connect(fake, { ...inShop, documentId: "d2" });
  const otherTab = connect(fake, { ...inShop, tab: { id: 8, windowId: 1, active: true } });
  await expect.poll(() => [later.got[0]?.type, otherTab.got[0]?.type]).toEqual(["settings", "leave"]);
  fake.happens.tabRemoved.fire(7);
  await expect.poll(async () => Object.keys(await fake.api.storage.session.get(null))).not.toContain(shownTab(7));
  const gone = connect(fake, { ...inShop, documentId: "d3" });
  await expect.poll(() => gone.got[0]?.type).toBe("leave");
});

test("a site that is allowed always is that of its port, also in a browser whose permissions are of all ports", async () => {
  const [here, other] = ["http://localhost:3000", "http://localhost:4000"];
  const at = (origin: string): Sender => ({ ...inShop, origin, url: `${origin}/` });
  const lets = async (fake: FakeExtension, origin: string) => {
    const { got } = connect(fake, at(origin));
    await expect.poll(() => got.length).toBe(1);
    return got[0]?.type === "settings";
  };
  for (const scheme of ["chrome-extension", "moz-extension"] as const) {
    const fake = await start({ allowed: [], fake: createFakeExtension(scheme) });
    const { permissions, runtime } = fake.api;
    // The browser's own question closes the popup, which can say nothing after it.
    await tell(fake, { type: "asking", origin: here });
    await permissions.request({ origins: [originPattern(here, runtime)] });
    await expect.poll(() => fake.scripts.size).toBe(2);
    expect([await lets(fake, here), await lets(fake, other)]).toEqual([true, false]);
    await permissions.request({ origins: [originPattern(other, runtime)] });
    fake.shows.origin = other;
    expect(await tell(fake, { type: "allow", tab: 7, origin: other, lasts: "always" })).toEqual({ ok: true });
    expect([await lets(fake, here), await lets(fake, other)]).toEqual([true, true]);
    await tell(fake, { type: "remove-site", origin: here });
    expect([await lets(fake, here), await lets(fake, other)]).toEqual([false, true]);
    await tell(fake, { type: "remove-site", origin: other });
    expect(fake.granted.size).toBe(0);
  }
});

test("a browser that names no documents allows no single page, and never a whole tab in its place", async () => {
  const fake = await start({ allowed: [] });
  fake.shows.document = undefined;
  expect(await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "page" })).toMatchObject({ ok: false });
  const { documentId: _, ...inFirefox } = inShop;
  const refused = connect(fake, inFirefox);
  await expect.poll(() => refused.got[0]?.type).toBe("leave");
  expect(await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "tab" })).toEqual({ ok: true });
  const allowed = connect(fake, inFirefox);
  await expect.poll(() => allowed.got[0]?.type).toBe("settings");
});

test("the next document of a tab whose site is allowed there has the scripts before its own, until the tab is closed", async () => {
  const fake = await start({ allowed: [] });
  await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "tab" });
  expect([...fake.scripts.values()]).toMatchObject([
    { id: "probe", matches: [`${shop}:443/*`] },
    { id: "main-world", matches: [`${shop}:443/*`], world: "MAIN", runAt: "document_start" },
  ]);
  const register = fake.api.permissions.getAll;
  let looks = 0;
  fake.api.permissions.getAll = () => (looks++, register());
  fake.happens.tabRemoved.fire(8);
  fake.happens.tabRemoved.fire(7);
  await expect.poll(() => fake.scripts.size).toBe(0);
  // A tab without such a site changes nothing.
  expect(looks).toBe(1);
});

test("a site that is read has the way to the page's own tools before the script that offers them", async () => {
  const fake = await start({ settings: { hub, sites: { [shop]: { calls: "ask", polyfill: true, reading: true } } } });
  fake.tabs.set(7, { id: 7, windowId: 1, active: true });
  await tell(fake, { type: "pause", paused: false });
  expect(filesOf(fake)).toEqual(["main-world.js", "probe.js", "page.js"]);
});

test("a tab that shows another site by now is not allowed by mistake", async () => {
  const fake = await start({ allowed: [] });
  const reply = await tell(fake, { type: "allow", tab: 7, origin: "https://bank.example", lasts: "page" });
  expect(reply).toMatchObject({ ok: false, message: expect.stringContaining("https://bank.example") });
  expect(filesOf(fake)).toEqual([]);
});

test("calls are shown with their outcome, and one whose page is gone is not known to have ended", async () => {
  const fake = await start();
  const { got, port } = connect(fake);
  await expect.poll(() => got.length).toBe(1);
  const call = { id: "1", method: "tools/call", name: "buy", agent: "claude" };
  port.postMessage({ type: "call", call: { ...call, event: "started", arguments: { card: "4111" } } });
  port.postMessage({ type: "call", call: { ...call, event: "ended", outcome: "ok", milliseconds: 5 } });
  port.postMessage({ type: "call", call: { ...call, id: "2", event: "started" } });
  const shown = () => shownOf(fake);
  const stopped = { ...call, id: "3", event: "ended", outcome: "tool-error", milliseconds: 5 };
  port.postMessage({ type: "call", call: { ...stopped, event: "started" } });
  port.postMessage({ type: "call", call: stopped, stopped: true });
  await expect.poll(shown).toMatchObject({
    calls: [{ id: "3", outcome: "tool-error", stopped: true }, { id: "2" }, { id: "1", tool: "buy", outcome: "ok" }],
  });
  expect(JSON.stringify(await shown())).not.toContain("4111");
  expect(fake.action.text.get(7)).toBe("…");
  port.disconnect();
  await expect.poll(shown).toMatchObject({
    tools: [],
    calls: [{ id: "3" }, { id: "2", outcome: "outcome-unknown" }, { id: "1" }],
  });
  await expect.poll(() => fake.action.text.get(7)).toBeUndefined();
});

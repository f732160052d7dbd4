// Changes that the worker must notice: in its grants, in the browser's permissions, while a page connects, and while it was stopped.
import { expect, test } from "vitest";
import { shownHub } from "../messages.ts";
import { connect, filesOf, hub, inShop, shop, shownOf, start, tell } from "./worker.test-helper.ts";
import type { Started } from "./worker.test-helper.ts";

const tab = { id: 7, windowId: 1, active: true };
const lastsOf = async (fake: Started) => (await shownOf(fake))?.lasts;
const loaded = ({ happens }: Started) => happens.tabUpdated.fire(7, { status: "complete" }, tab);
const started = { id: "1", method: "tools/call", name: "buy", agent: "claude", event: "started" };

test("a site that was allowed for a page is not shown as allowed in the next one, and can be allowed there", async () => {
  const fake = await start({ allowed: [] });
  await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "page" });
  await expect.poll(() => lastsOf(fake)).toBe("page");
  fake.shows.document = "d2";
  loaded(fake);
  await expect.poll(() => lastsOf(fake)).toBeUndefined();
  await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "page" });
  await expect.poll(() => lastsOf(fake)).toBe("page");
});

test("a site that is removed, or whose permission is taken back, is not shown as allowed any more", async () => {
  const ends: ((fake: Started) => Promise<unknown>)[] = [
    (fake) => tell(fake, { type: "remove-site", origin: shop }),
    ({ api }) => api.permissions.remove({ origins: [`${shop}/*`] }),
  ];
  for (const end of ends)
    for (const hasTools of [true, false]) {
      const fake = await start();
      await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "always" });
      if (hasTools) connect(fake);
      await expect.poll(() => lastsOf(fake)).toBe("always");
      await end(fake);
      await expect.poll(() => lastsOf(fake)).toBeUndefined();
    }
});

test("a site that is allowed in a tab is that again after another site, once its person clicks the extension's button", async () => {
  const fake = await start({ allowed: [] });
  await tell(fake, { type: "allow", tab: 7, origin: shop, lasts: "tab" });
  await expect.poll(() => lastsOf(fake)).toBe("tab");
  // The browser lets the extension into no other site, and not into this one when the tab comes back.
  fake.shows.origin = undefined;
  loaded(fake);
  await expect.poll(() => lastsOf(fake)).toBeUndefined();
  fake.injections.length = 0;
  fake.shows.origin = shop;
  expect(await tell(fake, { type: "opened", tab: 7 })).toEqual({ ok: true });
  await expect.poll(() => lastsOf(fake)).toBe("tab");
  expect(filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
});

test("tabs that are open come in once the extension is installed, updated or switched on, and not at each start of its worker", async () => {
  const fake = await start({ settings: {} });
  await expect.poll(() => fake.api.storage.session.get("started")).toEqual({ started: true });
  await fake.api.storage.local.set({ hub });
  fake.tabs.set(7, tab);
  // As the browser does in each of these cases.
  await fake.api.storage.session.remove(Object.keys(await fake.api.storage.session.get(null)));
  fake.scripts.clear();
  fake.startAgain();
  await expect.poll(() => filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
  expect([...fake.scripts.keys()]).toEqual(["probe", "main-world"]);
  await expect.poll(() => fake.api.storage.session.get("started")).toEqual({ started: true });
  fake.startAgain();
  await expect.poll(() => fake.api.storage.session.get(shownHub)).toMatchObject({ [shownHub]: { status: "idle" } });
  await tell(fake, { type: "stop-call", tab: 7, call: "1" });
  expect(filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
});

test("a document of an allowed site is looked into when its tab shows it, unless a script of the extension is there", async () => {
  const fake = await start();
  loaded(fake);
  await expect.poll(() => filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
  fake.shows.isWatched = true;
  await tell(fake, { type: "opened", tab: 7 });
  expect(filesOf(fake)).toEqual(["main-world.js", "probe.js"]);
});

test("a page that connects while everything is paused, or its site is removed, offers nothing", async () => {
  const ends: ((fake: Started) => Promise<unknown>)[] = [
    (fake) => tell(fake, { type: "pause", paused: true }),
    (fake) => tell(fake, { type: "remove-site", origin: shop }),
  ];
  for (const end of ends) {
    const fake = await start();
    let asks = 0;
    let answer = () => {};
    const { contains } = fake.api.permissions;
    // The first question of the worker is that about the page; its answer comes late.
    fake.api.permissions.contains = async (origins) => {
      const known = await contains(origins);
      if (asks++ === 0) await new Promise<void>((resolve) => (answer = resolve));
      return known;
    };
    const { got, port } = connect(fake);
    await expect.poll(() => asks).toBe(1);
    await end(fake);
    answer();
    await expect.poll(() => got).toEqual([{ type: "leave" }]);
    port.postMessage({ type: "open", link: 1 });
    await tell(fake, { type: "opened", tab: 7 });
    expect(got).toEqual([{ type: "leave" }]);
  }
});

test("a link is not connected once everything is paused", async () => {
  const fake = await start();
  const { got, port } = connect(fake);
  await expect.poll(() => got.length).toBe(1);
  await tell(fake, { type: "pause", paused: true });
  port.postMessage({ type: "open", link: 1 });
  await expect.poll(() => got.at(-1)).toMatchObject({ type: "failed", link: 1 });
});

test("a worker that starts again knows no call as running before its page says so, and shows none on the button", async () => {
  const fake = await start();
  const before = connect(fake);
  await expect.poll(() => before.got.length).toBe(1);
  before.port.postMessage({ type: "call", call: started });
  await expect.poll(() => fake.action.text.get(7)).toBe("…");
  await expect.poll(() => shownOf(fake)).toMatchObject({ calls: [{ id: "1" }] });
  fake.startAgain();
  const { got, port } = connect(fake);
  await expect.poll(() => shownOf(fake)).toMatchObject({ calls: [{ id: "1", outcome: "outcome-unknown" }] });
  await expect.poll(() => fake.action.text.get(7)).toBeUndefined();
  await expect.poll(() => got.length).toBeGreaterThan(0);
  port.postMessage({ type: "call", call: started });
  await expect.poll(async () => (await shownOf(fake))?.calls[0]).not.toHaveProperty("outcome");
});

test("stopping a call that has ended is refused in a sentence", async () => {
  const fake = await start();
  const { got, port } = connect(fake);
  await expect.poll(() => got.length).toBe(1);
  port.postMessage({ type: "call", call: started });
  await expect.poll(() => shownOf(fake)).toMatchObject({ calls: [{ id: "1" }] });
  expect(await tell(fake, { type: "stop-call", tab: 7, call: "1" })).toEqual({ ok: true });
  await expect.poll(() => got.at(-1)).toEqual({ type: "stop", call: "1" });
  port.postMessage({ type: "call", call: { ...started, event: "ended", outcome: "cancelled", milliseconds: 1 } });
  await expect.poll(() => shownOf(fake)).toMatchObject({ calls: [{ outcome: "cancelled" }] });
  const over = { ok: false, message: "The call is over, or its page is gone." };
  expect(await tell(fake, { type: "stop-call", tab: 7, call: "1" })).toEqual(over);
  expect(await tell(fake, { type: "stop-call", tab: 8, call: "1" })).toEqual(over);
});

const question = { kind: "fields", parameters: { message: "Which size?" } };
const asked = async ({ api }: Started) =>
  Object.keys(await api.storage.session.get(null)).filter((name) => name.startsWith("ask"));

async function ask(fake: Started) {
  const page = connect(fake);
  await expect.poll(() => page.got.length).toBe(1);
  page.port.postMessage({ type: "ask", ask: "a", question });
  await expect.poll(() => asked(fake)).toEqual(["ask:7:a", "asks", "ask-window"]);
  return page;
}

test("a question is over, and its window closed, when its site is removed, and when its page does not come back to a new worker", async () => {
  const fake = await start();
  await ask(fake);
  await tell(fake, { type: "remove-site", origin: shop });
  await expect.poll(() => asked(fake)).toEqual([]);

  const other = await start();
  await ask(other);
  other.startAgain();
  await expect.poll(() => asked(other)).toEqual([]);
  expect(other.windows.size).toBe(0);
});

test("a page that comes back says which of its questions still wait, and the others are over", async () => {
  const fake = await start();
  const { port } = await ask(fake);
  port.postMessage({ type: "ask", ask: "b", question });
  await expect.poll(() => asked(fake)).toContain("ask:7:b");
  port.disconnect();
  const again = connect(fake, inShop);
  await expect.poll(() => again.got.length).toBe(1);
  again.port.postMessage({ type: "asking", asks: ["b"] });
  await expect.poll(() => asked(fake)).not.toContain("ask:7:a");
  expect(await asked(fake)).toContain("ask:7:b");
});

test("a hub's refusal stands when the worker starts again", async () => {
  const fake = await start();
  const refused = { status: "refused", message: "This browser was removed.", command: "npx pagewire extension" };
  const shown = async () => (await fake.api.storage.session.get(shownHub))[shownHub];
  await expect.poll(shown).toMatchObject({ status: "idle" });
  await fake.api.storage.session.set({ [shownHub]: refused });
  fake.startAgain();
  await tell(fake, { type: "opened", tab: 7 });
  expect(await shown()).toEqual(refused);
  await tell(fake, { type: "unpair" });
  await expect.poll(shown).toMatchObject({ status: "unpaired" });
});

// Calls and tabs when a tab is closed, crashed, reloaded, frozen, cached or duplicated.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { connected, countsOf, createWorld, listTabs, offered, started, tabIdOf } from "./support/world.ts";
import type { World } from "./support/world.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterEach(() => world.browser.closeTabs());

afterAll(() => world.close());

function note(fault: string, { outcome, ran }: { outcome: string; ran: string }): void {
  recordFault("tabs", { fault, expected: "one honest outcome", observed: `${outcome}, ran: ${ran}`, count: 1 });
}

test("closing a tab while a tool runs fails the call at once, as unknown", async () => {
  const tab = await world.openShop();
  const call = world.call("never", { tag: "closed" });
  await started(tab, "closed");
  await tab.close();
  const { outcome, ran, error } = await call;
  expect({ outcome, ran }).toEqual({ outcome: "outcome-unknown", ran: "maybe" });
  expect(error?.message).toContain("Look before you try again");
  note("tab closed while the tool runs", { outcome, ran });
});

test("a tab that crashes while a tool runs fails the call at once, as unknown", async () => {
  const tab = await world.openShop();
  const call = world.call("never", { tag: "crashed" });
  await started(tab, "crashed");
  await tab.crash();
  const { outcome, ran } = await call;
  expect({ outcome, ran }).toEqual({ outcome: "outcome-unknown", ran: "maybe" });
  note("tab crashed while the tool runs", { outcome, ran });
});

test("P1: a reload while a tool runs fails the call as unknown, and the tab goes on under its id", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  const call = world.call("never", { tag: "reloaded" });
  await started(tab, "reloaded");
  await tab.reload();
  const { outcome, ran } = await call;
  expect({ outcome, ran }).toEqual({ outcome: "outcome-unknown", ran: "maybe" });
  await connected(tab);
  expect(await tabIdOf(tab)).toBe(id);
  expect(await world.call("echo", { tag: "after" }, { tab: id })).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "reloaded")).toMatchObject({ ran: 1 });
  note("page reloaded while the tool runs", { outcome, ran });
});

test("a call that comes while the page reloads waits for it and runs once", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  // The page is slow to unload: the hub has received its goodbye, and the next document is not there yet.
  await tab.evaluate("addEventListener('pagehide', () => { const end = Date.now() + 500; while (Date.now() < end); })");
  const reloading = tab.reload();
  await expect.poll(async () => (await listTabs(world.call)).find((listed) => listed.tabId === id)?.state).toBe("away");
  const { outcome, ran, result } = await world.call("echo", { tag: "during" }, { tab: id });
  await reloading;
  expect({ outcome, result: result?.structuredContent }).toEqual({ outcome: "ok", result: { tag: "during" } });
  expect(await countsOf(tab, "during")).toMatchObject({ ran: 1 });
  note("call sent while the page reloads", { outcome, ran });
});

test("the same key after a reload returns the first outcome and runs nothing", async () => {
  const tab = await world.openShop();
  const first = await world.call("wait", { tag: "keyed" }, { key: "reload-key" });
  await tab.reload();
  await connected(tab);
  const second = await world.call("wait", { tag: "keyed" }, { key: "reload-key" });
  expect(second).toMatchObject({ outcome: "ok", replay: true, result: first.result });
  expect(await countsOf(tab, "keyed")).toMatchObject({ ran: 1 });
});

test("P30: a frozen tab fails its calls as suspended, runs none that came meanwhile, and works again when it thaws", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  const running = world.call("never", { tag: "frozen" }, { tab: id });
  await started(tab, "frozen");
  await tab.freeze();
  const interrupted = await running;
  expect(interrupted).toMatchObject({ outcome: "page-suspended", ran: "maybe" });
  const meanwhile = await world.call("echo", { tag: "meanwhile" }, { tab: id });
  expect(meanwhile).toMatchObject({ outcome: "page-suspended", ran: "no" });
  await tab.unfreeze();
  await tab.activate();
  await connected(tab);
  await expect.poll(async () => (await world.call("echo", { tag: "thawed" }, { tab: id })).outcome).toBe("ok");
  expect(await countsOf(tab, "meanwhile")).toEqual({ ran: 0, aborted: 0 });
  note("tab frozen while the tool runs", interrupted);
  note("call to a frozen tab", meanwhile);
});

test.each(["url", "otherSite"] as const)(
  "P3, P30: a page in the back/forward cache fails its calls as suspended, and coming back is the tab that it was (%s)",
  async (site) => {
    const tab = await world.openShop();
    const id = await tabIdOf(tab);
    await tab.evaluate("addEventListener('pageshow', (event) => { window.restored = event.persisted; })");
    const tag = `cached-${site}`;
    const running = world.call("never", { tag }, { tab: id });
    await started(tab, tag);
    await tab.navigate(world.pages[site]("/elsewhere"));
    const interrupted = await running;
    expect(interrupted).toMatchObject({ outcome: "page-suspended", ran: "maybe" });
    await tab.back();
    expect(await tab.evaluate("window.restored")).toBe(true);
    await connected(tab);
    await offered(tab, world.call);
    expect(await tabIdOf(tab)).toBe(id);
    expect(await world.call("echo", { tag: "back" }, { tab: id })).toMatchObject({ outcome: "ok" });
    note("page put in the back/forward cache while the tool runs", interrupted);
  },
);

test("P2: a duplicated tab and a window that the page opened are tabs of their own", async () => {
  const tab = await world.openShop();
  const duplicate = await tab.duplicate();
  await connected(duplicate);
  await offered(duplicate, world.call);
  const child = await tab.popup(() => tab.evaluateAsUser("void window.open('/')"));
  await connected(child);
  await offered(child, world.call);
  const tabs = [tab, duplicate, child];
  expect(new Set(await Promise.all(tabs.map(tabIdOf))).size).toBe(3);
  for (const [index, each] of tabs.entries()) {
    const called = await world.call("echo", { tag: `copy-${index}` }, { tab: await tabIdOf(each) });
    expect(called).toMatchObject({ outcome: "ok" });
    expect(await countsOf(each, `copy-${index}`)).toMatchObject({ ran: 1 });
  }
  note("tab duplicated: a call to each of the three", { outcome: "ok", ran: "yes" });
});

test("P31: a download leaves the page's tools where they are", async () => {
  const tab = await world.openShop();
  await tab.click("#download");
  await tab.evaluate("dispatchEvent(new Event('beforeunload'))");
  expect(await world.call("echo", { tag: "downloaded" }, { tab: await tabIdOf(tab) })).toMatchObject({ outcome: "ok" });
});

test("of two tabs with the same tool, the one that has the focus is called, and the other by its id", async () => {
  const first = await world.openShop();
  const second = await world.openShop("/again");
  const ids = await Promise.all([first, second].map(tabIdOf));
  for (const [index, tab] of [first, second].entries()) {
    await tab.activate();
    await tab.waitFor("document.hasFocus()");
    await expect
      .poll(async () => (await listTabs(world.call)).find((listed) => listed.isActive)?.tabId)
      .toBe(ids[index]);
  }
});

test("a tab that navigates to another origin loses its tools", async () => {
  const tab = await world.openShop();
  await tab.navigate("about:blank");
  await expect.poll(async () => (await world.call("echo", { tag: "gone" })).error?.code).toBe("tool-not-found");
});

// A tab that navigates: to another page of the app, to one without Pagewire, or to the same page again. The grace time is
// longer than any test, so nothing here disappears because it expired.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Tab } from "./support/tab.ts";
import { connected, createWorld, listTabs, started, tabIdOf } from "./support/world.ts";
import type { World } from "./support/world.ts";

const graceTime = 600_000;

let world: World;

beforeAll(async () => {
  world = await createWorld({
    limits: { graceTime },
    morePages: (hub) => ({
      "/orders": `<!doctype html><title>Orders</title><script src="${hub}/pagewire.js" data-app="shop"></script>
<script>pagewire.registerTool({ name: "order", execute: () => "ordered" });</script>`,
    }),
  });
});

afterEach(() => world.browser.closeTabs());

afterAll(() => world.close());

async function listed(id: string): Promise<readonly string[]> {
  return (await listTabs(world.call)).find(({ tabId }) => tabId === id)?.tools ?? [];
}

/** Slows down the page's unload, so that there is a gap between it and the next page. */
async function slowToLeave(tab: Tab): Promise<void> {
  await tab.evaluate(
    "addEventListener('pagehide', () => { const end = Date.now() + 2000; while (Date.now() < end); })",
  );
}

const ways = [
  { way: "a link, which leaves it in the back/forward cache", script: "location.assign('/orders')" },
  { way: "a redirect, which leaves nothing of it", script: "location.replace('/orders')" },
];

test.each(ways)(
  "P72, B116: after $way, the next page's tools alone are listed and called at once",
  async ({ script }) => {
    const tab = await world.openShop();
    const id = await tabIdOf(tab);
    await tab.evaluate(`setTimeout(() => ${script})`);
    await tab.waitFor("location.pathname === '/orders'");
    await connected(tab);
    expect(await tabIdOf(tab)).toBe(id);
    await expect.poll(() => listed(id)).toEqual(["order"]);
    expect(await world.call("order", {}, { tab: id })).toMatchObject({ outcome: "ok" });
    expect(await world.call("echo", { tag: "old" }, { tab: id })).toMatchObject({ error: { code: "tool-not-found" } });
  },
);

test.each([
  { way: "a link, which leaves it in the back/forward cache", script: "location.assign('/elsewhere')" },
  { way: "a redirect, which leaves nothing of it", script: "location.replace('/elsewhere')" },
])(
  "P72: a page that by $way makes room for one without Pagewire is listed no longer, and what ran in it ended at once",
  async ({ script }) => {
    const tab = await world.openShop();
    const id = await tabIdOf(tab);
    const running = world.call("never", { tag: "left" }, { tab: id });
    await started(tab, "left");
    await slowToLeave(tab);
    await tab.evaluate(`setTimeout(() => ${script})`);
    expect(await running).toMatchObject({ ran: "maybe" });
    await expect.poll(async () => (await listTabs(world.call)).map(({ tabId }) => tabId)).not.toContain(id);
    await tab.waitFor("document.title === 'Elsewhere'");
  },
);

test("P72: a page that the user comes back to has its tools again", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  const tools = await listed(id);
  await tab.evaluate("setTimeout(() => location.assign('/elsewhere'))");
  await tab.waitFor("document.title === 'Elsewhere'");
  await expect.poll(() => listed(id)).toEqual([]);
  await tab.evaluate("setTimeout(() => history.back())");
  await expect.poll(() => listed(id)).toEqual(tools);
  expect(await world.call("echo", { tag: "back" }, { tab: id })).toMatchObject({ outcome: "ok" });
});

test("B35, P72: a page that is reloaded, asked for again at its address, or there with another query, keeps its tools listed meanwhile", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  const tools = await listed(id);
  for (const script of ["location.reload()", "location.assign(location.href)", "location.replace('?page=2')"]) {
    await slowToLeave(tab);
    await tab.evaluate(`globalThis.isOld = true; setTimeout(() => ${script})`);
    await expect.poll(async () => (await listTabs(world.call)).find(({ tabId }) => tabId === id)?.state).toBe("away");
    expect(await listed(id)).toEqual(tools);
    await tab.waitFor("!globalThis.isOld");
    await connected(tab);
    expect(await tabIdOf(tab)).toBe(id);
    await expect.poll(() => listed(id)).toEqual(tools);
  }
});

test("B116: an address that the page changes itself changes nothing of its tools and its calls, nor does a reload there", async () => {
  const tab = await world.openShop();
  const id = await tabIdOf(tab);
  const tools = await listed(id);
  const held = world.call("hold", { tag: "held" }, { tab: id });
  await started(tab, "held");
  await tab.evaluate("history.pushState(null, '', '/again'); location.hash = 'here'");
  expect(await listed(id)).toEqual(tools);
  await tab.evaluate("finish()");
  expect(await held).toMatchObject({ outcome: "ok" });
  await slowToLeave(tab);
  const reloading = tab.reload();
  await expect.poll(async () => (await listTabs(world.call)).find(({ tabId }) => tabId === id)?.state).toBe("away");
  expect(await listed(id)).toEqual(tools);
  await reloading;
  await connected(tab);
  expect(await tabIdOf(tab)).toBe(id);
});

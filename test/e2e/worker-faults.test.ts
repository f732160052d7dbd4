// Faults of the worker or of one of its tabs: every other tab reconnects on its own, and one call is one execution.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Tab } from "./support/tab.ts";
import { connected, countsOf, listTabs, offered, started, tabIdOf } from "./support/world.ts";
import { back, createWorkerWorld, note, once, statesOf, viaOf, watch } from "./worker.test-helper.ts";
import type { ProxiedHub, WorkerWorld } from "./worker.test-helper.ts";

let world: WorkerWorld;
let main: ProxiedHub;
/** A hub whose grace time ends long before the pages of its app would notice a dead worker by their pings. */
let impatient: ProxiedHub;
const rarePings = `<script>
  const { setTimeout: after } = window;
  const pingTime = 2500;
  window.setTimeout = (run, time, ...rest) => after(run, time === pingTime ? 60_000 : time, ...rest);
</script>`;
/** A tab that stays open and idle through all tests, with a hub of its own. */
let idle: { readonly tab: Tab; readonly hub: ProxiedHub };
const idleFor = 35_000;

beforeAll(async () => {
  world = await createWorkerWorld();
  ({ main } = world);
  impatient = await world.addHub({ graceTime: 15_000 });
  world.served["/impatient"] = impatient.page({ before: rarePings });
  const hub = await world.addHub();
  world.served["/idle"] = hub.page({ before: "<script>delete window.SharedWorker</script>" });
  idle = { tab: await world.open("/idle"), hub };
  await watch(idle.tab);
});

afterEach(() => world.closeTabs(idle));

afterAll(() => world.close());

const stateOf = async (id: string) => (await listTabs(main.call)).find(({ tabId }) => tabId === id)?.state ?? "none";

test("a worker that is killed between calls is replaced at once, and all its tabs reconnect on one socket", async () => {
  const tabs = await world.openMany(3, "/impatient");
  await Promise.all(tabs.map(watch));
  const ids = await Promise.all(tabs.map(tabIdOf));
  expect(await world.browser.closeWorkers("pagewire-worker")).toBe(1);
  const calls = ids.map((tab, index) => impatient.call("echo", { tag: `killed-${index}` }, { tab }));
  for (const [index, call] of (await Promise.all(calls)).entries()) {
    expect(call).toMatchObject({ outcome: "ok" });
    expect(await countsOf(tabs[index] ?? tabs[0], `killed-${index}`)).toEqual(once);
  }
  const times = await Promise.all(tabs.map((tab) => back(tab)));
  await expect.poll(() => impatient.proxy.connections).toBe(1);
  note("killed between calls, three tabs", `all back after ${Math.round(Math.max(...times))} ms, on one socket`);
});

test("calls that run while the worker is killed continue in their tabs and end with their results", async () => {
  const tabs = await world.openMany(2, "/impatient");
  await Promise.all(tabs.map(watch));
  const calls = await Promise.all(tabs.map((tab, index) => impatient.start(tab, `kept-${index}`)));
  await world.browser.closeWorkers("pagewire-worker");
  // This call ends before its tab has another worker, or just as it gets one.
  await tabs[0].evaluate("finish()");
  await Promise.all(tabs.map((tab) => back(tab)));
  await tabs[1].evaluate("finish()");
  for (const [index, call] of (await Promise.all(calls.map(({ ended }) => ended))).entries()) {
    expect(call).toMatchObject({ outcome: "ok", result: { structuredContent: { tag: `kept-${index}` } } });
    expect(await countsOf(tabs[index] ?? tabs[0], `kept-${index}`)).toEqual(once);
    note("killed while a tool runs", call);
  }
});

test("calls that come while the worker is killed run once, each in its tab", async () => {
  const tabs = await world.openMany(2, "/impatient");
  await Promise.all(tabs.map(watch));
  const ids = await Promise.all(tabs.map(tabIdOf));
  const killing = world.browser.closeWorkers("pagewire-worker");
  const tags = Array.from({ length: 40 }, (_, index) => `storm-${index}`);
  const calls = await Promise.all(
    tags.map((tag, index) => impatient.call("echo", { tag }, { tab: ids[index % 2] ?? "" })),
  );
  await killing;
  await Promise.all(tabs.map((tab) => back(tab)));
  expect(calls.map(({ outcome }) => outcome)).toEqual(tags.map(() => "ok"));
  for (const [index, tag] of tags.entries()) expect(await countsOf(tabs[index % 2] ?? tabs[0], tag)).toEqual(once);
  note("killed while forty calls come", "ok, one run each", tags.length);
});

test("a blocked tab does not keep others from noticing that the worker died", async () => {
  const hub = await world.addHub({ graceTime: 60_000 });
  world.served["/busy"] = hub.page();
  // The worker runs in the first tab's process.
  const [first, busy, third] = await world.openMany(3, "/busy");
  const others = [first, third];
  await Promise.all(others.map(watch));
  const blocking = hub.call("block", { tag: "busy" }, { tab: await tabIdOf(busy) });
  await started(first, "busy");
  let isBlocked = true;
  void blocking.then(() => (isBlocked = false));
  await world.browser.closeWorkers("pagewire-worker");
  await Promise.all(others.map((tab) => back(tab)));
  expect(isBlocked).toBe(true);
  world.pages.release("busy");
  const blocked = await blocking;
  expect(blocked).toMatchObject({ outcome: "ok" });
  note("killed while the main thread of one tab is busy", blocked);
});

test("a worker that hangs is given up: its tabs take another one, and what runs in them ends with its result", async () => {
  const tabs = await world.openMany(2);
  await Promise.all(tabs.map(watch));
  const call = await main.start(tabs[0], "hung");
  expect(await world.browser.startInWorkers("pagewire-worker", "for (;;);")).toBe(1);
  const meanwhile = main.echo(tabs[1], "meanwhile");
  const times = await Promise.all(tabs.map((tab) => back(tab)));
  expect(await meanwhile).toMatchObject({ outcome: "ok" });
  await tabs[0].evaluate("finish()");
  const ended = await call.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tabs[0], "hung")).toEqual(once);
  expect(await countsOf(tabs[1], "meanwhile")).toEqual(once);
  const newcomer = await world.open();
  expect(await viaOf(newcomer)).toEqual({ kind: "shared-worker" });
  note("hangs while a tool runs and a call comes", `ok, one run each; back after ${Math.round(Math.max(...times))} ms`);
});

test("a tab that is closed while a tool runs ends its own call at once, and no other; it may be the first one", async () => {
  const [first, other] = await world.openMany(2);
  const id = await tabIdOf(first);
  const [cut, kept] = [main.call("never", { tag: "closed" }, { tab: id }), await main.start(other, "stays")];
  await started(first, "closed");
  await first.close();
  const ended = await cut;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await connected(other);
  await other.evaluate("finish()");
  expect(await kept.ended).toMatchObject({ outcome: "ok" });
  expect(await stateOf(id)).not.toBe("connected");
  expect(await main.echo(other, "after-closed")).toMatchObject({ outcome: "ok" });
  for (const tag of ["stays", "after-closed"]) expect(await countsOf(other, tag)).toEqual(once);
  await expect.poll(() => countsOf(other, "closed")).toMatchObject({ ran: 1 });
  note("first of two tabs closed while tools run in both", ended);
});

test("a tab that crashes while a tool runs ends its own call at once, and no other", async () => {
  const [, tab, other] = await world.openMany(3);
  const [cut, kept] = [await main.start(tab, "crashed", "never"), await main.start(other, "beside-crashed")];
  await watch(other);
  await tab.crash();
  const ended = await cut.ended;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await other.evaluate("finish()");
  expect(await kept.ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(other)).toEqual([]);
  expect(await countsOf(other, "beside-crashed")).toEqual(once);
  await expect.poll(() => countsOf(other, "crashed")).toMatchObject({ ran: 1 });
  note("tab crashed while tools run in it and beside it", ended);
});

test("where the worker crashes with the tab that started it, the others are back, and what runs in them goes on", async () => {
  const [first, other] = await world.openMany(2, "/impatient");
  const cut = await impatient.start(first, "crashed-with-worker", "never");
  const kept = await impatient.start(other, "survives");
  await first.crash();
  await connected(other);
  await other.evaluate("finish()");
  expect(await kept.ended).toMatchObject({ outcome: "ok" });
  // The hub cannot learn that this tab will not return: both the tab and its worker are gone.
  const ended = await cut.ended;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  expect(await countsOf(other, "survives")).toEqual(once);
  await expect.poll(() => countsOf(other, "crashed-with-worker")).toMatchObject({ ran: 1 });
  note("crashed with the tab that started it while tools run", ended);
});

test("a reload while a tool runs ends the call as unknown, and the tab goes on under its id", async () => {
  const [tab, other] = await world.openMany(2);
  const id = await tabIdOf(tab);
  const [cut, kept] = [main.call("never", { tag: "reloaded" }, { tab: id }), await main.start(other, "unmoved")];
  await started(tab, "reloaded");
  await tab.reload();
  const ended = await cut;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  await connected(tab);
  expect(await tabIdOf(tab)).toBe(id);
  expect(await main.echo(tab, "reloaded-and-back")).toMatchObject({ outcome: "ok" });
  await other.evaluate("finish()");
  expect(await kept.ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "reloaded")).toMatchObject({ ran: 1 });
  for (const tag of ["reloaded-and-back", "unmoved"]) expect(await countsOf(tab, tag)).toEqual(once);
  note("page reloaded while the tool runs", ended);
});

test("a frozen tab fails its calls as suspended, keeps no other from its, and works again when it thaws", async () => {
  const [tab, other] = await world.openMany(2);
  const id = await tabIdOf(tab);
  const running = main.call("never", { tag: "frozen" }, { tab: id });
  await started(tab, "frozen");
  await tab.freeze();
  const interrupted = await running;
  expect(interrupted).toMatchObject({ outcome: "page-suspended", ran: "maybe" });
  expect(await main.echo(other, "beside-frozen")).toMatchObject({ outcome: "ok" });
  // The worker dies while the tab cannot notice it.
  await watch(other);
  await world.browser.closeWorkers("pagewire-worker");
  await back(other);
  await tab.unfreeze();
  await tab.activate();
  await connected(tab);
  await expect.poll(async () => (await main.echo(tab, "thawed")).outcome).toBe("ok");
  expect(await countsOf(tab, "thawed")).toMatchObject({ aborted: 0 });
  expect(await countsOf(tab, "frozen")).toMatchObject({ ran: 1 });
  expect(await countsOf(tab, "beside-frozen")).toEqual(once);
  note("tab frozen while the tool runs, worker killed meanwhile", interrupted);
});

test("a page in the back/forward cache lets go of the worker, and is the tab that it was when it comes back", async () => {
  const hub = await world.addHub({ graceTime: 500 });
  world.served["/cached"] = hub.page();
  const [tab, other] = await world.openMany(2, "/cached");
  const id = await tabIdOf(tab);
  await tab.evaluate("addEventListener('pageshow', (event) => { window.restored = event.persisted; })");
  const run = await hub.start(tab, "cached", "never");
  await tab.navigate(world.pages.otherSite("/elsewhere"));
  const interrupted = await run.ended;
  expect(interrupted).toMatchObject({ outcome: "page-suspended", ran: "maybe" });
  // Later messages of the hub or the worker do not reach the cached page.
  await expect.poll(async () => (await listTabs(hub.call)).map(({ tabId }) => tabId)).not.toContain(id);
  expect(await hub.echo(other, "beside-cached")).toMatchObject({ outcome: "ok" });
  await tab.back();
  expect(await tab.evaluate("window.restored")).toBe(true);
  await connected(tab);
  await offered(tab, hub.call);
  expect([await viaOf(tab), await tabIdOf(tab)]).toEqual([{ kind: "shared-worker" }, id]);
  expect(await hub.echo(tab, "uncached")).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "cached")).toMatchObject({ ran: 1 });
  for (const tag of ["uncached", "beside-cached"]) expect(await countsOf(tab, tag)).toEqual(once);
  expect(hub.proxy.connections).toBe(1);
  note("page put in the back/forward cache while the tool runs", interrupted);
});

test("a download link leaves every tool where it is, and the link too", async () => {
  const [tab, other] = await world.openMany(2);
  await watch(tab);
  const ids = await Promise.all([tab, other].map(tabIdOf));
  const listed = async () => (await listTabs(main.call)).filter(({ tabId }) => ids.includes(tabId));
  const before = (await listed()).map(({ tabId, tools }) => ({ tabId, tools, state: "connected" }));
  expect(before).toHaveLength(2);
  const kept = await main.start(tab, "downloads");
  await tab.activate();
  await tab.click("#download");
  await tab.evaluate("dispatchEvent(new Event('beforeunload'))");
  expect(await main.echo(tab, "downloaded")).toMatchObject({ outcome: "ok" });
  expect(await listed()).toMatchObject(before);
  await tab.evaluate("finish()");
  const ended = await kept.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(tab)).toEqual([]);
  for (const tag of ["downloads", "downloaded"]) expect(await countsOf(tab, tag)).toEqual(once);
  await connected(other);
  note("download link clicked while the tool runs", ended);
});

test("thirty tabs that open at once share one worker and one socket, and each answers", async () => {
  const hub = await world.addHub({ graceTime: 60_000 });
  world.served["/thirty"] = hub.page();
  const url = world.pages.url("/thirty");
  await Promise.all(
    Array.from({ length: 30 }, () => world.browser.send("Target.createTarget", { url, background: true })),
  );
  const tabs = (await world.browser.tabs()).filter((tab) => tab !== idle.tab);
  expect(tabs).toHaveLength(30);
  await Promise.all(tabs.map(connected));
  const vias = await Promise.all(tabs.map((tab) => viaOf(tab)));
  expect(vias).toEqual(tabs.map(() => ({ kind: "shared-worker" })));
  expect(hub.proxy.connections).toBe(1);
  await Promise.all(tabs.map((tab) => offered(tab, hub.call)));
  await Promise.all(tabs.map(watch));
  const ids = await Promise.all(tabs.map(tabIdOf));
  async function echoInAll(when: string): Promise<void> {
    const tags = ids.map((_, index) => `thirty-${when}-${index}`);
    const calls = await Promise.all(tags.map((tag, index) => hub.call("echo", { tag }, { tab: ids[index] ?? "" })));
    expect(calls.map(({ outcome }) => outcome)).toEqual(ids.map(() => "ok"));
    for (const [index, tab] of tabs.entries()) expect(await countsOf(tab, tags[index] ?? "")).toEqual(once);
  }
  await echoInAll("at-once");
  await world.browser.closeWorkers("pagewire-worker");
  await echoInAll("killed");
  const times = await Promise.all(tabs.map((tab) => back(tab)));
  await expect.poll(() => hub.proxy.connections).toBe(1);
  note(
    "killed under thirty tabs that opened at once",
    `all back after ${Math.round(Math.max(...times))} ms, on one socket`,
    30,
  );
});

test("a tab that never answers lets its calls end in time, and its neighbours theirs", async () => {
  const [deaf, other] = await world.openMany(2);
  const id = await tabIdOf(deaf);
  const blocking = main.call("block", { tag: "deaf" }, { tab: id });
  await started(other, "deaf");
  const unheard = await main.call("echo", { tag: "unheard" }, { tab: id, timeout: 0.3 });
  expect(unheard).toMatchObject({ outcome: "deadline-exceeded" });
  expect(await main.echo(other, "heard")).toMatchObject({ outcome: "ok" });
  const silent = await main.call("never", { tag: "silent" }, { tab: await tabIdOf(other), timeout: 3 });
  expect(silent).toMatchObject({ outcome: "deadline-exceeded", ran: "maybe" });
  world.pages.release("deaf");
  expect(await blocking).toMatchObject({ outcome: "ok" });
  expect(await main.echo(deaf, "hears-again")).toMatchObject({ outcome: "ok" });
  expect(await countsOf(deaf, "unheard")).toEqual({ ran: 0, aborted: 0 });
  for (const tag of ["deaf", "hears-again"]) expect(await countsOf(deaf, tag)).toEqual(once);
  expect(await countsOf(other, "heard")).toEqual(once);
  expect(await countsOf(other, "silent")).toMatchObject({ ran: 1 });
  note("tab that never answers", unheard);
});

test("a ServiceWorker stays alive while a tab uses it, however idle", async () => {
  const { tab } = idle;
  await tab.waitFor(`performance.now() - since > ${idleFor}`);
  expect([await statesOf(tab), (await viaOf(tab)).kind]).toEqual([[], "service-worker"]);
  note("a ServiceWorker that is idle", `the same one after more than ${idleFor / 1000} s`);
});

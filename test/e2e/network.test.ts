// Calls while the network between page and hub breaks. The page reaches the hub through a fault proxy.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createFaultProxy } from "pagewire/testing";
import type { FaultProxy } from "pagewire/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import { launchChromium, openChromium } from "./support/chromium.ts";
import { shopPage } from "./support/shop.ts";
import type { Tab } from "./support/tab.ts";
import { connected, countsOf, createWorld, listTabs, offered, started, tabIdOf } from "./support/world.ts";
import type { HttpOutcome, World } from "./support/world.ts";

let world: World;
let proxy: FaultProxy;
let tab: Tab;

beforeAll(async () => {
  const port = await freePort();
  proxy = await createFaultProxy({ target: { host: "127.0.0.1", port } });
  world = await createWorld({
    port,
    limits: { heartbeatTime: 400, graceTime: 20_000 },
    publicHosts: [`127.0.0.1:${proxy.port}`],
    hubAddress: () => `http://127.0.0.1:${proxy.port}`,
    morePages: (hub) => ({ "/counted": `${shopPage(hub)}<script>${countedTool}</script>` }),
  });
  tab = await world.openShop();
});

afterEach(async () => {
  proxy.refuse(false);
  proxy.resume();
  proxy.setLatency(0);
  proxy.setRate(Infinity);
  await tab.evaluate("pagewire.reconnect()");
  await connected(tab);
  // A tab that was away for longer than the grace time is a new one to the hub.
  await offered(tab, world.call);
});

afterAll(async () => {
  await world.close();
  await proxy.close();
});

/** A tool whose runs the pages' server counts, so that a crash cannot undo the count. Its input needs no validator from the hub. */
const countedTool = `
pagewire.registerTool({ name: "counted", execute: async ({ tag, holds }) => {
  await fetch("/ran/" + tag);
  if (holds) await new Promise(() => {});
  return { tag };
} });
`;

/** Drops everything in this direction. New connections are refused: they would lose their frames too, and wait for a welcome. */
function loseSilently(direction: "toClient" | "toTarget"): void {
  proxy.refuse(true);
  proxy.pause(direction, "drop");
}

function findAgain(): void {
  proxy.resume();
  proxy.refuse(false);
}

/** Cuts the page off, and waits until it has noticed. Polling its state could miss this, since it may reconnect in between. */
async function cutOff(cut: () => void): Promise<void> {
  await tab.evaluate(`void (window.lost = new Promise((resolve) => {
    pagewire.onState(({ status }) => status !== "connected" && resolve(true));
  }))`);
  cut();
  await tab.waitFor("lost");
}

/** Waits until the hub knows the page's offer, which arrives a moment after the page is connected. */
async function offersCounted(tabId: string): Promise<void> {
  const tools = async () => (await listTabs(world.call)).find((each) => each.tabId === tabId)?.tools;
  await expect.poll(tools).toContain("counted");
}

const runsOf = (tag: string) => world.pages.requests.filter(({ path }) => path === `/ran/${tag}`).length;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function note(fault: string, { outcome, ran }: HttpOutcome): void {
  recordFault("network", { fault, expected: "one honest outcome", observed: `${outcome}, ran: ${ran}`, count: 1 });
}

test("a connection that is reset while a tool runs is restored, and the call ends with its result", async () => {
  const call = world.call("hold", { tag: "reset" });
  await started(tab, "reset");
  await cutOff(() => proxy.reset());
  await connected(tab);
  await tab.evaluate("finish()");
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok", result: { structuredContent: { tag: "reset" } } });
  expect(await countsOf(tab, "reset")).toEqual({ ran: 1, aborted: 0 });
  note("connection reset while the tool runs", ended);
});

test("P21: a result that is ready while there is no connection is delivered when there is one", async () => {
  const call = world.call("hold", { tag: "ready" });
  await started(tab, "ready");
  proxy.refuse(true);
  proxy.reset();
  await tab.waitFor("pagewire.state.status !== 'connected'");
  await tab.evaluate("finish()");
  proxy.refuse(false);
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "ready")).toEqual({ ran: 1, aborted: 0 });
  note("connection reset, the tool ends meanwhile", ended);
});

test("a connection that is half-open towards the hub is noticed, and the lost result still arrives", async () => {
  const call = world.call("hold", { tag: "half" });
  await started(tab, "half");
  loseSilently("toTarget");
  await tab.evaluate("finish()");
  await tab.waitFor("pagewire.state.status !== 'connected'");
  findAgain();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "half")).toEqual({ ran: 1, aborted: 0 });
  note("half-open towards the hub, the result lost", ended);
});

test("P14: a call that a half-open connection swallowed on its way to the page runs once when the page is back", async () => {
  loseSilently("toClient");
  const call = world.call("echo", { tag: "swallowed" });
  await tab.waitFor("pagewire.state.status !== 'connected'");
  findAgain();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "swallowed")).toMatchObject({ ran: 1 });
  note("half-open towards the page, the call lost", ended);
});

test("a page that stays away leaves the outcome unknown, and never says that nothing ran when something did", async () => {
  const call = world.call("hold", { tag: "away" });
  await started(tab, "away");
  proxy.refuse(true);
  proxy.reset();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  note("connection reset, the page stays away", ended);
});

test("a slow network delivers every byte within the call's time", async () => {
  proxy.setLatency(100);
  proxy.setRate(400_000);
  const ended = await world.call("big", { tag: "slow", ms: 200_000 });
  expect(ended.result?.content[0]?.text).toHaveLength(200_000);
  note("slow network, 100 ms and 400 KB/s", ended);
});

test("connections that are reset over and over end each call once, and each tool ran at most once", async () => {
  for (let round = 0; round < 5; round++) {
    const call = world.call("wait", { tag: `round-${round}`, ms: 100 }, { tab: await tabIdOf(tab) });
    await started(tab, `round-${round}`);
    await cutOff(() => proxy.reset());
    // The backoff grows with each attempt; this retries now, as a user of the page would.
    await tab.evaluate("pagewire.reconnect()");
    expect(await call).toMatchObject({ outcome: "ok" });
    await connected(tab);
    expect(await countsOf(tab, `round-${round}`)).toEqual({ ran: 1, aborted: 0 });
  }
  recordFault("network", {
    fault: "connection reset in each of five calls",
    expected: "one run each",
    observed: "ok, one run each",
    count: 5,
  });
});

/** A cut and a crash, in either order. */
const crashes = {
  "reset, then crashed": async (crashing: Tab) => {
    proxy.refuse(true);
    proxy.reset();
    await crashing.crash();
  },
  "crashed while half-open, then reset": async (crashing: Tab) => {
    await crashing.crash();
    proxy.reset();
  },
} as const;

test.each(Object.keys(crashes) as (keyof typeof crashes)[])(
  "a call whose ack was lost, in a tab that was %s and loaded again in time, is not run again",
  async (fault) => {
    const crashing = await world.browser.open(world.pages.url("/counted"));
    await connected(crashing);
    const tag = fault.replaceAll(/\W+/g, "-");
    const tabId = await tabIdOf(crashing);
    await offersCounted(tabId);
    proxy.pause("toTarget", "drop");
    const call = world.call("counted", { tag }, { tab: tabId });
    await expect.poll(() => runsOf(tag)).toBe(1);
    await crashes[fault](crashing);
    proxy.refuse(false);
    proxy.resume();
    await crashing.reload();
    await connected(crashing);
    const ended = await call;
    expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
    expect(await tabIdOf(crashing)).toBe(tabId);
    expect(await world.call("counted", { tag: `${tag}-after` }, { tab: tabId })).toMatchObject({ outcome: "ok" });
    expect(runsOf(tag)).toBe(1);
    note(`ack lost, tab ${fault} and loaded again`, ended);
    await crashing.close();
  },
);

test.each(["while its tool runs", "before its ack arrives", "after its answer"] as const)(
  "a key whose browser was killed %s, and started again with what the tab had stored, does not run again",
  async (moment) => {
    const tag = moment.replaceAll(" ", "-");
    const killed = await launchChromium();
    const lost = await killed.open(world.pages.url("/counted"));
    await connected(lost);
    // A reload writes sessionStorage to disk: the data that a browser restores after a kill is older than the call.
    await lost.reload();
    await connected(lost);
    const tabId = await tabIdOf(lost);
    const stored = await lost.evaluate<Record<string, string>>("({ ...sessionStorage })");
    await offersCounted(tabId);
    if (moment === "before its ack arrives") proxy.pause("toTarget", "drop");
    const input = { tag, holds: moment === "while its tool runs" };
    const call = world.call("counted", input, { key: tag, tab: tabId });
    await expect.poll(() => runsOf(tag)).toBe(1);
    if (moment === "after its answer") await call;
    await killed.kill();
    proxy.reset();
    proxy.resume();
    const next = await openChromium();
    const back = await next.open(world.pages.url("/elsewhere"));
    await back.evaluate((items: Record<string, string>) => void Object.assign(sessionStorage, items), stored);
    await back.navigate(world.pages.url("/counted"));
    await connected(back);
    expect(await tabIdOf(back)).toBe(tabId);
    const ended = await call;
    const isAnswered = moment === "after its answer";
    const expected = isAnswered ? { outcome: "ok", ran: "yes" } : { outcome: "outcome-unknown", ran: "maybe" };
    expect(ended).toMatchObject(expected);
    expect(await world.call("counted", input, { key: tag, tab: tabId })).toMatchObject({ ...expected, replay: true });
    await offersCounted(tabId);
    expect(await world.call("counted", { tag: `${tag}-next` }, { tab: tabId })).toMatchObject({ outcome: "ok" });
    expect(runsOf(tag)).toBe(1);
    note(`browser killed ${moment}, started again, the key sent again`, ended);
    await next.close();
  },
);

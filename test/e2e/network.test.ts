// What becomes of a call when the network between page and hub breaks. The page reaches the hub through a proxy that breaks it.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createFaultProxy } from "pagewire/testing";
import type { FaultProxy } from "pagewire/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { recordFault } from "../support/record-fault.ts";
import type { Tab } from "./support/tab.ts";
import { connected, countsOf, createWorld, started, tabIdOf } from "./support/world.ts";
import type { HttpOutcome, World } from "./support/world.ts";

let world: World;
let proxy: FaultProxy;
let tab: Tab;

beforeAll(async () => {
  const port = await freePort();
  proxy = await createFaultProxy({ target: { host: "127.0.0.1", port } });
  world = await createWorld({
    port,
    limits: { heartbeatTime: 400, graceTime: 12_000 },
    publicHosts: [`127.0.0.1:${proxy.port}`],
    hubAddress: () => `http://127.0.0.1:${proxy.port}`,
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
});

afterAll(async () => {
  await world.close();
  await proxy.close();
});

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

test("E30: a connection that is reset while a tool runs is made again, and the call ends with its result", async () => {
  const call = world.call("hold", { tag: "reset" });
  await started(tab, "reset");
  proxy.reset();
  await tab.waitFor("pagewire.state.status !== 'connected'");
  await connected(tab);
  await tab.evaluate("finish()");
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok", result: { structuredContent: { tag: "reset" } } });
  expect(await countsOf(tab, "reset")).toEqual({ ran: 1, aborted: 0 });
  note("connection reset while the tool runs", ended);
});

test("E31, P21: a result that is ready while there is no connection is delivered when there is one", async () => {
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

test("E32: a connection that is half-open towards the hub is noticed, and the result that it swallowed comes after all", async () => {
  const call = world.call("hold", { tag: "half" });
  await started(tab, "half");
  proxy.pause("toTarget", "drop");
  await tab.evaluate("finish()");
  await tab.waitFor("pagewire.state.status !== 'connected'", { timeout: 20_000 });
  proxy.resume();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "half")).toEqual({ ran: 1, aborted: 0 });
  note("half-open towards the hub, the result lost", ended);
});

test("E33, P14: a call that a half-open connection swallowed on its way to the page runs once when the page is back", async () => {
  proxy.pause("toClient", "drop");
  const call = world.call("echo", { tag: "swallowed" });
  await tab.waitFor("pagewire.state.status !== 'connected'", { timeout: 20_000 });
  proxy.resume();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "swallowed")).toMatchObject({ ran: 1 });
  note("half-open towards the page, the call lost", ended);
});

test("E34: a page that stays away leaves the outcome unknown, and never says that nothing ran when something did", async () => {
  const call = world.call("hold", { tag: "away" });
  await started(tab, "away");
  proxy.refuse(true);
  proxy.reset();
  const ended = await call;
  expect(ended).toMatchObject({ outcome: "outcome-unknown", ran: "maybe" });
  note("connection reset, the page stays away", ended);
});

test("E35: a slow network delivers every byte, in time that is the call's own", async () => {
  proxy.setLatency(100);
  proxy.setRate(400_000);
  const ended = await world.call("big", { tag: "slow", ms: 200_000 });
  expect(ended.result?.content[0]?.text).toHaveLength(200_000);
  note("slow network, 100 ms and 400 KB/s", ended);
});

test("E36: connections that are reset over and over end each call once, and each tool ran at most once", async () => {
  for (let round = 0; round < 5; round++) {
    const call = world.call("wait", { tag: `round-${round}`, ms: 100 }, { tab: await tabIdOf(tab) });
    await started(tab, `round-${round}`);
    proxy.reset();
    await tab.waitFor("pagewire.state.status !== 'connected'");
    // Each attempt waits longer than the one before: whoever looks at the page asks for one now.
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

// Pages that keep their hub although the worker cannot reach it, or stays silent for long.
import { createHub } from "pagewire/hub";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page } from "./support/page-server.ts";
import { waitUntil } from "./support/wait.ts";
import { connected, countsOf, offered, worldToken } from "./support/world.ts";
import { back, builtScript, createWorkerWorld, note, once, statesOf, viaOf, watch } from "./worker.test-helper.ts";
import type { WorkerWorld } from "./worker.test-helper.ts";

let world: WorkerWorld;

beforeAll(async () => {
  world = await createWorkerWorld();
  world.served["/serving.js"] = builtScript("pagewire-serving-worker.js");
});

afterEach(() => world.closeTabs());

afterAll(() => world.close());

test("a policy of the worker's own file that forbids the hub costs the sharing, and no tab its hub", async () => {
  const headers = { "content-security-policy": "default-src 'self'" };
  world.served["/strict.js"] = { ...(builtScript("pagewire-worker.js") as { body: Buffer; type: string }), headers };
  world.served["/policy"] = world.main.page({ attributes: 'data-worker="/strict.js"' });
  const tab = await world.open("/policy");
  const { kind, reason } = await viaOf(tab);
  expect([kind, reason]).toEqual([
    "socket",
    expect.stringMatching(/^shared-worker: No hub answers .*Content-Security/),
  ]);
  expect(await world.main.echo(tab, "by-itself")).toMatchObject({ outcome: "ok" });
});

test("a public page is asked for its local-network permission, and told that it was denied, as without a worker", async () => {
  const served: Record<string, Page> = {};
  const pages = await servePages(served);
  const hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [pages.origin] });
  const browser = await launchChromium({
    args: [
      `--ip-address-space-overrides=127.0.0.1:${pages.port}=public`,
      `--unsafely-treat-insecure-origin-as-secure=${pages.origin}`,
    ],
  });
  try {
    // The page's chunks do not come from the hub, so that its first contact with the hub is the link itself.
    for (const part of ["session", "accept-value", "validator", "worker", "unreachable"]) {
      served[`/pagewire/${part}.js`] = builtScript(`chunks/${part}.js`);
    }
    for (const name of ["pagewire.js", "pagewire-worker.js"]) served[`/${name}`] = builtScript(name);
    served["/"] = `<!doctype html><script src="/pagewire.js" data-hub="${hub.url}" data-worker data-app="x"></script>`;
    const tab = await browser.open(pages.url("/"));
    await tab.waitFor("pagewire.state.code === 'local-network-denied'");
    await browser.send("Browser.setPermission", {
      permission: { name: "loopback-network" },
      setting: "granted",
      origin: pages.origin,
    });
    await tab.evaluate("pagewire.reconnect()");
    await connected(tab);
  } finally {
    await browser.close();
    await hub.close();
    await pages.close();
  }
});

test("after a short outage a hub finds the calls that it runs going on, also in pages that the worker served meanwhile", async () => {
  const hub = await world.addHub({ graceTime: 60_000 });
  world.served["/outage"] = hub.page({ attributes: 'data-worker="/serving.js"' });
  const tab = await world.open("/outage");
  await watch(tab);
  const run = await hub.start(tab, "outage");
  hub.proxy.refuse(true);
  hub.proxy.reset();
  await tab.waitFor("pagewire.state.message.startsWith('No hub answers')");
  await back(tab);
  hub.proxy.refuse(false);
  await tab.waitFor("pagewire.state.message.startsWith('Connected to the hub')");
  await tab.evaluate("finish()");
  const ended = await run.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await countsOf(tab, "outage")).toEqual(once);
  note("hub out of reach for a moment while a tool runs, served by the worker meanwhile", ended);
});

test("a page that is served without its hub says so, and reconnect() finds the hub at once", async () => {
  const hub = await world.addHub();
  hub.proxy.refuse(true);
  world.served["/alone"] = hub.page({ attributes: 'data-worker="/serving.js"' });
  const tab = await world.open("/alone");
  await watch(tab);
  expect(await tab.evaluate("pagewire.state.message")).toBe(
    `No hub answers at http://127.0.0.1:${hub.proxy.port}. The worker serves this browser's own clients, and looks for it.`,
  );
  hub.proxy.refuse(false);
  await tab.evaluate("pagewire.reconnect()");
  await tab.waitFor("pagewire.state.message.startsWith('Connected to the hub')");
  await offered(tab, hub.call);
  expect(await hub.echo(tab, "found")).toMatchObject({ outcome: "ok" });
});

test("tabs that were hidden for long give a worker that hangs up as soon as others, not once a minute", async () => {
  const browser = await launchChromium({
    args: ["--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/10"],
  });
  try {
    const tabs = [await browser.open(world.pages.url("/")), await browser.open(world.pages.url("/"))];
    // With a socket of its own, a page's timers would not be throttled.
    await Promise.all(tabs.map((tab) => tab.waitFor("pagewire.state.via?.kind === 'shared-worker'")));
    for (const tab of tabs) {
      await tab.hide();
      await watch(tab);
      await tab.evaluate(`
        window.ticks = [];
        (function tick() { ticks.push(performance.now() - since); setTimeout(tick, 1000); })();
      `);
    }
    // From then on chained timers fire once per minute; check early in that minute, so that none fires before the end.
    const isHeldBack = `(() => {
      const [before, last] = ticks.slice(-2);
      const age = performance.now() - since - last;
      return last - before > 5000 && age > 1000 && age < 20_000 && ticks.length;
    })()`;
    let counts: readonly (number | false)[] = [];
    await waitUntil(
      async () =>
        (counts = await Promise.all(tabs.map((tab) => tab.evaluate<number | false>(isHeldBack)))).every(Boolean),
      () => `The browser does not hold the timers of hidden tabs back: ${counts.join()}.`,
      300_000,
    );
    expect(await browser.startInWorkers("pagewire-worker", "for (;;);")).toBe(1);
    for (const [index, tab] of tabs.entries()) {
      await back(tab, 90_000);
      expect(await tab.evaluate("ticks.length")).toBe(counts[index]);
      expect((await statesOf(tab)).at(-1)).toMatchObject({ via: { kind: "shared-worker" } });
    }
    note("hangs while all tabs are hidden for long", "ok, one run each: given up before the next minute", 2);
  } finally {
    await browser.close();
  }
}, 400_000);

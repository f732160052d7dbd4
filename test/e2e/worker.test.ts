// A page's link to its hub: through a worker where possible, otherwise through its own socket, and then it reports why.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connected, countsOf, tabIdOf } from "./support/world.ts";
import {
  back,
  builtScript,
  createWorkerWorld,
  note,
  once,
  scriptOfVersions,
  statesOf,
  viaOf,
  watch,
} from "./worker.test-helper.ts";
import type { PageOfApp, ProxiedHub, WorkerWorld } from "./worker.test-helper.ts";

let world: WorkerWorld;
let main: ProxiedHub;

/** A browser without SharedWorkers. */
const withoutShared = "<script>delete window.SharedWorker</script>";

beforeAll(async () => {
  world = await createWorkerWorld();
  ({ main } = world);
  world.served["/service"] = main.page({ before: withoutShared });
});

afterEach(() => world.closeTabs());

afterAll(() => world.close());

test("tabs that use the worker share one socket, and each is called by its own id", async () => {
  const tabs = await world.openMany(3);
  expect(await Promise.all(tabs.map(viaOf))).toEqual(tabs.map(() => ({ kind: "shared-worker" })));
  const ids = await Promise.all(tabs.map(tabIdOf));
  expect(new Set(ids).size).toBe(3);
  for (const [index, tab] of tabs.entries()) {
    await tab.evaluate(`pagewire.registerTool({ name: "which", execute: () => "tab ${index}" })`);
    const called = async () => (await main.call("which", {}, { tab: ids[index] ?? "" })).result?.content[0]?.text;
    await expect.poll(called).toBe(`tab ${index}`);
  }
  expect(main.proxy.connections).toBe(1);
});

interface Refusal {
  readonly page?: PageOfApp;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reason: RegExp;
}

const noScript = /^shared-worker: The script at \/none.js could not be started. See that .* allows it as worker-src.$/;
const noPolicy =
  /^shared-worker: The script at \/pagewire-worker.js could not be started. See that .* service-worker: .*Content Security Policy/;

test.each<[string, Refusal]>([
  ["there is no script", { page: { attributes: 'data-worker="/none.js"' }, reason: noScript }],
  ["its policy forbids workers", { headers: { "content-security-policy": "worker-src 'none'" }, reason: noPolicy }],
  [
    "the script is another origin's",
    { page: { attributes: 'data-worker="http://other.test/a.js"' }, reason: /origin/ },
  ],
  [
    "there are no workers",
    { page: { before: withoutShared, attributes: 'data-worker="/a.js"' }, reason: /no SharedWorker/ },
  ],
])("a page for which %s connects by itself and says why", async (_case, { page, headers, reason }) => {
  world.served["/case"] = { body: main.page(page), ...(headers && { headers }) };
  const tab = await world.open("/case");
  const via = await viaOf(tab);
  expect([via.kind, via.reason]).toEqual(["socket", expect.stringMatching(reason)]);
  expect(await main.echo(tab, `case-${reason.source}`)).toMatchObject({ outcome: "ok" });
  if (headers) note("SharedWorker and ServiceWorker refused by policy", "the page connects by itself and says why");
});

test("a page that is not secure has no Web Locks: it connects by itself and says why", async () => {
  const tab = await world.browser.open(`${world.pages.originFor("insecure.test")}/`);
  await connected(tab);
  const { kind, reason } = await viaOf(tab);
  expect([kind, reason]).toEqual(["socket", expect.stringContaining("Only secure pages have Web Locks")]);
});

test("in a browser without SharedWorkers tabs share one socket by the ServiceWorker", async () => {
  const tabs = await world.openMany(2, "/service");
  for (const [index, tab] of tabs.entries()) {
    expect(await viaOf(tab)).toEqual({
      kind: "service-worker",
      reason: "shared-worker: This browser has no SharedWorker.",
    });
    expect(await main.echo(tab, `service-${index}`)).toMatchObject({ outcome: "ok" });
    expect(await countsOf(tab, `service-${index}`)).toEqual(once);
  }
  expect(main.proxy.connections).toBe(1);
});

test("the app's own ServiceWorker keeps its pages and their fetches, and ours has none", async () => {
  world.served["/app-worker.js"] = {
    type: "text/javascript",
    body: `
      self.oninstall = () => self.skipWaiting();
      self.onactivate = (event) => event.waitUntil(self.clients.claim());
      self.onfetch = (event) => {
        if (event.request.url.endsWith("/from-app")) event.respondWith(new Response("from the app's worker"));
      };
    `,
  };
  const setup = await world.browser.open(world.pages.url("/elsewhere"));
  await setup.evaluate(async () => {
    await navigator.serviceWorker.register("/app-worker.js");
    await navigator.serviceWorker.ready;
  });
  const tab = await world.open("/service");
  expect((await viaOf(tab)).kind).toBe("service-worker");
  const seen = await tab.evaluate(async () => ({
    controller: navigator.serviceWorker.controller?.scriptURL,
    fetched: await (await fetch("/from-app")).text(),
    registrations: (await navigator.serviceWorker.getRegistrations()).map(({ scope, active }) => [
      new URL(scope).pathname,
      new URL(active?.scriptURL ?? "").pathname,
    ]),
  }));
  expect(seen).toEqual({
    controller: world.pages.url("/app-worker.js"),
    fetched: "from the app's worker",
    registrations: expect.arrayContaining([
      ["/", "/app-worker.js"],
      ["/pagewire-service-worker.js", "/pagewire-service-worker.js"],
    ]),
  });
  expect(seen.registrations).toHaveLength(2);
  await tab.evaluate(async () => (await navigator.serviceWorker.getRegistration("/"))?.unregister());
});

test("a ServiceWorker that the browser stopped is woken up, and calls that ran meanwhile end with their results", async () => {
  const tabs = await world.openMany(2, "/service");
  const [tab, other] = tabs;
  await Promise.all(tabs.map(watch));
  const run = await main.start(tab, "stopped");
  const otherId = await tabIdOf(other);
  await tab.send("ServiceWorker.enable");
  await tab.send("ServiceWorker.stopAllWorkers");
  const call = main.call("echo", { tag: "while-stopped" }, { tab: otherId });
  await Promise.all(tabs.map((one) => back(one)));
  await tab.evaluate("finish()");
  const ended = await run.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await call).toMatchObject({ outcome: "ok" });
  for (const tag of ["stopped", "while-stopped"]) expect(await countsOf(tab, tag)).toEqual(once);
  expect(await Promise.all(tabs.map(viaOf))).toMatchObject([{ kind: "service-worker" }, { kind: "service-worker" }]);
  await expect.poll(() => main.proxy.connections).toBe(1);
  note("ServiceWorker stopped by the browser while a tool runs and a call comes", ended, 2);
});

test("a page of the hub's own origin can use the workers that the hub serves", async () => {
  const tab = await world.browser.open(`${main.hub.url}/`);
  const said = await tab.evaluate(
    async (url) => {
      const { port } = new SharedWorker("/pagewire-worker.js", { type: "module" });
      const next = () => new Promise<unknown>((resolve) => (port.onmessage = ({ data }) => resolve(data)));
      await new Promise<void>((taken) => {
        void navigator.locks.request("page", () => {
          taken();
          return new Promise(() => {});
        });
      });
      port.postMessage({ type: "hello", versions: [1], page: "page" });
      const { type } = (await next()) as { type: string };
      port.postMessage({ type: "carry", id: "own", url }, [new MessageChannel().port1]);
      return [type, await next()];
    },
    `${main.hub.url.replace("http", "ws")}/page`,
  );
  expect(said).toEqual(["hello", { type: "carried", id: "own" }]);
  const scope = await tab.evaluate(async () => {
    const url = "/pagewire-service-worker.js";
    const registration = await navigator.serviceWorker.register(url, { type: "module", scope: url });
    await registration.unregister();
    return new URL(registration.scope).pathname;
  });
  expect(scope).toBe("/pagewire-service-worker.js");
});

test("an old worker and a new page, or the other way round, agree on a version or keep out of each other's way", async () => {
  const oldTab = await world.open();
  await watch(oldTab);
  const kept = await main.start(oldTab, "beside-new-version");
  const newPage = async (versions: readonly number[]) => {
    for (const part of ["session", "accept-value", "validator"]) {
      world.served[`/new/pagewire/${part}.js`] = builtScript(`chunks/${part}.js`);
    }
    world.served["/new/pagewire.js"] = builtScript("pagewire.js");
    world.served["/new/pagewire/worker.js"] = await scriptOfVersions("src/page/chunks/worker.ts", versions);
    world.served["/new"] = main.page({ script: "/new" });
    return world.open("/new");
  };

  // The new page is deployed before its worker's script, so it connects without a worker.
  const early = await newPage([2]);
  expect(await viaOf(early)).toMatchObject({ kind: "socket" });
  expect((await viaOf(early)).reason).toContain("The worker speaks versions 1 and this page 2.");
  expect(await main.echo(early, "early")).toMatchObject({ outcome: "ok" });

  // The old worker script serves a page that speaks both versions.
  const both = await newPage([2, 1]);
  expect(await viaOf(both)).toEqual({ kind: "shared-worker" });
  expect(await main.echo(both, "both")).toMatchObject({ outcome: "ok" });
  await both.close();

  // The new script starts a new worker, and the old tab stays with the old one.
  world.served["/pagewire-worker.js"] = await scriptOfVersions("src/worker/shared-worker.ts", [2]);
  const late = await newPage([2]);
  expect(await viaOf(late)).toEqual({ kind: "shared-worker" });
  expect(await main.echo(late, "late")).toMatchObject({ outcome: "ok" });
  await oldTab.evaluate("finish()");
  const ended = await kept.ended;
  expect(ended).toMatchObject({ outcome: "ok" });
  expect(await statesOf(oldTab)).toEqual([]);
  expect(await countsOf(oldTab, "beside-new-version")).toEqual(once);

  // An old page that finds only the new script connects without it, until the script speaks the old version too.
  await oldTab.reload();
  await connected(oldTab);
  expect((await viaOf(oldTab)).reason).toContain("The worker speaks versions 2 and this page 1.");
  expect(await main.echo(oldTab, "left-behind")).toMatchObject({ outcome: "ok" });
  world.served["/pagewire-worker.js"] = await scriptOfVersions("src/worker/shared-worker.ts", [2, 1]);
  await oldTab.reload();
  await connected(oldTab);
  expect(await viaOf(oldTab)).toEqual({ kind: "shared-worker" });
  expect(await main.echo(oldTab, "taken-along")).toMatchObject({ outcome: "ok" });
  world.served["/pagewire-worker.js"] = builtScript("pagewire-worker.js");
  note("versions of page and worker differ, both ways, while a tool runs", ended);
});

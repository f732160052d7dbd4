// The seed's client in a real browser: behaviour that unit tests cannot show.
import { readFileSync } from "node:fs";
import type { WorkerClient } from "pagewire/worker";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import type { Page } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { createWorld, listTabs } from "./support/world.ts";
import type { World } from "./support/world.ts";

const built = (name: string) => readFileSync(new URL(`../../dist/browser/${name}`, import.meta.url), "utf8");
const blank = '<!doctype html><title>Client</title><script type="module" src="/client.js"></script>';

let world: World;

beforeAll(async () => {
  const served: Record<string, Page> = { "/client": blank };
  served["/client.js"] = await bundleModule(`
    import { WorkerClient } from "pagewire/worker";
    const client = new WorkerClient();
    client.onConnectionStatus((_, state) => (window.state = state));
    Object.assign(window, { client, runs: 0, hub: new URLSearchParams(location.search).get("hub") });
    await client.registerTool("count", "Counts its runs.", {}, () => ({ content: [{ type: "text", text: String(++runs) }] }));
  `);
  for (const name of ["pagewire-worker.js", "pagewire-service-worker.js"]) {
    served[`/${name}`] = { body: built(name), type: "text/javascript" };
  }
  served["/own-worker.js"] = { body: "self.isOwn = true;", type: "text/javascript" };
  world = await createWorld({ morePages: () => served, limits: { graceTime: 500 } });
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) {
    await tab.evaluate(unregister);
    await tab.close();
  }
  await waitUntil(
    async () => (await listTabs(world.call)).length === 0,
    () => "A tab is still listed.",
  );
});

afterAll(() => world.close());

/** Opens the page, and starts its client with a script. */
async function open(init: string): Promise<Tab> {
  const hub = encodeURIComponent(world.hub.url.replace("http", "ws"));
  const tab = await world.browser.open(world.pages.url(`/client?hub=${hub}`));
  await tab.waitFor("window.client");
  await tab.evaluate(`(async () => { ${init} })()`);
  await tab.waitFor("window.state?.status === 'connected'");
  await waitUntil(
    async () => (await listTabs(world.call)).some(({ tools }) => tools.includes("count")),
    () => "The hub has no tool of this tab.",
  );
  return tab;
}

const unregister =
  "navigator.serviceWorker.getRegistrations().then((all) => Promise.all(all.map((one) => one.unregister())))";
const textOf = async () => (await world.call("count", {})).result?.content[0]?.text;
test("a page that gives its registration is carried by that ServiceWorker, and each call runs once", async () => {
  const tab = await open(`
    const registration = await navigator.serviceWorker.register("/pagewire-service-worker.js");
    await client.init(registration, { backendWsUrl: hub });
  `);
  expect(await tab.evaluate("[client.initialized, state.via.kind]")).toEqual([true, "service-worker"]);
  expect([await textOf(), await textOf(), await tab.evaluate("runs")]).toEqual(["1", "2", 2]);
});

test("where there is no SharedWorker, the app's own ServiceWorker is left as it is", async () => {
  const tab = await open(`
    await navigator.serviceWorker.register("/own-worker.js");
    await client.init({ sharedWorkerUrl: "/none.js", backendWsUrl: hub });
  `);
  expect(await tab.evaluate("state.via.kind")).toBe("service-worker");
  expect(
    await tab.evaluate("navigator.serviceWorker.getRegistration('/').then(({ active }) => active.scriptURL)"),
  ).toBe(world.pages.url("/own-worker.js"));
  expect(await textOf()).toBe("1");
});

test("where no worker can be had, the page connects by itself, and says why", async () => {
  const tab = await open(
    `await client.init({ sharedWorkerUrl: "/none.js", serviceWorkerUrl: "/none-either.js", backendWsUrl: hub });`,
  );
  const { kind, reason } = await tab.evaluate<{ kind: string; reason: string }>("state.via");
  expect(kind).toBe("socket");
  expect(reason).toMatch(/shared-worker: .+none\.js.+ service-worker: .+/s);
  expect(await textOf()).toBe("1");
});

test("nothing of a call is written to the page's console", async () => {
  const tab = await open("await client.init({ backendWsUrl: hub });");
  await world.call("count", { secret: "do not print" });
  expect([tab.console.messages, tab.console.errors]).toEqual([[], []]);
});

test("without a hub and without a token, init and registerTool are done at once, and the client says how it stands", async () => {
  const tab = await world.browser.open(world.pages.url("/client"));
  await tab.waitFor("window.client");
  await tab.evaluate(`(async () => {
    await client.init({ backendWsUrl: "ws://127.0.0.1:1" });
    await client.registerTool("late", "", {}, () => "late");
  })()`);
  expect(await tab.evaluate("client.getRegisteredTools()")).toEqual(["count", "late"]);
  expect(await tab.evaluate("client.getConnectionStatus()")).toBe(false);
});

declare global {
  interface Window {
    client: WorkerClient;
  }
}

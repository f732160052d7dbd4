// The seed's client in a real browser: behaviour that unit tests cannot show.
import { readFileSync } from "node:fs";
import { createHub } from "pagewire/hub";
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
  served["/shared"] = {
    body: `<!doctype html><title>Shared</title><script src="/webmcp-polyfill.js"></script><script type="module" src="/shared.js"></script>`,
  };
  served["/shared.js"] = await bundleModule(`
    import { WorkerClient, workerClient } from "pagewire/worker";
    Object.assign(window, { WorkerClient, clients: [workerClient, new WorkerClient()], heard: [], told: [] });
    window.hub = new URLSearchParams(location.search).get("hub");
  `);
  served["/webmcp-polyfill.js"] = { body: built("webmcp-polyfill.js"), type: "text/javascript" };
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

/** Opens a page with two clients that have not begun. */
async function openTwo(url = world.hub.url): Promise<Tab> {
  const tab = await world.browser.open(world.pages.url(`/shared?hub=${encodeURIComponent(url.replace("http", "ws"))}`));
  await tab.waitFor("window.clients");
  return tab;
}

test("two clients of a page are one tab, and a tabId leads to the tool of that tab, also where tabs define it differently", async () => {
  const tabs = [await openTwo(), await openTwo()];
  for (const [index, tab] of tabs.entries()) {
    await tab.evaluate(`(async () => {
      const [one, other] = clients;
      const say = (words) => async () => ({ content: [{ type: "text", text: words }] });
      await one.registerTool("where", "Version ${index}.", {}, say("one of ${index}"));
      await other.registerTool("other", "", {}, say("other of ${index}"));
      await Promise.all(clients.map((client) => client.init({ backendWsUrl: hub })));
    })()`);
    await tab.waitFor("clients.every((client) => client.getTabId())");
  }
  const ids = await Promise.all(
    tabs.map((tab) => tab.evaluate<string[]>("clients.map((client) => client.getTabId())")),
  );
  expect(ids.map((each) => new Set(each).size)).toEqual([1, 1]);
  const tools = async () => (await listTabs(world.call)).map((each) => each.tools.toSorted());
  await expect.poll(tools).toEqual([
    ["other", "where"],
    ["other", "where"],
  ]);
  for (const [index, [tabId, same]] of ids.entries()) {
    const said = async (name: string, id = "") => (await world.call(name, { tabId: id })).result?.content[0]?.text;
    expect([await said("where", same), await said("other", tabId)]).toEqual([`one of ${index}`, `other of ${index}`]);
  }
  expect((await world.call("where", {})).error?.code).toBe("tool-ambiguous");
});

test("the browser's own agent has the tools of a client unless the client says no, and a forgotten tab gets another id", async () => {
  const tab = await openTwo();
  await tab.evaluate(`(async () => {
    await clients[0].registerTool("greet", "Greets.", {}, () => "hello");
    await clients[0].init({ backendWsUrl: hub });
  })()`);
  await tab.waitFor("clients[0].isToolRegisteredViaWebMcp('greet')");
  const taken = "document.modelContext.getTools().then((tools) => tools.map(({ name }) => name))";
  expect(await tab.evaluate(taken)).toEqual(["greet"]);
  await tab.evaluate("clients[0].setWebMcpEnabled(false)");
  expect(await tab.evaluate(taken)).toEqual([]);
  expect(await tab.evaluate("[WorkerClient.isWebMcpSupported(), clients[0].isWebMcpAvailable()]")).toEqual([
    true,
    false,
  ]);
  await tab.waitFor("clients[0].getTabId()");
  const before = await tab.evaluate("clients[0].getTabId()");
  await tab.evaluate("WorkerClient.clearTabId()");
  expect(await tab.evaluate("clients[0].getTabId()")).toBe(before);
  await tab.reload();
  await tab.waitFor("window.clients");
  await tab.evaluate("clients[0].init({ backendWsUrl: hub })");
  await tab.waitFor("clients[0].getTabId()");
  expect(await tab.evaluate("clients[0].getTabId()")).not.toBe(before);
});

test("two clients of a page offer each tool to the browser's own agent once, without an error, until its own client says no", async () => {
  const tab = await openTwo();
  await tab.evaluate(`(async () => {
    await clients[0].registerTool("one", "", {}, () => "one");
    await clients[1].registerTool("other", "", {}, () => "other");
    const onError = ({ message }) => told.push(message);
    await Promise.all(clients.map((client) => client.init({ backendWsUrl: hub, onError })));
  })()`);
  await tab.waitFor("clients[0].isToolRegisteredViaWebMcp('one') && clients[1].isToolRegisteredViaWebMcp('other')");
  const taken = "document.modelContext.getTools().then((tools) => tools.map(({ name }) => name).toSorted())";
  expect(await tab.evaluate("clients.map((client) => client.getWebMcpRegisteredTools())")).toEqual([
    ["one"],
    ["other"],
  ]);
  expect(await tab.evaluate(taken)).toEqual(["one", "other"]);
  await tab.evaluate("clients[0].setWebMcpEnabled(false)");
  expect(await tab.evaluate(taken)).toEqual(["other"]);
  await tab.evaluate("clients[1].close()");
  expect([await tab.evaluate(taken), await tab.evaluate("told")]).toEqual([[], []]);
});

test("a page whose token the hub refuses is told why, by its handler of errors and by its status listener", async () => {
  const jwt = { secret: "a-secret-of-at-least-32-characters" };
  const hub = await createHub({ port: 0, jwt });
  const tab = await openTwo(hub.url);
  await tab.evaluate(`(async () => {
    clients[0].onConnectionStatus((isConnected, { code, message }) => heard.push([isConnected, code, message]));
    clients[0].setAuthToken("a.refused.token");
    await clients[0].init({ backendWsUrl: hub, onError: ({ code, message }) => told.push([code, message]) });
  })()`);
  await tab.waitFor("told.length > 0");
  const [heard, told] = await tab.evaluate<[unknown[][], unknown[][]]>("[heard, told]");
  expect(told).toEqual([["token-invalid", expect.stringContaining("JSON Web Token")]]);
  expect(heard).toEqual([[false, ...(told[0] ?? [])]]);
  await hub.close();
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

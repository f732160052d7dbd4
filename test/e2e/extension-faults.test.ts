// Faults around the extension: hostile pages, other extensions, browsers that die, and too much of everything.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ShownTab } from "../../src/extension/index.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { worldToken } from "./support/world.ts";

const registering = (count: number) => `<!doctype html><title>Many</title><script>
for (let at = 0; at < ${count}; at++) document.modelContext.registerTool({ name: "many_" + at, description: "d".repeat(50),
  annotations: { readOnlyHint: true }, execute: () => at });
</script>`;

/** Answers every event of the extension falsely, before and after its own tool is there. */
const liar = (hub: string) => `<!doctype html><title>Liar</title><script>
const answers = [undefined, null, 7, "", "{", "[]", "null", JSON.stringify({ hub: {}, status: "connected", tools: 7 }),
  JSON.stringify({ hub: "x".repeat(1e6), status: "connected" }), "[".repeat(1e5), JSON.stringify({ hub: "${hub}", status: "away" })];
const lie = () => {
  for (const detail of answers) document.dispatchEvent(new CustomEvent("pagewire-host", { detail }));
  document.dispatchEvent(Object.defineProperty(new CustomEvent("pagewire-host"), "detail", { get() { throw new Error("no") } }));
};
document.addEventListener("pagewire-host?", () => { lie(); document.dispatchEvent(new CustomEvent("pagewire-host-changed")); });
let floods = 0;
const flood = () => { document.dispatchEvent(new CustomEvent("pagewire-host-changed")); lie(); if (floods++ < 200) setTimeout(flood); };
flood();
Object.defineProperty(document, "title", { get() { throw new Error("no title") } });
JSON.parse = () => { throw new Error("not yours") };
document.modelContext.registerTool({ name: "honest", description: "d", annotations: { readOnlyHint: true }, execute: () => "true" });
</script>`;

let world: ExtensionWorld;

beforeAll(async () => {
  world = await createExtensionWorld({
    limits: { graceTime: 500 },
    pages: (hub) => ({ "/many": registering(10_000), "/liar": liar(hub) }),
    // The pages of a site share processes, so that many tabs fit a small machine.
    chromium: { args: ["--renderer-process-limit=4"] },
  });
  await world.pair();
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) if (await isOfSite(tab)) await tab.close();
  await waitUntil(
    async () => (await world.tabs()).length === 0,
    () => "A tab is still listed.",
  );
});

afterAll(() => world?.close());

async function isOfSite(tab: Tab): Promise<boolean> {
  return (await tab.evaluate("location.origin")) === world.pages.origin;
}

const price = (tab: string) => world.call("price_of", { item: "tea" }, { tab });

test("fifty tabs are listed, each is called, and all are there again after the worker was stopped", async () => {
  for (let at = 0; at < 50; at++) await world.browser.open(world.pages.url("/"));
  await expect.poll(async () => (await world.tabs()).filter(({ tools }) => tools.length === 3).length).toBe(50);
  const ids = (await world.tabs()).map(({ tabId }) => tabId);
  expect(new Set(ids).size).toBe(50);
  const outcomes = await Promise.all(ids.map(price));
  expect(outcomes.filter(({ outcome }) => outcome !== "ok")).toEqual([]);

  await world.stopWorker();
  await expect.poll(async () => (await world.tabs()).filter(({ state }) => state === "connected").length).toBe(50);
  expect((await world.tabs()).map(({ tabId }) => tabId).toSorted()).toEqual(ids.toSorted());
  expect((await Promise.all(ids.map(price))).filter(({ outcome }) => outcome !== "ok")).toEqual([]);
});

test("a page that registers ten thousand tools offers a part of them, and disturbs no other page", async () => {
  await world.open("/");
  await world.open("/many");
  const many = async () => (await world.tabs()).find(({ title }) => title === "Many");
  await expect.poll(async () => (await many())?.tools.length).toBeGreaterThan(100);
  expect((await many())?.tools.length).toBeLessThanOrEqual(256);
  expect(await world.call("many_1", {})).toMatchObject({ outcome: "ok" });
  const others = (await world.tabs()).find(({ title }) => title === "Shop");
  expect(await price(others?.tabId ?? "")).toMatchObject({ outcome: "ok" });
  const mostShown = async () => {
    const shown = Object.entries(await world.everything()).filter(([name]) => name.startsWith("tab:"));
    return Math.max(...shown.map(([, tab]) => (tab as ShownTab).tools.length));
  };
  await expect.poll(mostShown).toBeGreaterThan(100);
  expect(await mostShown()).toBeLessThanOrEqual(200);
});

test("a page that answers the extension's events falsely offers its tool, and nothing else changes", async () => {
  await world.open("/");
  await world.open("/liar");
  expect(await world.call("honest", {})).toMatchObject({ outcome: "ok", result: { content: [{ text: "true" }] } });
  const { origin } = world.pages;
  expect((await world.tabs()).map((tab) => tab.origin)).toEqual([origin, origin]);
  const shop = (await world.tabs()).find(({ title }) => title === "Shop");
  expect(await price(shop?.tabId ?? "")).toMatchObject({ outcome: "ok" });
  expect(await world.shownHub()).toMatchObject({ status: "connected" });
});

test("two windows of a profile are one browser, and each tab is called where it is", async () => {
  const tab = await world.open("/");
  await world.browser.open(world.pages.url("/"), { newWindow: true });
  await expect.poll(async () => (await world.tabs()).length).toBe(2);
  const tabs = await world.tabs();
  expect(tabs.map(({ browser }) => browser)).toEqual(["Ann's Chrome", "Ann's Chrome"]);
  for (const { tabId } of tabs) expect(await price(tabId)).toMatchObject({ outcome: "ok" });
  await tab.close();
  await expect.poll(async () => (await world.tabs()).length).toBe(1);
});

/** Another profile's browser, which is paired with the first one's hub and shows a page. */
async function openProfile(name: string): Promise<ExtensionWorld> {
  const profile = await createExtensionWorld();
  onTestFinished(() => profile.close());
  const paired = { type: "pair", address: world.hub.url, code: await mintCode(), browser: name } as const;
  expect(await profile.send(paired)).toEqual({ ok: true });
  await profile.browser.open(profile.pages.url("/"));
  await expect.poll(() => tabOf(name)).toMatchObject({ origin: profile.pages.origin, state: "connected" });
  await expect.poll(async () => (await tabOf(name))?.tools).toHaveLength(3);
  return profile;
}

const authorization = `Bearer ${worldToken}`;

async function mintCode(): Promise<string> {
  const response = await fetch(`${world.hub.url}/api/browser-codes`, { method: "POST", headers: { authorization } });
  return ((await response.json()) as { readonly code: string }).code;
}

const tabOf = async (name: string) => (await world.tabs()).find(({ browser }) => browser === name);

test("two profiles on one hub are told apart by name, and removing one leaves the other", async () => {
  await world.open("/");
  await openProfile("Work");
  const [ours, theirs] = [await tabOf("Ann's Chrome"), await tabOf("Work")];
  for (const tab of [ours, theirs]) expect(await price(tab?.tabId ?? "")).toMatchObject({ outcome: "ok" });

  const listed = await fetch(`${world.hub.url}/api/browsers`, { headers: { authorization } });
  const { browsers } = (await listed.json()) as {
    readonly browsers: readonly { readonly id: string; readonly name: string }[];
  };
  const { id } = browsers.find(({ name }) => name === "Work") ?? { id: "" };
  await fetch(`${world.hub.url}/api/browsers/${id}`, { method: "DELETE", headers: { authorization } });
  await expect.poll(() => tabOf("Work")).toBeUndefined();
  expect(await price(ours?.tabId ?? "")).toMatchObject({ outcome: "ok" });
});

test("a call in a browser that is killed ends without a claim that nothing ran, and its tabs go", async () => {
  const profile = await openProfile("Killed");
  const { tabId = "" } = (await tabOf("Killed")) ?? {};
  const [tab] = (
    await Promise.all(
      (await profile.browser.tabs()).map(async (each) => [each, await each.evaluate("location.origin")] as const),
    )
  )
    .filter(([, origin]) => origin === profile.pages.origin)
    .map(([each]) => each);
  const call = world.call("wait", {}, { tab: tabId });
  await tab?.waitFor("globalThis.shop.state === 'waiting'");
  await profile.browser.kill();
  const ended = await call;
  expect(ended.ran).not.toBe("no");
  expect(ended.outcome).not.toBe("ok");
  await expect.poll(() => tabOf("Killed")).toBeUndefined();
});

/** A way to the hub on which pages speak a version of the wire that it does not know. */
async function startOtherVersion(): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on("connection", (near, { headers }) => {
    const { origin = "" } = headers;
    const far = new WebSocket(`${world.hub.url.replace("http", "ws")}/page`, near.protocol || [], { origin });
    const opened = once(far, "open");
    near.on("message", (data: Buffer) => {
      const text = data.toString().replace(/"versions":\[[^\]]*\]/, '"versions":[99]');
      void opened.then(() => far.send(text));
    });
    far.on("message", (data: Buffer) => near.send(data.toString()));
    near.on("close", () => far.terminate());
    far.on("close", () => near.close());
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an extension and a hub of versions that do not understand each other say so, and are right again after an update", async () => {
  const address = await startOtherVersion();
  expect(await world.send({ type: "pair", address, code: await mintCode(), browser: "Old" })).toEqual({ ok: true });
  await world.browser.open(world.pages.url("/"));
  await expect
    .poll(() => world.shownHub())
    .toEqual({
      status: "refused",
      message: `The hub at ${address} and this extension are of versions that do not understand each other. Update the older one.`,
    });
  expect(await world.tabs()).toEqual([]);
  await world.pair();
  await expect.poll(() => world.tabs()).toMatchObject([{ state: "connected" }]);
  await expect.poll(() => world.shownHub()).toMatchObject({ status: "connected" });
});

const spyWorker = `for (const name of ["onMessage", "onMessageExternal", "onConnect", "onConnectExternal"])
  chrome.runtime[name].addListener(() => chrome.storage.local.set({ heard: name }));`;
const spyScript = `addEventListener("message", (event) => chrome.storage.local.set({ heard: String(event.data) }));
chrome.runtime.onMessage.addListener((message) => chrome.storage.local.set({ heard: JSON.stringify(message) }));`;

test("another extension can neither ask ours nor hear it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pagewire-spy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const manifest = {
    ...{ manifest_version: 3, name: "spy", version: "1", permissions: ["storage"] },
    background: { service_worker: "worker.js" },
    content_scripts: [{ matches: ["http://127.0.0.1/*"], js: ["script.js"], run_at: "document_start" }],
  };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "worker.js"), spyWorker);
  await writeFile(join(folder, "script.js"), spyScript);
  await writeFile(join(folder, "spy.html"), "<!doctype html><title>Spy</title>");
  const { id } = await world.browser.send<{ readonly id: string }>("Extensions.loadUnpacked", { path: folder });
  const spy = await world.browser.open(`chrome-extension://${id}/spy.html`);
  await world.open("/");
  const ours = "kjdlelgaegiapibjdmhoglemlmjdcked";

  const tries = await spy.evaluate<readonly string[], [string]>(async (extension) => {
    const { runtime } = (globalThis as unknown as { chrome: { runtime: SpiedRuntime } }).chrome;
    const said: string[] = [];
    for (const message of [{ type: "pause", paused: true }, { type: "unpair" }, { type: "tools-here" }]) {
      said.push(await runtime.sendMessage(extension, message).then(JSON.stringify, (error: Error) => error.message));
    }
    for (const name of ["page", "other"]) {
      const port = runtime.connect(extension, { name });
      said.push(
        await new Promise((resolve) => {
          port.onMessage.addListener((message) => resolve(JSON.stringify(message)));
          port.onDisconnect.addListener(() => resolve(String(runtime.lastError?.message)));
        }),
      );
    }
    const read = (path: string) =>
      fetch(`chrome-extension://${extension}/${path}`).then(
        () => "read",
        () => "not read",
      );
    return [...said, await read("popup.html"), await read("page.js")];
  }, ours);
  const nobody = "Could not establish connection. Receiving end does not exist.";
  expect(tries).toEqual([nobody, nobody, nobody, nobody, nobody, "not read", "not read"]);

  expect(await price((await world.tabs())[0]?.tabId ?? "")).toMatchObject({ outcome: "ok" });
  expect(await spy.evaluate("chrome.storage.local.get(null)")).toEqual({});
  expect(await world.shownHub()).toMatchObject({ status: "connected" });
  await spy.close();
});

interface SpiedPort {
  readonly onMessage: { addListener(listener: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
}

interface SpiedRuntime {
  readonly lastError?: { readonly message: string };
  sendMessage(extension: string, message: object): Promise<unknown>;
  connect(extension: string, options: { readonly name: string }): SpiedPort;
}

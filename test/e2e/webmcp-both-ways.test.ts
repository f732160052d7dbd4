// Both directions at once, with a remote server and two pages in one document: each tool is in its place exactly once.
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { connectMcp } from "./support/mcp-client.ts";
import { startRemoteServer } from "./support/mcp-server.ts";
import type { RemoteServer } from "./support/mcp-server.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { callerOf, listTabs, worldToken } from "./support/world.ts";
import type { CallByHttp } from "./support/world.ts";

const twoPages = `
import { connectPage } from "pagewire/page";
import { registerWebMcp } from "pagewire/webmcp";

const { hub, remote } = document.querySelector("script[data-hub]").dataset;
const tool = (name) => ({ name, description: "It is " + name + ".", execute: () => name });
globalThis.changes = 0;
document.modelContext.addEventListener("toolchange", () => changes++);
document.modelContext.registerTool(tool("of_the_script"));
document.modelContext.registerTool(tool("also_of_the_script"));
globalThis.first = await connectPage({ app: "first", hub, native: true, tools: [tool("of_the_first"), tool("also_of_the_first")] });
globalThis.second = await connectPage({ app: "second", hub, native: true, tools: [tool("of_the_second")] });
globalThis.adapter = await registerWebMcp({ url: remote, prefix: "remote.", quiet: true });
globalThis.tool = tool;
`;

const builtIn = ["list_browser_tabs", "list_tab_tools", "call_tab_tool"];

const inBrowser = [
  "also_of_the_first",
  "also_of_the_script",
  "form",
  "of_the_first",
  "of_the_script",
  "of_the_second",
  "remote.one",
  "remote.two",
];

let hub: Hub;
let pages: PageServer;
let remote: RemoteServer;
let browser: Browser;
let tab: Tab;
let call: CallByHttp;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  remote = await startRemoteServer((server) => {
    for (const name of ["one", "two"])
      server.registerTool(name, { description: name }, () => ({ content: [{ type: "text", text: `remote ${name}` }] }));
  });
  hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [pages.origin] });
  call = callerOf(hub.url, worldToken);
  served["/pages.js"] = await bundleModule(twoPages);
  served["/"] = `<!doctype html><title>Both ways</title>
<form toolname="form" tooldescription="A form." toolautosubmit><input name="word"></form>
<script type="module" src="/pages.js" data-hub="${hub.url}" data-remote="${remote.url}"></script>`;
  browser = await openChromium({ features: { enable: ["WebMCP"] } });
  tab = await browser.open(pages.url());
  await tab.waitFor("globalThis.adapter !== undefined");
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([hub?.close(), pages?.close(), remote?.close()]);
});

/** The names of the browser's tools. */
async function native(): Promise<readonly string[]> {
  return tab.evaluate("document.modelContext.getTools().then((tools) => tools.map(({ name }) => name).sort())");
}

/** The names of each tab's tools at the hub, by app. */
async function atHub(): Promise<Readonly<Record<string, readonly string[]>>> {
  return Object.fromEntries((await listTabs(call)).map(({ app, tools }) => [app, tools.toSorted()]));
}

/** Waits until the browser has exactly these tools. */
async function browserHas(names: readonly string[]): Promise<void> {
  await expect.poll(native).toEqual(names.toSorted());
}

const ofScript = ["also_of_the_script", "form", "of_the_script"];
const ofFirst = ["also_of_the_first", "of_the_first"];

test("with both directions on, two pages in a document and a remote server, the browser and the hub have each tool once", async () => {
  await browserHas(inBrowser);
  await expect.poll(atHub).toEqual({ first: [...ofFirst, ...ofScript].toSorted(), second: ["of_the_second"] });
  const agent = await connectMcp(hub, worldToken);
  const { tools } = await agent.listTools();
  const ofPages = tools.map(({ name }) => name).filter((name) => !builtIn.includes(name));
  expect(ofPages.toSorted()).toEqual([...ofFirst, "of_the_second", ...ofScript].toSorted());
  await agent.close();
  for (const name of [...ofFirst, "of_the_second", "of_the_script"]) {
    expect(await call(name, {})).toMatchObject({ outcome: "ok", result: { content: [{ text: name }] } });
  }
  expect(await tab.evaluate("adapter.tools")).toEqual(["remote.one", "remote.two"]);
});

test.each([
  { from: "page", register: "void (globalThis.late = first.registerTool(tool('late')))" },
  {
    from: "script",
    register: `const leaving = new AbortController();
      globalThis.late = { remove: () => leaving.abort() };
      document.modelContext.registerTool(tool("late"), leaving)`,
  },
])("a tool that comes late changes the browser's tools once, and the hub's: $from", async ({ register }) => {
  const changes = () => tab.evaluate<number>("changes");
  const before = await changes();
  await tab.evaluate(`(async () => { ${register} })()`);
  await expect.poll(async () => (await atHub())["first"]).toContain("late");
  await browserHas([...inBrowser, "late"]);
  // A tool that loops back would have done so by the time the remote server has answered.
  await tab.evaluate("adapter.refresh()");
  expect(await changes()).toBe(before + 1);
  expect((await atHub())["second"]).toEqual(["of_the_second"]);
  await tab.evaluate("late.remove()");
  await browserHas(inBrowser);
  await expect.poll(async () => (await atHub())["first"]).not.toContain("late");
  expect(await changes()).toBe(before + 2);
});

test("a stock tool in two tabs of the same app is one tool, with an optional tab id", async () => {
  const other = await browser.open(pages.url());
  await expect
    .poll(async () => (await listTabs(call)).filter(({ tools }) => tools.includes("of_the_script")).length)
    .toBe(2);
  const agent = await connectMcp(hub, worldToken);
  const { tools } = await agent.listTools();
  await agent.close();
  const ofScripts = tools.filter(({ name }) => name.startsWith("of_the_script"));
  expect(ofScripts).toMatchObject([{ name: "of_the_script", inputSchema: { properties: { tabId: {} } } }]);
  expect(ofScripts[0]?.inputSchema.required ?? []).not.toContain("tabId");
  await other.close();
});

test("when the page that offers the scripts' tools closes, the other page of the document offers them", async () => {
  await tab.evaluate("first.close()");
  await browserHas(inBrowser.filter((name) => !ofFirst.includes(name)));
  const tabId = await tab.evaluate<string>("second.state.tabId");
  const ofSecond = async () => (await listTabs(call)).find((one) => one.tabId === tabId)?.tools.toSorted();
  await expect.poll(ofSecond).toEqual(["of_the_second", ...ofScript].toSorted());
  expect(await call("of_the_script", {}, { tab: tabId })).toMatchObject({ outcome: "ok" });
});

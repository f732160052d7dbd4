// A page that knows only the browser's own interface, with one script tag of Pagewire's, and an agent that knows only MCP.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pagewireCommand } from "./demo.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { connectStdio } from "./support/stdio-client.ts";
import type { StdioClient } from "./support/stdio-client.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";
import { connected } from "./support/world.ts";

const stockPage = (hubUrl: string): string => `<!doctype html><title>Bistro</title>
<form toolname="book_table" tooldescription="Books a table." toolautosubmit>
  <input name="guests" type="number" min="1" required toolparamdescription="How many come">
  <button>Book</button>
</form>
<form toolname="leave_note" tooldescription="Writes a note that the guest sends.">
  <input name="note" required>
  <button id="send">Send</button>
</form>
<script>
const { modelContext } = document;
globalThis.bistro = { state: "" };
modelContext.registerTool({
  name: "find_dishes", title: "Find dishes", description: "Lists dishes up to a price.", annotations: { readOnlyHint: true, untrustedContentHint: true },
  inputSchema: { type: "object", properties: { most: { type: "number" } }, required: ["most"] },
  execute: ({ most }) => ({ dishes: [{ name: "soup", price: 6 }, { name: "fish", price: 19 }].filter(({ price }) => price <= most) }),
});
modelContext.registerTool({ name: "pay", description: "Pays the bill.", annotations: { consequentialHint: true },
  execute: () => ({ isError: true, content: [{ type: "text", text: "The card was refused." }] }) });
modelContext.registerTool({ name: "crumble", description: "Throws.", execute() { throw new Error("for the console alone"); } });
modelContext.registerTool({ name: "wait_for_table", description: "Waits.", execute: (_, { signal }) => new Promise((resolve, reject) => {
  bistro.state = "waiting";
  signal.addEventListener("abort", () => { bistro.state = "gave up"; reject(signal.reason); });
}) });
for (const form of document.forms) form.addEventListener("submit", (event) => {
  event.preventDefault();
  event.respondWith(Promise.resolve(Object.fromEntries(new FormData(form))));
});
</script>
<script src="${hubUrl}/pagewire.js" data-app="bistro"></script>`;

/** The hub's polyfill, which leaves this browser's own model context in its place, before the page's own script. */
const reportingPage = (hubUrl: string, attribute = "data-tool-errors"): string => `<!doctype html><title>Kitchen</title>
<script src="${hubUrl}/webmcp-polyfill.js" ${attribute}></script>
<script>
document.modelContext.registerTool({ name: "light_oven", description: "Throws.", execute() { throw new Error("There is no gas."); } });
document.modelContext.registerTool({ name: "wash_up", description: "Rejects.", execute: async () => { throw new TypeError("There is no water."); } });
document.modelContext.registerTool({ name: "cook", description: "Works.", execute: () => "soup" });
</script>
<script src="${hubUrl}/pagewire.js" data-app="kitchen"></script>`;

let hub: HubProcess;
let pages: PageServer;
let browser: Browser;
let tab: Tab;
let agent: StdioClient;

beforeAll(async () => {
  const served: Record<string, string> = {};
  pages = await servePages(served);
  [hub, browser] = await Promise.all([
    startHub({ args: ["--allow-origin", pages.origin] }),
    openChromium({ features: { enable: ["WebMCP"] } }),
  ]);
  served["/"] = stockPage(hub.url);
  served["/kitchen"] = reportingPage(hub.url);
  served["/quiet"] = reportingPage(hub.url, 'data-tool-errors="false"');
  tab = await browser.open(pages.url());
  await connected(tab);
  agent = await connectStdio(pagewireCommand, { args: ["mcp"], env: { PAGEWIRE_HOME: hub.home } });
  await waitUntil(
    async () => (await names()).includes("leave_note"),
    () => "The form is not listed.",
  );
});

afterAll(async () => {
  await agent?.close();
  await browser?.close();
  await Promise.all([hub?.close(), pages?.close()]);
});

async function names(): Promise<readonly string[]> {
  return (await agent.client.listTools()).tools.map(({ name }) => name);
}

const call = (name: string, input: Record<string, unknown> = {}, signal?: AbortSignal) =>
  agent.client.callTool({ name, arguments: input }, signal ? { signal } : {});

test("an MCP client lists the tools and forms of a page that only has the script tag, with title, schema and hints", async () => {
  const { tools } = await agent.client.listTools();
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  expect(toolOf("find_dishes")).toMatchObject({
    title: "Find dishes",
    description: "Lists dishes up to a price.",
    inputSchema: { properties: { most: { type: "number" } }, required: ["most"] },
    annotations: { readOnlyHint: true, openWorldHint: true },
  });
  expect(toolOf("pay")).toMatchObject({ annotations: { destructiveHint: true } });
  expect(toolOf("book_table")).toMatchObject({
    description: "Books a table.",
    inputSchema: { properties: { guests: { type: "number", description: "How many come" } }, required: ["guests"] },
  });
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
});

test("a stock tool's result is structured, and an error that it returns is an error", async () => {
  expect(await call("find_dishes", { most: 10 })).toMatchObject({
    structuredContent: { dishes: [{ name: "soup", price: 6 }] },
  });
  expect(await call("pay")).toMatchObject({
    isError: true,
    content: [{ type: "text", text: "The card was refused." }],
  });
});

test("a stock tool that throws is an error that says where to look and what a tool can do about it", async () => {
  const { isError, content } = await call("crumble");
  expect({ isError, content }).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("console") }],
  });
  expect(JSON.stringify(content)).toContain("isError");
  expect(JSON.stringify(content)).not.toContain("for the console alone");
});

test("a stock tool that throws says why, to MCP clients and in the browser, where the page's developer chose so", async () => {
  const kitchen = await browser.open(pages.url("/kitchen"));
  await connected(kitchen);
  await waitUntil(
    async () => (await names()).includes("wash_up"),
    () => "The kitchen's tools are not listed.",
  );
  const failed = (text: string) => ({ isError: true, content: [{ type: "text", text }] });
  expect(await call("light_oven")).toMatchObject(failed("There is no gas."));
  expect(await call("wash_up")).toMatchObject(failed("There is no water."));
  expect(await call("cook")).toMatchObject({ content: [{ type: "text", text: "soup" }] });
  const byBrowser =
    "(name) => document.modelContext.getTools().then((tools) => document.modelContext.executeTool(tools.find((tool) => tool.name === name)))";
  expect(JSON.parse(await kitchen.evaluate(`(${byBrowser})("light_oven")`))).toEqual(failed("There is no gas."));
  await kitchen.close();
});

test('an attribute that is "false" leaves it as it is', async () => {
  const quiet = await browser.open(pages.url("/quiet"));
  await connected(quiet);
  await waitUntil(
    async () => (await names()).includes("wash_up"),
    () => "The page's tools are not listed.",
  );
  const { isError, content } = await call("light_oven");
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).not.toContain("There is no gas.");
  await quiet.close();
});

test("input that does not fit a stock tool's schema is refused by its path, which the browser does not do", async () => {
  expect(await call("find_dishes", { most: "all" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("/most") }],
  });
});

test("an MCP client is told of a tool that a script registers late, calls it, and is told when it is gone", async () => {
  const told = agent.toldOf((tools) => tools.some(({ name }) => name === "late"));
  await tab.evaluate(
    "void document.modelContext.registerTool({ name: 'late', description: 'Came late.', execute: () => 'here' }, { signal: (globalThis.leaving = new AbortController()).signal })",
  );
  await told;
  expect(await call("late")).toMatchObject({ content: [{ type: "text", text: "here" }] });
  const gone = agent.toldOf((tools) => tools.every(({ name }) => name !== "late"));
  await tab.evaluate("leaving.abort()");
  await gone;
});

test("an agent fills in a form: one that submits itself answers, and one that does not waits for the user's click", async () => {
  expect(await call("book_table", { guests: 4 })).toMatchObject({ structuredContent: { guests: "4" } });
  const noted = call("leave_note", { note: "window, please" });
  await tab.waitFor("document.forms[1].elements.note.value === 'window, please'");
  await tab.click("#send");
  expect(await noted).toMatchObject({ structuredContent: { note: "window, please" } });
});

test("when an MCP client cancels its call, the stock tool's signal is aborted", async () => {
  const cancelling = new AbortController();
  const waiting = call("wait_for_table", {}, cancelling.signal);
  await tab.waitFor("bistro.state === 'waiting'");
  cancelling.abort();
  await expect(waiting).rejects.toThrow();
  await tab.waitFor("bistro.state === 'gave up'");
});

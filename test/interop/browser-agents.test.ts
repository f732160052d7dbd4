// The MCP servers that drive a browser, at the versions of this repository's lock file, with a page that offers its tools natively.
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectChromeDevTools, connectPlaywrightMcp, launchSharedBrowser } from "../e2e/support/outside-clients.ts";
import type { SharedBrowser } from "../e2e/support/outside-clients.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { PageServer } from "../e2e/support/page-server.ts";
import { worldToken } from "../e2e/support/world.ts";
import { ownVersionOf, record } from "./support/record.ts";

const tools = `
globalThis.ran = [];
pagewire.registerTool({
  name: "get_stock", description: "How many pieces lie on a shelf.",
  inputSchema: { type: "object", properties: { shelf: { type: "string" } }, required: ["shelf"] },
  execute: ({ shelf }) => (ran.push(shelf), "42 pieces on " + shelf),
});`;

let hub: Hub;
let pages: PageServer;
let browser: SharedBrowser;

beforeAll(async () => {
  const served: Record<string, string> = {};
  [pages, browser] = await Promise.all([servePages(served), launchSharedBrowser()]);
  hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [pages.origin] });
  served["/"] = `<!doctype html><title>Shop</title>
<script src="${hub.url}/pagewire.js" data-app="shop" data-native></script><script>${tools}</script>`;
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([hub?.close(), pages?.close()]);
});

test.each([
  {
    name: "@playwright/mcp",
    connect: connectPlaywrightMcp,
    look: { name: "browser_snapshot", arguments: {} },
    call: { name: "webmcp_get_stock", arguments: { shelf: "A" } },
  },
  {
    name: "chrome-devtools-mcp",
    connect: connectChromeDevTools,
    look: { name: "list_webmcp_tools", arguments: { pageId: 1 } },
    call: {
      name: "execute_webmcp_tool",
      arguments: { pageId: 1, toolName: "get_stock", input: JSON.stringify({ shelf: "A" }) },
    },
  },
])("$name lists the page's tool, and its call runs once", async ({ name, connect, look, call }) => {
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  await page.goto(pages.url());
  await expect.poll(async () => (await page.webmcp.tools()).map((tool) => tool.name)).toEqual(["get_stock"]);
  const { client, close } = await connect(browser.address);
  try {
    // It discovers the browser's pages on its first request, and what is in them on another.
    if (name === "chrome-devtools-mcp") await client.callTool({ name: "list_pages", arguments: {} });
    const seen = await client.callTool(look);
    const { tools: listed } = await client.listTools();
    expect(JSON.stringify([seen, listed])).toContain("How many pieces lie on a shelf.");
    expect(JSON.stringify(await client.callTool(call))).toContain("42 pieces on A");
  } finally {
    await close();
  }
  expect(await page.evaluate("ran")).toEqual(["A"]);
  await record(
    { partner: name, version: await ownVersionOf(name) },
    "a page with data-native",
    "list, call in its tab",
  );
});

// The tools that Pagewire puts into the browser's model context, as third-party programs see them: a page's own tools, and
// those of a remote MCP server.
import type { McpServer } from "@modelcontextprotocol/server";
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import type { Page } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { startRemoteServer } from "./support/mcp-server.ts";
import type { RemoteServer } from "./support/mcp-server.ts";
import { connectChromeDevTools, connectPlaywrightMcp, launchSharedBrowser } from "./support/outside-clients.ts";
import type { SharedBrowser } from "./support/outside-clients.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import type { StdioClient } from "./support/stdio-client.ts";
import { waitUntil } from "./support/wait.ts";
import { worldToken } from "./support/world.ts";

/** State that the page exposes to its test. */
declare const shop: { state: string; finish(): void };
declare const pagewire: { registerTool(tool: object): { remove(): void } };

const numbers = { a: { type: "number" }, b: { type: "number" } };
const pixel = { type: "image", data: "aGk=", mimeType: "image/webp" };

const pageTools = `
globalThis.shop = { state: "" };
const add = (name, more, execute) => pagewire.registerTool({ name, description: "It is " + name + ".", ...more, execute });
add("add_up", { title: "Add up", annotations: { readOnlyHint: true }, inputSchema: { type: "object", properties: ${JSON.stringify(numbers)}, required: ["a", "b"] } }, ({ a, b }) => {
  shop.state = "added";
  return { sum: a + b };
});
add("order", { title: "Order", annotations: { destructiveHint: true } }, () => { throw new Error("The shelf is empty."); });
add("look", { annotations: { readOnlyHint: true, openWorldHint: true } }, () => ({ content: [${JSON.stringify(pixel)}] }));
add("hold", {}, (_, { signal }) => new Promise((resolve, reject) => {
  shop.state = "running";
  shop.finish = () => resolve("finished");
  signal.addEventListener("abort", () => { shop.state = "aborted"; reject(signal.reason); });
}));
`;

const slow = { state: "", finish: () => {} };

function offerStock(server: McpServer): void {
  const described = (name: string) => ({ title: `The ${name}`, description: `It is ${name}.` });
  server.registerTool(
    "stock",
    { ...described("stock"), annotations: { readOnlyHint: true }, inputSchema: z.object({ item: z.string() }) },
    ({ item }) => ({ content: [{ type: "text", text: `7 of ${item}` }], structuredContent: { item, left: 7 } }),
  );
  server.registerTool("lock", described("lock"), () => {
    throw new Error("The database is locked.");
  });
  server.registerTool("slow", described("slow"), async ({ mcpReq }) => {
    slow.state = "running";
    await new Promise<void>((resolve) => mcpReq.signal.addEventListener("abort", () => resolve()));
    slow.state = "aborted";
    return { content: [] };
  });
}

const offerLate = (server: McpServer): void => {
  offerStock(server);
  server.registerTool("late", { description: "It came late." }, () => ({ content: [{ type: "text", text: "here" }] }));
};

let hub: Hub;
let pages: PageServer;
let remote: RemoteServer;
let browser: SharedBrowser;
let page: Page;
let playwrightMcp: StdioClient;
let devTools: StdioClient;

const pageUnder = (hubUrl: string, server: string): string => `<!doctype html><title>Shop</title>
<script src="${hubUrl}/pagewire.js" data-app="shop" data-native></script>
<script>${pageTools}</script>
<script type="module">
import { registerWebMcp } from "${hubUrl}/webmcp.js";
globalThis.remote = await registerWebMcp({ url: "${server}", prefix: "remote.", quiet: true });
</script>`;

beforeAll(async () => {
  const served: Record<string, string> = {};
  [pages, remote, browser] = await Promise.all([
    servePages(served),
    startRemoteServer(offerStock),
    launchSharedBrowser(),
  ]);
  hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [pages.origin] });
  served["/"] = pageUnder(hub.url, remote.url);
  page = browser.context.pages()[0] ?? (await browser.context.newPage());
  await page.goto(pages.url());
  await nativeHas(7);
  [playwrightMcp, devTools] = await Promise.all([
    connectPlaywrightMcp(browser.address),
    connectChromeDevTools(browser.address),
  ]);
  // Each of them discovers the browser's pages on its first request.
  await playwrightMcp.client.callTool({ name: "browser_snapshot", arguments: {} });
  await devTools.client.callTool({ name: "list_pages", arguments: {} });
});

afterAll(async () => {
  await Promise.all([playwrightMcp?.close(), devTools?.close()]);
  await browser?.close();
  await Promise.all([hub?.close(), pages?.close(), remote?.close()]);
});

beforeEach(async () => {
  slow.state = "";
  await page.evaluate(() => void (shop.state = ""));
});

/** Waits until the browser has this many tools. */
async function nativeHas(count: number): Promise<void> {
  let names: readonly string[] = [];
  const look = async (): Promise<boolean> =>
    (names = (await page.webmcp.tools()).map(({ name }) => name)).length === count;
  await waitUntil(look, () => `The browser does not have ${count} tools, but ${names.join(", ")}.`);
}

interface Answer {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly _meta?: unknown;
}

/** Calls a tool by the page's name for it, and returns the page's answer, as far as the client passes it on. */
type CallOutside = (tool: string, input?: object) => Promise<Answer>;

const outside: Record<string, CallOutside> = {
  "page.webmcp": (tool, input = {}) => page.webmcp.callTool(tool, input) as Promise<Answer>,

  async "@playwright/mcp"(tool, input = {}) {
    const name = `webmcp_${tool.replaceAll(".", "_")}`;
    const { content, isError } = await playwrightMcp.client.callTool({ name, arguments: { ...input } });
    // The text around the answer describes the page.
    const answer = JSON.parse(/^\{[^]*?^\}/m.exec(textOf(content))?.[0] ?? "") as Answer;
    // Its own result has the same flag.
    expect(isError ?? false).toBe(answer.isError ?? false);
    return answer;
  },

  async "chrome-devtools-mcp"(tool, input = {}) {
    const given = { pageId: 1, toolName: tool, input: JSON.stringify(input) };
    const { content } = await devTools.client.callTool({ name: "execute_webmcp_tool", arguments: given });
    const { status, output } = JSON.parse(textOf(content)) as { readonly status: string; readonly output: Answer };
    expect(status).toBe("Completed");
    return output;
  },
};

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content[0]?.text ?? "";
}

test("page.webmcp lists the page's tools and the remote server's, with description, schema and hints", async () => {
  const tools = await page.webmcp.tools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "add_up",
    "hold",
    "look",
    "order",
    "remote.lock",
    "remote.slow",
    "remote.stock",
  ]);
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  expect(toolOf("add_up")).toMatchObject({
    description: "It is add_up.",
    inputSchema: { type: "object", properties: numbers, required: ["a", "b"] },
    annotations: { readOnly: true },
  });
  expect(toolOf("order")).toMatchObject({ annotations: { consequential: true } });
  expect(toolOf("look")).toMatchObject({ annotations: { readOnly: true, untrustedContent: true } });
  expect(toolOf("remote.stock")).toMatchObject({
    description: "It is stock.",
    inputSchema: { properties: { item: { type: "string" } }, required: ["item"] },
    annotations: { readOnly: true },
  });
});

test("@playwright/mcp lists each as a tool of its own, with title, schema and hints, under a name that MCP clients take", async () => {
  const { tools } = await playwrightMcp.client.listTools();
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  expect(toolOf("webmcp_add_up")).toMatchObject({
    description: expect.stringMatching(/^\[UNTRUSTED.*\[READ-ONLY\] It is add_up\.$/),
    inputSchema: { type: "object", properties: numbers, required: ["a", "b"] },
    annotations: { title: "Add up", readOnlyHint: true, destructiveHint: false },
  });
  expect(toolOf("webmcp_order")).toMatchObject({
    description: expect.stringContaining("[CONSEQUENTIAL"),
    annotations: { title: "Order", readOnlyHint: false, destructiveHint: true },
  });
  expect(toolOf("webmcp_look")?.description).toContain("third-party content");
  expect(toolOf("webmcp_remote_stock")).toMatchObject({
    inputSchema: { properties: { item: { type: "string" } }, required: ["item"] },
    annotations: { title: "The stock", readOnlyHint: true },
  });
  expect(tools.filter(({ name }) => name.startsWith("webmcp_"))).toHaveLength(7);
});

test("chrome-devtools-mcp lists them with description, schema and hints", async () => {
  const listed = textOf(
    (await devTools.client.callTool({ name: "list_webmcp_tools", arguments: { pageId: 1 } })).content,
  );
  const lineOf = (name: string) => listed.split("\n").find((line) => line.startsWith(`name="${name}"`));
  expect(lineOf("add_up")).toContain('description="It is add_up.", inputSchema={"type":"object"');
  expect(lineOf("add_up")).toContain('"readOnly":true');
  expect(lineOf("order")).toContain('"consequential":true');
  expect(lineOf("look")).toContain('"untrustedContent":true');
  expect(lineOf("remote.stock")).toContain('"item":{"type":"string"}');
  expect(listed.match(/^name=/gm)).toHaveLength(7);
});

test.each(Object.entries(outside))(
  "through %s a result arrives: an object once, a structured value beside other words, an image with its kind",
  async (_, call) => {
    expect(await call("add_up", { a: 1, b: 2 })).toEqual({ content: [{ type: "text", text: '{"sum":3}' }] });
    expect(await call("look")).toMatchObject({ content: [pixel] });
    expect(await call("remote.stock", { item: "tea" })).toMatchObject({
      content: [{ type: "text", text: "7 of tea" }],
      structuredContent: { item: "tea", left: 7 },
    });
  },
);

test.each(Object.entries(outside))(
  "through %s a tool that fails says why, in the page and on the remote server",
  async (_, call) => {
    expect(await call("order")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("The shelf is empty.") }],
    });
    expect(await call("remote.lock")).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("The database is locked.") }],
    });
  },
);

test.each(Object.entries(outside))(
  "through %s input that does not fit the schema is refused by its path, and the tool does not run",
  async (name, call) => {
    // The browser itself does not validate the input.
    const refused = await call("add_up", { a: 1, b: "two" });
    expect({ name, ...refused }).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("/b") }] });
    expect(await page.evaluate(() => shop.state)).toBe("");
  },
);

test("a late tool is there for page.webmcp and chrome-devtools-mcp at once, and @playwright/mcp tells of it when it next looks at the page", async () => {
  await page.evaluate(() => {
    pagewire.registerTool({ name: "late", description: "It came late.", execute: () => "here" });
  });
  remote.offer(offerLate);
  await nativeHas(9);
  for (const name of ["page.webmcp", "chrome-devtools-mcp"]) {
    for (const late of ["late", "remote.late"]) {
      expect(await outside[name]?.(late)).toMatchObject({ content: [{ text: "here" }] });
    }
  }
  const told = playwrightMcp.toldOf((tools) =>
    ["webmcp_late", "webmcp_remote_late"].every((late) => tools.some(({ name }) => name === late)),
  );
  await playwrightMcp.client.callTool({ name: "browser_snapshot", arguments: {} });
  await told;
  expect(await outside["@playwright/mcp"]?.("remote.late")).toMatchObject({ content: [{ text: "here" }] });
});

test("a call that the browser cancels aborts the page's tool, and the remote server's", async () => {
  const cdp = await browser.context.newCDPSession(page);
  const { frameTree } = await cdp.send("Page.getFrameTree");
  // Playwright's types do not have this part of the protocol yet.
  const send = cdp.send.bind(cdp) as (method: string, parameters?: object) => Promise<{ invocationId: string }>;
  await send("WebMCP.enable");
  const states = { hold: () => page.evaluate(() => shop.state), "remote.slow": async () => slow.state };
  for (const [toolName, state] of Object.entries(states)) {
    const { invocationId } = await send("WebMCP.invokeTool", { frameId: frameTree.frame.id, toolName, input: {} });
    await expect.poll(state).toBe("running");
    await send("WebMCP.cancelInvocation", { invocationId });
    await expect.poll(state).toBe("aborted");
  }
});

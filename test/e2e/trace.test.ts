// A caller's trace from end to end: from the caller, through the command and the hub, to a page in a real browser, and
// on to the page's own server.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { connectStdio } from "./support/stdio-client.ts";
import { callerOf, connected, offered } from "./support/world.ts";

const tellSpans = fileURLToPath(new URL("support/tell-spans.mjs", import.meta.url));
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const trace = { traceparent, tracestate: "rojo=00f067aa0ba902b7" };

const guide = readFileSync(new URL("../../docs/guide/follow-a-call-through-your-traces.md", import.meta.url), "utf8");
/** The guide's tool, exactly as written. */
const [, guidesTool = ""] = /```js\n(page\.registerTool.*?)```/s.exec(guide) ?? [];

const page = (hub: string) => `<!doctype html><title>Shop</title>
<script src="${hub}/pagewire.js" data-app="shop"></script>
<script>const page = pagewire; ${guidesTool}</script>`;

const served: Record<string, string> = { "/orders": "[7]" };
let pages: PageServer;
let hub: HubProcess;
let browser: Browser;

beforeAll(async () => {
  pages = await servePages(served);
  hub = await startHub({ args: ["--allow-origin", pages.origin] });
  served["/"] = page(hub.url);
  browser = await openChromium();
  const tab = await browser.open(pages.url("/"));
  await connected(tab);
  await offered(tab, callerOf(hub.url, await hub.token()));
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await pages.close();
});

/** The trace headers of the tool's last request to the page's server. */
function toldToServer(): unknown {
  const { headers } = pages.requests.findLast(({ path }) => path === "/orders?of=Ada") ?? {};
  return { traceparent: headers?.["traceparent"], tracestate: headers?.["tracestate"] };
}

async function call(headers: Readonly<Record<string, string>>, to = hub): Promise<unknown> {
  const authorization = `Bearer ${await to.token()}`;
  const response = await fetch(`${to.url}/api/call/find_orders`, {
    method: "POST",
    body: JSON.stringify({ customer: "Ada" }),
    headers: { authorization, "content-type": "application/json", ...headers },
  });
  return response.json();
}

test("the headers of a call reach the page's handler, whose own request may pass them on", async () => {
  expect(await call(trace)).toMatchObject({ result: { content: [{ text: "[7]" }] } });
  expect(toldToServer()).toEqual(trace);
  expect(await call({})).toMatchObject({ outcome: "ok" });
  expect(toldToServer()).toEqual({});
});

test("so does what an MCP client says to `pagewire mcp` in the _meta of a call", async () => {
  const { client, close } = await connectStdio(main, { args: ["mcp"], env: { PAGEWIRE_HOME: hub.home } });
  await client.callTool({ name: "find_orders", arguments: { customer: "Ada" }, _meta: trace });
  await close();
  expect(toldToServer()).toEqual(trace);
});

test("a hub whose process registered a provider before it began is the page's parent in the trace", async () => {
  const telling = await startHub({
    args: ["--allow-origin", pages.origin],
    env: { NODE_OPTIONS: `--import=${pathToFileURL(tellSpans).href}` },
  });
  onTestFinished(() => telling.close());
  served["/traced"] = page(telling.url);
  const tab = await browser.open(pages.url("/traced"));
  await connected(tab);
  await offered(tab, callerOf(telling.url, await telling.token()));
  expect(await call(trace, telling)).toMatchObject({ outcome: "ok" });
  const spans = () =>
    telling
      .output()
      .split("\n")
      .filter((line) => line.startsWith('{"span":"execute_tool find_orders"'));
  await expect.poll(() => spans().length).toBe(1);
  const { traceId, spanId, parent } = JSON.parse(spans()[0] ?? "") as Readonly<Record<string, string>>;
  expect(traceparent).toBe(`00-${traceId}-${parent}-01`);
  expect(toldToServer()).toEqual({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: trace.tracestate });
});

// The extension's two scripts in the page's own world and in its own, in a Chromium without WebMCP. The debugger puts them there, as an
// extension would: before any script of the page.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

const mainWorld = `import { startMainWorld } from "../../../src/extension/index.ts"; startMainWorld();`;

const isolatedWorld = `
import { receivePort } from "../../../src/extension/bridge/hand-over.ts";
import { BridgedContext } from "../../../src/extension/bridge/isolated-side.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../../src/toolbox/index.ts";
import { joinBrowserTools } from "../../../src/webmcp/index.ts";
let bridge;
globalThis.bridges = 0;
receivePort((port) => { bridge = new BridgedContext(port); bridges++; });
const onError = (error) => console.error("the join: " + error.message);
const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError });
joinBrowserTools(toolbox, { modelContext: () => document.modelContext ?? bridge, onError });
globalThis.names = () => toolbox.offer().tools.map(({ name }) => name).sort();
globalThis.call = (name, input) => toolbox.callTool(name, input, {
  callId: "1", agent: { name: "tester" }, signal: new AbortController().signal, deadline: Infinity, asks: [], rounds: false,
  progress() {}, log() {}, ask: () => Promise.reject(new Error("nobody")),
});`;

/** A page that looks for the browser's interface, as the first of all its scripts. */
const register = `
document.modelContext?.registerTool({ name: "double", description: "Doubles.", inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => ({ n: n * 2 }) });
document.modelContext?.registerTool({ name: "crumble", description: "Throws.", execute() { throw new Error("no stock left"); } });`;

/** Tries to get, or to be, the other end of the bridge. */
const thief = `
globalThis.caught = [];
const own = new Set();
document.addEventListener("pagewire-bridge-port", ({ ports }) => own.has(ports[0]) || caught.push("a port"));
const listen = () => {
  document.dispatchEvent(new Event("pagewire-bridge-ask"));
  const { port1, port2 } = new MessageChannel();
  own.add(port2);
  port1.onmessage = ({ data }) => caught.push(data);
  const offer = new MessageEvent("pagewire-bridge-port", { ports: [port2], cancelable: true });
  if (!document.dispatchEvent(offer)) caught.push("the extension took another port");
};
const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (...given) {
  if (given[0]?.type) caught.push("the bridge's port");
  return postMessage.apply(this, given);
};
listen();
addEventListener("load", listen);`;

const form = `
<form toolname="search" tooldescription="Searches." toolautosubmit><input name="q" required></form>
<script>document.forms[0].addEventListener("submit", (event) => {
  event.preventDefault();
  event.respondWith(Promise.resolve("found " + new FormData(event.target).get("q")));
});</script>`;

const hash = `sha256-${createHash("sha256").update(register).digest("base64")}`;
const served: Record<string, Page> = {
  "/": "<title>Empty</title>",
  "/plain": `<!doctype html><script>${register}</script><title>Plain</title>`,
  "/strict": {
    body: `<!doctype html><title>Strict</title><script>${register}</script>`,
    type: "text/html",
    headers: {
      "content-security-policy": `default-src 'none'; script-src '${hash}'; require-trusted-types-for 'script'; trusted-types 'none'`,
    },
  },
  "/form": `<!doctype html><title>Form</title>${form}`,
  "/thief": `<!doctype html><script>${thief}</script><title>Thief</title><script>${register}</script>`,
  "/sandbox": {
    body: `<!doctype html><title>Sandbox</title><script>${register}</script>`,
    type: "text/html",
    headers: { "content-security-policy": "sandbox allow-scripts" },
  },
};

let browser: Browser;
let pages: PageServer;
const scripts: Record<"main" | "isolated", string> = { main: "", isolated: "" };

beforeAll(async () => {
  pages = await servePages(served);
  for (const [world, module] of [
    ["main", mainWorld],
    ["isolated", isolatedWorld],
  ] as const) {
    const { body } = await bundleModule(module);
    scripts[world] = `(() => {${body}})();`;
  }
  browser = await openChromium();
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
});

interface Visit {
  readonly tab: Tab;
  /** Runs in the extension's world. */
  inExtension<Value>(expression: string): Promise<Value>;
  names(): Promise<string[]>;
  call(name: string, input?: object): Promise<unknown>;
}

const worldName = "the extension's world";

async function visit(path: string, first: "main" | "isolated" = "main"): Promise<Visit> {
  const tab = await browser.open(pages.url("/"));
  const main = { source: scripts.main };
  const isolated = { source: scripts.isolated, worldName };
  for (const script of first === "main" ? [main, isolated] : [isolated, main]) {
    await tab.send("Page.addScriptToEvaluateOnNewDocument", script);
  }
  await tab.navigate(pages.url(path));
  const { frameTree } = await tab.send<{ frameTree: { frame: { id: string } } }>("Page.getFrameTree");
  const { executionContextId: contextId } = await tab.send<{ executionContextId: number }>("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName,
  });
  async function inExtension<Value>(expression: string): Promise<Value> {
    const options = { expression, contextId, awaitPromise: true, returnByValue: true };
    const answer = await tab.send<{ result: { value: Value }; exceptionDetails?: unknown }>(
      "Runtime.evaluate",
      options,
    );
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  }
  return {
    tab,
    inExtension,
    names: () => inExtension("names()"),
    call: (name, input = {}) => inExtension(`call("${name}", ${JSON.stringify(input)})`),
  };
}

const withText = (text: string) => expect.objectContaining({ payload: expect.stringContaining(text) });

test.each([
  { path: "/plain", first: "main" },
  { path: "/plain", first: "isolated" },
  { path: "/strict", first: "main" },
] as const)(
  "a page that looks for the browser's interface is listed and called: $path, with the script of the $first world first",
  async ({ path, first }) => {
    const { tab, names, call, inExtension } = await visit(path, first);
    await expect.poll(names).toEqual(["crumble", "double"]);
    expect(await inExtension("[bridges, typeof document.modelContext]")).toEqual([1, "undefined"]);
    expect(await call("double", { n: 21 })).toEqual(withText('"n":42'));
    expect(await call("double", { n: "x" })).toMatchObject({ kind: "refused", code: "input-invalid" });
    expect(await call("crumble")).toEqual(withText("no stock left"));
    await tab.close();
  },
);

test("a form with toolname is a tool, and answers", async () => {
  const { tab, names, call } = await visit("/form");
  await expect.poll(names).toEqual(["search"]);
  expect(await call("search", { q: "tea" })).toEqual(withText("found tea"));
  await tab.close();
});

test.each(["main", "isolated"] as const)(
  "the first script of a page can neither get the bridge's port nor put another in its place, with the %s world's script first",
  async (first) => {
    const { tab, names, call, inExtension } = await visit("/thief", first);
    await expect.poll(names).toEqual(["crumble", "double"]);
    expect(await call("double", { n: 2 })).toEqual(withText('"n":4'));
    expect(await tab.evaluate("caught")).toEqual([]);
    expect(await inExtension("bridges")).toBe(1);
    await tab.close();
  },
);

test("a document without an origin gets no model context and no bridge", async () => {
  const { tab, inExtension } = await visit("/sandbox");
  expect(await inExtension("[bridges, names()]")).toEqual([0, []]);
  expect(await tab.evaluate("'modelContext' in document")).toBe(false);
  await tab.close();
});

test("scripts that an update puts into an open page find each other again, and the page's tools are still there", async () => {
  const { tab, names } = await visit("/plain");
  await expect.poll(names).toEqual(["crumble", "double"]);
  await tab.evaluate(scripts.main);
  const { frameTree } = await tab.send<{ frameTree: { frame: { id: string } } }>("Page.getFrameTree");
  const { executionContextId: contextId } = await tab.send<{ executionContextId: number }>("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "the world of the update",
  });
  const evaluate = (expression: string) =>
    tab.send<{ result: { value: unknown } }>("Runtime.evaluate", { expression, contextId, returnByValue: true });
  await evaluate(scripts.isolated);
  await waitUntil(
    async () => JSON.stringify((await evaluate("names()")).result.value) === '["crumble","double"]',
    () => "The update has no tools.",
  );
  await tab.close();
});

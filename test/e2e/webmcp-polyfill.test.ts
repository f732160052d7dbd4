// The polyfill as the hub serves it, in pages of a browser that has no model context.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";

const script = `
globalThis.said = 0;
document.addEventListener("modelcontext", () => said++);
globalThis.whenReady = (async () => {
  await document.modelContext.registerTool({
    name: "double", description: "d", inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    execute: ({ n }) => n * 2,
  });
})();
globalThis.call = async (name, input) => {
  const tool = (await document.modelContext.getTools()).find((known) => known.name === name);
  return document.modelContext.executeTool(tool, input).catch(({ name, message }) => name + ": " + message);
};
addEventListener("submit", (event) => {
  if (event.target.name !== "answered") return;
  event.preventDefault();
  event.respondWith(Object.fromEntries(new FormData(event.target)));
});`;

let hub: HubProcess;
let pages: PageServer;
let browser: Browser;

beforeAll(async () => {
  const served: Record<string, Parameters<typeof servePages>[0][string]> = {};
  pages = await servePages(served);
  [hub, browser] = await Promise.all([startHub({ args: ["--allow-origin", pages.origin] }), openChromium()]);
  const tag = `<script src="${hub.url}/webmcp-polyfill.js"></script>`;
  const policy = `default-src 'none'; script-src 'self' ${hub.url}; form-action 'self'; require-trusted-types-for 'script'`;
  served["/page.js"] = { body: script, type: "text/javascript" };
  served["/"] = {
    body: `<!doctype html><title>Shop</title>${tag}<script src="/page.js"></script>${tag}
      <script type="module" src="${hub.url}/webmcp-polyfill.js"></script>
      <form name="answered" toolname="send" tooldescription="d" toolautosubmit><input name="q"></form>
      <form toolname="leave" tooldescription="d" toolautosubmit action="/landing"><input name="q"></form>`,
    headers: { "content-security-policy": policy },
  };
  served["/landing"] = "<!doctype html><title>Landed</title>";
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await pages.close();
});

test("a plain script tag is enough, before other scripts and under a strict policy with Trusted Types", async () => {
  const tab = await browser.open(pages.url());
  expect(await tab.evaluate("whenReady.then(() => call('double', { n: 21 }))")).toBe("42");
  const refused = 'DataError: {"path":"/n","reason":"type","schemaPath":"/type"}';
  expect(await tab.evaluate("call('double', { n: 'x' })")).toBe(refused);
  expect(await tab.evaluate("call('send', { q: 'hello' })")).toBe('{"q":"hello"}');
  expect(tab.console.errors).toEqual([]);
});

test("a copy that comes later, of the same address or as a module, does nothing", async () => {
  const tab = await browser.open(pages.url());
  await tab.evaluate("whenReady");
  expect(await tab.evaluate("said")).toBe(0);
  const names = "document.modelContext.getTools().then((tools) => tools.map(({ name }) => name))";
  expect(await tab.evaluate(names)).toEqual(["double", "leave", "send"]);
});

test("a form that leads its own page to another answers with null before that", async () => {
  const tab = await browser.open(pages.url());
  await tab.evaluate("whenReady");
  await tab.evaluate(
    `void call("leave", { q: "1" }).then((answer) => (sessionStorage.answer = JSON.stringify(answer)))`,
  );
  await tab.waitFor("document.title === 'Landed'");
  expect(await tab.evaluate("[location.search, sessionStorage.answer]")).toEqual(["?q=1", "null"]);
});

test("on a page that is not secure nothing is there, and the console says why, once", async () => {
  const tab = await browser.open(`${pages.originFor("shop.test")}/`);
  await tab.waitFor("document.readyState === 'complete'");
  expect(await tab.evaluate("[isSecureContext, typeof document.modelContext]")).toEqual([false, "undefined"]);
  expect(
    tab.console.messages.filter(({ text }) => text.includes("document.modelContext is only available")),
  ).toHaveLength(1);
});

// The script tag and the SDK in ordinary pages: strict, public, not yet allowed, and with scripts of their own.
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { Page, PageServer } from "./support/page-server.ts";
import { callerOf, connected, offered, worldToken } from "./support/world.ts";

const allowed = new Set<string>();
const listeners = new Set<() => void>();
let hub: Hub;
let pages: PageServer;
let browser: Browser;

const tools = `
pagewire.registerTool({ name: "plain", description: "plain", execute: () => "done" });
pagewire.registerTool({ name: "strict", description: "strict", inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }, execute: ({ n }) => n + 1 });
pagewire.registerTool({ name: "question", description: "question", execute: (_, { ask }) => ask({ message: "Which name?", requestedSchema: { type: "object", properties: { name: { type: "string", title: "Name" } }, required: ["name"] } }) });
pagewire.registerTool({ name: "delete", description: "delete", execute: (input, { agent, signal }) => pagewire.approveInPage({ tool: "delete", arguments: { id: 7 }, agent, reason: "It cannot be undone." }, signal) });
`;

beforeAll(async () => {
  const served: Record<string, Page> = {};
  pages = await servePages(served);
  hub = await createHub({
    port: 0,
    agentToken: () => worldToken,
    allowedOrigins: () => [...allowed],
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const body = `<!doctype html><title>Shop</title><script src="${hub.url}/pagewire.js" data-app="shop"></script><script src="/tools.js"></script>`;
  const socket = hub.url.replace("http", "ws");
  const policy = `default-src 'none'; script-src 'self' ${hub.url}; connect-src ${socket}; require-trusted-types-for 'script'`;
  served["/tools.js"] = { body: tools, type: "text/javascript" };
  served["/"] = body;
  served["/strict"] = { body, headers: { "content-security-policy": policy } };
  // An app that bundles the script, on a page that the browser treats as one of the public internet.
  served["/public"] = {
    body: `<!doctype html><title>Public</title><script src="/pagewire.js" data-app="public" data-hub="${hub.url}"></script>`,
    headers: { "content-security-policy": "treat-as-public-address" },
  };
  for (const path of ["/pagewire.js", "/pagewire/unreachable.js"]) {
    served[path] = { body: await (await fetch(hub.url + path)).text(), type: "text/javascript" };
  }
  browser = await openChromium();
});

afterAll(async () => {
  await browser.close();
  await hub.close();
  await pages.close();
});

function allow(origin: string): void {
  allowed.add(origin);
  for (const listener of listeners) listener();
}

const call = (tool: string, input: object = {}) => callerOf(hub.url, worldToken)(tool, input);

test("P11: a page that is not allowed shows the command, and comes in by itself once its origin is allowed", async () => {
  const tab = await browser.open(pages.url("/"));
  await tab.waitFor("pagewire.state.status === 'refused'");
  expect(await tab.evaluate("pagewire.state.command")).toBe(`npx pagewire allow ${pages.origin}`);
  allow(pages.origin);
  await connected(tab);
  await offered(tab, call);
  expect(await call("plain")).toMatchObject({ outcome: "ok" });
  await tab.close();
});

test("P40, P41: one script tag works under a strict policy, and loads the validator and the dialog only when needed", async () => {
  allow(pages.origin);
  const tab = await browser.open(pages.url("/strict"));
  await tab.evaluate(
    "addEventListener('securitypolicyviolation', (event) => { (window.violations ??= []).push(event.violatedDirective); })",
  );
  await connected(tab);
  await offered(tab, call);
  const loaded = () =>
    tab.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop())");
  expect(await call("plain")).toMatchObject({ outcome: "ok" });
  expect(await loaded()).not.toEqual(expect.arrayContaining(["validator.js"]));
  expect(await call("strict", { n: 1 })).toMatchObject({ outcome: "ok" });
  expect(await call("strict", { n: "one" })).toMatchObject({ outcome: "rejected" });
  expect(await loaded()).toEqual(expect.arrayContaining(["validator.js"]));
  expect(await loaded()).not.toEqual(expect.arrayContaining(["dialog.js"]));
  const asked = call("question");
  await tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
  await tab.press("Escape");
  expect(await asked).toMatchObject({ outcome: "ok" });
  expect(await tab.evaluate("window.violations ?? []")).toEqual([]);
  expect(tab.console.errors).toEqual([]);
  await tab.close();
});

test("P43: the page's own scripts cannot answer a question that is put to its user, and the user can by keyboard", async () => {
  const tab = await browser.open(pages.url("/"));
  await connected(tab);
  await offered(tab, call);
  await tab.activate();
  const asked = call("question");
  await tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
  await tab.evaluate(() => {
    const host = document.querySelector("pagewire-dialog");
    host?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    host?.dispatchEvent(new Event("submit", { bubbles: true }));
    host?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return host?.shadowRoot === null;
  });
  expect(await tab.evaluate("document.querySelector('pagewire-dialog') !== null")).toBe(true);
  for (const key of ["A", "d", "a", "Enter"]) await tab.press(key);
  const { result } = await asked;
  expect(result?.structuredContent).toMatchObject({
    action: "accept",
    content: { name: expect.stringMatching(/^ada$/i) },
  });
  await tab.close();
});

test("closing a dialog counts as a refusal", async () => {
  const tab = await browser.open(pages.url("/"));
  await connected(tab);
  await offered(tab, call);
  await tab.activate();
  const asked = call("delete");
  await tab.waitFor("document.querySelector('pagewire-dialog[ready]') !== null");
  await tab.press("Escape");
  expect((await asked).result?.structuredContent).toEqual({ approved: false, scope: "once" });
  await tab.close();
});

test("a page that the browser keeps from the local network says so, and what to do about it", async () => {
  const tab = await browser.open(pages.url("/public"));
  await tab.waitFor("globalThis.pagewire?.state.code === 'local-network-denied'");
  expect(await tab.evaluate("pagewire.state.message")).toMatch(/local network|programs on this computer/i);
  await tab.close();
});

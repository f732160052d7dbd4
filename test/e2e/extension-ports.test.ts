// What Chromium makes of match patterns with the port of their scheme, by which a site that is allowed does not allow its other ports.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";
import { waitUntil } from "./support/wait.ts";

let pages: PageServer;
let world: ExtensionWorld;

beforeAll(async () => {
  pages = await servePages({ "/": "<!doctype html><title>Default port</title>" });
  const { port } = new URL(pages.origin);
  world = await createExtensionWorld({
    isNative: false,
    chromium: {
      hostRules: `MAP default.test:80 127.0.0.1:${port}, MAP *.test 127.0.0.1`,
      args: ["--unsafely-treat-insecure-origin-as-secure=http://default.test"],
    },
  });
  // The worker's own scripts are registered once it has started; the tests replace them.
  await waitUntil(
    async () =>
      (await world.inExtension("chrome.scripting.getRegisteredContentScripts().then(({ length }) => length)")) !== 0,
    () => "The worker registers no scripts.",
  );
});

afterAll(() => Promise.all([world?.close(), pages?.close()]));

/** Whether the script of the page's world runs where it is registered for these patterns. */
async function runs(script: { readonly matches: string[]; readonly excludeMatches?: string[] }): Promise<boolean> {
  const registered = { id: "ports", js: ["main-world.js"], world: "MAIN", runAt: "document_start", ...script };
  await world.inExtension("chrome.scripting.unregisterContentScripts()");
  await world.inExtension(`chrome.scripting.registerContentScripts([${JSON.stringify(registered)}])`);
  const tab = await world.browser.open("http://default.test/");
  // The tab stays: the worker registers its scripts again when one is closed.
  return tab.evaluate<boolean>("document.modelContext !== undefined");
}

test("a pattern with the scheme's own port is that of a page without a port, and of no other", async () => {
  expect(await runs({ matches: ["http://default.test:80/*"] })).toBe(true);
  expect(await runs({ matches: ["http://default.test:81/*"] })).toBe(false);
  const matches = ["http://default.test/*"];
  expect(await runs({ matches, excludeMatches: ["http://default.test:81/*"] })).toBe(true);
  expect(await runs({ matches, excludeMatches: ["http://default.test:80/*"] })).toBe(false);
});

test("permissions know such patterns", async () => {
  const contains = (pattern: string) =>
    world.inExtension(`chrome.permissions.contains({ origins: [${JSON.stringify(pattern)}] })`);
  expect(await contains("http://default.test:80/*")).toBe(true);
  expect(await contains("https://default.test:443/*")).toBe(false);
});

// The extension in a browser without WebMCP: it gives the pages of allowed sites a model context.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld, extensionOrigin } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";

const script = `document.modelContext?.registerTool({ name: "whisper", description: "Whispers.", annotations: { readOnlyHint: true }, execute: () => "psst" });
document.modelContext?.registerTool({ name: "crumble", description: "Throws.", annotations: { readOnlyHint: true }, execute() { throw new Error("no stock left"); } });`;
const form = `<!doctype html><title>Form</title>
<form toolname="search" tooldescription="Searches." toolautosubmit><input name="q" required></form>
<script>document.forms[0].addEventListener("submit", (event) => {
  event.preventDefault();
  event.respondWith(Promise.resolve("found " + new FormData(event.target).get("q")));
});</script>`;

let world: ExtensionWorld;

beforeAll(async () => {
  const guide = await readFile(new URL("../../docs/guide/your-own-browser.md", import.meta.url), "utf8");
  const tea = `<!doctype html>${/```html\n(.+?)```/s.exec(guide)?.[1] ?? ""}`;
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; require-trusted-types-for 'script'; trusted-types 'none'`;
  const strict = {
    body: `<!doctype html><title>Strict</title><script>${script}</script>`,
    type: "text/html",
    headers: { "content-security-policy": policy },
  };
  world = await createExtensionWorld({
    isNative: false,
    pages: () => ({ "/strict": strict, "/form": form, "/tea": tea }),
  });
  await world.pair();
  await world.send({ type: "site", origin: world.pages.origin, site: { calls: "all" } });
});
afterAll(() => world?.close());

const textOf = (text: string) => ({ content: [{ type: "text", text: expect.stringContaining(text) }] });

test("a page that looks for the browser's interface is listed and called, and a call is cancelled", async () => {
  const tab = await world.open();
  expect(await world.tabs()).toMatchObject([{ origin: world.pages.origin, tools: ["buy", "price_of", "wait"] }]);
  expect(await world.call("price_of", { item: "tea" })).toMatchObject({
    outcome: "ok",
    result: { structuredContent: { item: "tea", price: 12 } },
  });
  expect(await world.call("price_of", {})).toMatchObject({ error: { code: "input-invalid" } });
  const cancelling = new AbortController();
  const waiting = world.call("wait", {}, { signal: cancelling.signal }).catch(() => "hung up");
  await tab.waitFor("shop.state === 'waiting'");
  cancelling.abort();
  expect(await waiting).toBe("hung up");
  await tab.waitFor("shop.state === 'gave up'");
  await tab.close();
});

test("so is one with a strict policy for scripts and trusted types, whose errors have their words", async () => {
  const tab = await world.open("/strict");
  expect(await world.call("whisper", {})).toMatchObject({ outcome: "ok", result: textOf("psst") });
  expect(await world.call("crumble", {})).toMatchObject({ outcome: "tool-error", result: textOf("no stock left") });
  await tab.close();
});

test("so is a form", async () => {
  const tab = await world.open("/form");
  expect(await world.call("search", { q: "tea" })).toMatchObject({ outcome: "ok", result: textOf("found tea") });
  await tab.close();
});

test("its tools are back after a pause, and when the extension is loaded again while the page is read, too", async () => {
  const tab = await world.open();
  const price = async () => (await world.call("price_of", { item: "tea" })).outcome;
  for (const paused of [true, false]) await world.send({ type: "pause", paused });
  await expect.poll(price).toBe("ok");
  const reading = (isOn: boolean) => world.send({ type: "site", origin: world.pages.origin, site: { reading: isOn } });
  await reading(true);
  await world.reloadExtension();
  await expect
    .poll(async () => (await world.tabs()).map(({ tools }) => [...tools].sort()))
    .toEqual([["buy", "price_of", "read_page", "screenshot", "wait"]]);
  expect(await price()).toBe("ok");
  await reading(false);
  await tab.close();
});

test("a site whose setting has no polyfill gets no model context", async () => {
  const site = (polyfill: boolean) => world.send({ type: "site", origin: world.pages.origin, site: { polyfill } });
  await site(false);
  const tab = await world.browser.open(world.pages.url("/strict"));
  await expect
    .poll(async () => {
      await tab.reload();
      return tab.evaluate("'modelContext' in document");
    })
    .toBe(false);
  await site(true);
  await tab.close();
});

/** The browser's id of the only tab of an address, which the extension may see. */
const tabIdOf = (url: string) =>
  world.inExtension(`chrome.tabs.query({}).then((tabs) => tabs.find((tab) => tab.url === "${url}")?.id)`);

/** The tools of the open page of an origin. */
async function toolsAt(origin: string): Promise<readonly string[]> {
  const open = (await world.tabs()).filter((tab) => tab.state === "connected" && tab.origin === origin);
  return open.flatMap(({ tools }) => tools).toSorted();
}

test("the guide's page has its tool once its tab is allowed by a click on the button and it is loaded again", async () => {
  // Not in the manifest of the test: only the click lets the extension in.
  const origin = world.pages.originFor("localhost");
  const tab = await world.browser.open(`${origin}/tea`);
  await world.clickButton(tab);
  await expect.poll(() => tabIdOf(`${origin}/tea`)).toEqual(expect.any(Number));
  const id = Number(await tabIdOf(`${origin}/tea`));
  expect(await world.send({ type: "allow", tab: id, origin, lasts: "tab" })).toEqual({ ok: true });
  for (let load = 0; load < 3; load++) {
    await tab.reload();
    await expect.poll(async () => (await world.call("list_teas", {})).outcome).toBe("ok");
  }
  await expect.poll(() => toolsAt(origin)).toEqual(["list_teas"]);
  const other = await world.browser.open(`${origin}/tea`);
  expect(await other.evaluate("'modelContext' in document")).toBe(false);
  await other.close();
  await tab.close();
});

test("the guide's page has its tool once its site is always allowed and it is loaded again", async () => {
  const { origin } = world.pages;
  await world.send({ type: "remove-site", origin });
  const tab = await world.browser.open(`${origin}/tea`);
  expect(await tab.evaluate("'modelContext' in document")).toBe(false);
  const id = Number(await tabIdOf(`${origin}/tea`));
  expect(await world.send({ type: "allow", tab: id, origin, lasts: "always" })).toEqual({ ok: true });
  const popup = await world.browser.open(`${extensionOrigin}/popup.html?tab=${id}`, { newWindow: true });
  await popup.waitFor("document.body.textContent.includes('Load the page again, so that it finds WebMCP.')");
  await popup.click(".notice button");
  await expect.poll(async () => (await world.call("list_teas", {})).outcome).toBe("ok");
  await popup.waitFor("!document.body.textContent.includes('Load the page again')");
  await popup.close();
  await tab.close();
});

test("a site that is read keeps its page's own tools when the extension is loaded again", async () => {
  await world.send({ type: "site", origin: world.pages.origin, site: { reading: true } });
  const tab = await world.open("/tea");
  const all = ["list_teas", "read_page", "screenshot"];
  await expect.poll(() => toolsAt(world.pages.origin)).toEqual(all);
  await world.reloadExtension();
  await expect.poll(() => toolsAt(world.pages.origin)).toEqual(all);
  expect((await world.call("list_teas", {})).outcome).toBe("ok");
  await tab.close();
});

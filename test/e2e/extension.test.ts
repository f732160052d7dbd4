// The extension in a browser with WebMCP, a hub that it is paired with, and agents that know nothing of it.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import type { ShownAsk } from "../../src/extension/index.ts";

let world: ExtensionWorld;

const withTool = (name: string) =>
  `<script>document.modelContext.registerTool({ name: "${name}", description: "d", annotations: { readOnlyHint: true }, execute: () => "${name}" })</script>`;

const strict = {
  "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'; require-trusted-types-for 'script'",
};

beforeAll(async () => {
  world = await createExtensionWorld({
    // A closed tab says no goodbye: tests need not wait for it.
    limits: { graceTime: 500 },
    pages: () => ({
      "/strict": { body: `<!doctype html><title>Strict</title>${withTool("strict")}`, headers: strict },
      "/sandboxed": {
        body: `<!doctype html><title>Sandboxed</title>${withTool("nobodys")}`,
        headers: { "content-security-policy": "sandbox allow-scripts" },
      },
      "/frame": withTool("framed"),
      "/changing": `<!doctype html><title>Changing</title><script>
        globalThis.ran = 0;
        globalThis.offer = (description) => {
          globalThis.ending?.abort();
          globalThis.ending = new AbortController();
          const tool = { name: "save", description, execute: () => String(++ran) };
          void document.modelContext.registerTool(tool, { signal: ending.signal });
        };
        offer("Saves");
      </script>`,
      "/frames": `<!doctype html><title>Frames</title>${withTool("top_tool")}<iframe src="/frame"></iframe>`,
    }),
  });
  await world.pair();
});

afterAll(() => world?.close());

afterEach(() => world.closeTabs());

/** The question that waits for the person. */
async function asked(): Promise<{ readonly id: string; readonly ask: ShownAsk }> {
  let found: { readonly id: string; readonly ask: ShownAsk } | undefined;
  await expect
    .poll(async () => {
      const [entry] = Object.entries(await world.everything()).filter(([name]) => name.startsWith("ask:"));
      found = entry && { id: entry[0].slice("ask:".length), ask: entry[1] as ShownAsk };
      return found;
    })
    .toBeDefined();
  if (!found) throw new Error("The person is asked nothing.");
  return found;
}

const answer = (id: string, allowed: "once" | "document" | undefined) =>
  world.send({
    ...{ type: "answer", ask: id },
    answer: allowed ? { action: "allow", lasts: allowed } : { action: "refuse" },
  });

test("a page's own tools are listed with the page's true origin and the browser's name, and called", async () => {
  await world.open();
  expect(await world.tabs()).toMatchObject([
    { app: "127.0.0.1", origin: world.pages.origin, browser: "Ann's Chrome", tools: ["buy", "price_of", "wait"] },
  ]);
  expect(await world.call("price_of", { item: "tea" })).toMatchObject({
    outcome: "ok",
    result: { structuredContent: { item: "tea", price: 12 } },
  });
  expect(await world.shownHub()).toMatchObject({ status: "connected" });
  const outcome = { tool: "price_of", agent: expect.any(String), outcome: "ok" };
  await expect
    .poll(() => world.shownTab(world.pages.origin))
    .toMatchObject({ lasts: "always", state: { status: "connected" }, calls: [outcome] });
});

test("input that does not fit is refused before it reaches the page, and an agent that hangs up cancels its call", async () => {
  const tab = await world.open();
  expect(await world.call("price_of", { item: 7 })).toMatchObject({ ran: "no", error: { code: "input-invalid" } });
  const hangingUp = new AbortController();
  const waiting = world.call("wait", {}, { signal: hangingUp.signal }).catch(() => {});
  await tab.waitFor("shop.state === 'waiting'");
  hangingUp.abort();
  await waiting;
  await tab.waitFor("shop.state === 'gave up'");
});

test("a tool that comes late is offered, and goes with its page's signal", async () => {
  const tab = await world.open();
  await tab.evaluate(
    "void document.modelContext.registerTool({ name: 'late', description: 'd', execute: () => 'here' }, { signal: (globalThis.leaving = new AbortController()).signal })",
  );
  await expect.poll(world.tabs).toMatchObject([{ tools: expect.arrayContaining(["late"]) }]);
  await tab.evaluate("leaving.abort()");
  await expect.poll(world.tabs).toMatchObject([{ tools: ["buy", "price_of", "wait"] }]);
});

test("a call that changes something runs once the person allows it, in a window that no page can reach", async () => {
  const tab = await world.open();
  const bought = world.call("buy", { item: "tea" });
  const { id, ask } = await asked();
  expect(ask).toMatchObject({ origin: world.pages.origin, title: "Shop" });
  expect(JSON.parse(ask.question)).toMatchObject({ kind: "call", tool: "buy", arguments: { item: "tea" } });
  expect(await tab.evaluate("shop.sold")).toBe(0);
  expect(await answer(id, "document")).toEqual({ ok: true });
  expect(await bought).toMatchObject({ outcome: "ok", result: { structuredContent: { sold: 1 } } });
  // Allowed for as long as the document lives.
  expect(await world.call("buy", { item: "cake" })).toMatchObject({ result: { structuredContent: { sold: 2 } } });
});

test("a tool that its page replaces while the person is asked does not run", async () => {
  const tab = await world.open("/changing");
  const saved = world.call("save", {});
  const { id } = await asked();
  await tab.evaluate("offer('Deletes')");
  await answer(id, "document");
  expect(await saved).toMatchObject({ outcome: "rejected", ran: "no", error: { code: "action-refused" } });
  expect(await tab.evaluate("ran")).toBe(0);
  const again = world.call("save", {});
  const { id: next, ask } = await asked();
  expect(JSON.parse(ask.question)).toMatchObject({ description: "Deletes" });
  await answer(next, "once");
  expect(await again).toMatchObject({ outcome: "ok" });
});

test("a call that the person refuses is rejected and did not run, and so is one whose window they close", async () => {
  const tab = await world.open();
  const refused = world.call("buy", {});
  await answer((await asked()).id, undefined);
  const rejected = { outcome: "rejected", ran: "no", error: { code: "action-refused" } };
  expect(await refused).toMatchObject(rejected);
  const ignored = world.call("buy", {});
  await asked();
  await world.closeAskWindow();
  expect(await ignored).toMatchObject(rejected);
  expect(await tab.evaluate("shop.sold")).toBe(0);
});

test("a question is over with its call, and its window closes", async () => {
  await world.open();
  const hangingUp = new AbortController();
  const buying = world.call("buy", {}, { signal: hangingUp.signal }).catch(() => {});
  const { id } = await asked();
  hangingUp.abort();
  await buying;
  await expect
    .poll(async () => Object.keys(await world.everything()).filter((name) => name.startsWith("ask")))
    .toEqual([]);
  expect(await answer(id, "once")).toMatchObject({ ok: false });
});

test("the person stops a call that runs, and the agent is told", async () => {
  const tab = await world.open();
  const waiting = world.call("wait", {});
  await tab.waitFor("shop.state === 'waiting'");
  await expect.poll(() => world.shownTab(world.pages.origin)).toMatchObject({ calls: [{ tool: "wait" }] });
  const shown = await world.shownTab(world.pages.origin);
  await world.send({ type: "stop-call", tab: shown?.id ?? 0, call: shown?.calls[0]?.id ?? "" });
  expect(await waiting).toMatchObject({
    outcome: "tool-error",
    result: { content: [{ text: expect.stringContaining("person stopped") }] },
  });
  await tab.waitFor("shop.state === 'gave up'");
});

test("a reload keeps the tab's identity, and tools of a site that is read-only are those that only read", async () => {
  const tab = await world.open();
  const [before] = await world.tabs();
  await tab.reload();
  await expect.poll(world.tabs).toMatchObject([{ tabId: before?.tabId, state: "connected", tools: before?.tools }]);
  await world.send({ type: "site", origin: world.pages.origin, site: { calls: "read-only" } });
  await expect.poll(world.tabs).toMatchObject([{ tools: ["price_of", "wait"] }]);
  await world.send({ type: "site", origin: world.pages.origin, site: { calls: "all" } });
  await expect.poll(world.tabs).toMatchObject([{ tools: expect.arrayContaining(["buy"]) }]);
  expect(await world.call("buy", {})).toMatchObject({ outcome: "ok" });
  await world.send({ type: "site", origin: world.pages.origin, site: { calls: "ask" } });
});

test("pausing takes every tab away at once, and it comes back without being loaded again", async () => {
  const tab = await world.open();
  await tab.evaluate("globalThis.isSame = true");
  await world.send({ type: "pause", paused: true });
  await expect.poll(world.tabs).toEqual([]);
  await world.send({ type: "pause", paused: false });
  await expect.poll(world.tabs).toMatchObject([{ tools: ["buy", "price_of", "wait"] }]);
  expect(await tab.evaluate("isSame")).toBe(true);
});

test("a site that is removed offers nothing, in no tab and after no reload, until the person allows it again", async () => {
  const tab = await world.open();
  await expect.poll(() => world.shownTab(world.pages.origin)).toMatchObject({ state: { status: "connected" } });
  const { id } = (await world.shownTab(world.pages.origin)) ?? { id: 0 };
  await world.send({ type: "remove-site", origin: world.pages.origin });
  await expect.poll(world.tabs).toEqual([]);
  const lasts = async () => (await world.shownTab(world.pages.origin))?.lasts;
  await expect.poll(lasts).toBeUndefined();
  await tab.reload();
  expect(await tab.evaluate("document.modelContext.getTools().then(({ length }) => length)")).toBe(3);
  expect(await world.tabs()).toEqual([]);
  expect(await world.send({ type: "allow", tab: id, origin: world.pages.origin, lasts: "always" })).toEqual({
    ok: true,
  });
  await expect.poll(world.tabs).toMatchObject([{ tools: ["buy", "price_of", "wait"] }]);
  await expect.poll(lasts).toBe("always");
  const registered = await world.inExtension(
    "chrome.scripting.getRegisteredContentScripts().then((scripts) => scripts.map((script) => [script.id, script.excludeMatches ?? [], script.persistAcrossSessions]))",
  );
  expect(registered).toEqual([
    ["probe", [], true],
    ["main-world", [], true],
  ]);
});

test("a strict content security policy and trusted types are in nobody's way", async () => {
  await world.open("/strict");
  expect(await world.call("strict", {})).toMatchObject({ outcome: "ok" });
});

test("a sandboxed document, which has no origin, offers nothing", async () => {
  const tab = await world.browser.open(world.pages.url("/sandboxed"));
  expect(await tab.evaluate("document.modelContext.getTools().then(({ length }) => length)")).toBe(1);
  await world.open();
  expect((await world.tabs()).map(({ title }) => title)).toEqual(["Shop"]);
});

test("tools of a frame of the page's own origin are the page's, and no frame is a tab", async () => {
  await world.open("/frames");
  await expect
    .poll(world.tabs)
    .toMatchObject([{ title: "Frames", tools: expect.arrayContaining(["framed", "top_tool"]) }]);
  expect(await world.call("framed", {})).toMatchObject({ outcome: "ok" });
});

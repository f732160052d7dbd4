// MCP-B's polyfill and runtime beside our script on one page, in either order, with and without a model context of the browser.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../e2e/support/chromium.ts";
import type { Browser } from "../e2e/support/chromium.ts";
import { servePages } from "../e2e/support/page-server.ts";
import type { Page, PageServer } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { callerOf, connected, listTabs, tabIdOf, worldToken } from "../e2e/support/world.ts";
import type { CallByHttp } from "../e2e/support/world.ts";
import { record, versionOf } from "./support/record.ts";

/** The page's own script: a tool by each of the two ways, and a name that both take. */
const tools = `
const input = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const by = (name, who) => ({ name, description: "By " + who, inputSchema: input, execute: async ({ word }) => (ran.push(who), who + " " + word) });
globalThis.ran = [];
globalThis.added = (async () => {
  await document.modelContext.registerTool(by("of_theirs", "theirs"));
  pagewire.registerTool(by("of_ours", "ours"));
  await document.modelContext.registerTool(by("shared", "theirs"));
  pagewire.registerTool(by("shared", "ours"));
})();
globalThis.names = async () => (await document.modelContext.getTools()).map(({ name }) => name).sort();
globalThis.run = async (wanted, input) => {
  const tool = (await document.modelContext.getTools()).find(({ name }) => name === wanted);
  return document.modelContext.executeTool(tool, input);
};`;

let hub: Hub;
let pages: PageServer;
let call: CallByHttp;
const served: Record<string, Page> = {};

beforeAll(async () => {
  pages = await servePages(served);
  hub = await createHub({ port: 0, agentToken: () => worldToken, allowedOrigins: () => [pages.origin] });
  call = callerOf(hub.url, worldToken);
});
afterAll(async () => {
  await hub?.close();
  await pages?.close();
});

describe.each([
  { partner: "@mcp-b/webmcp-polyfill", native: false },
  { partner: "@mcp-b/global", native: false },
  { partner: "@mcp-b/global", native: true },
])("$partner, in a browser whose own model context is there: $native", ({ partner, native }) => {
  let browser: Browser;

  beforeAll(async () => {
    const file = fileURLToPath(new URL(`node_modules/${partner}/dist/index.iife.js`, import.meta.url));
    const ours = `<script src="${hub.url}/pagewire.js" data-app="shop" data-native></script>`;
    const theirs = `<script src="/theirs.js"></script>`;
    served["/theirs.js"] = { body: await readFile(file), type: "text/javascript" };
    for (const [path, tags] of [
      ["/theirs-first", theirs + ours],
      ["/ours-first", ours + theirs],
    ] as const)
      served[path] = `<!doctype html><title>Shop</title>${tags}<script>${tools}</script>`;
    browser = await launchChromium({ features: { enable: native ? ["WebMCP"] : [] } });
  });
  afterAll(() => browser?.close());

  async function toolsOf(tab: Tab): Promise<readonly string[]> {
    const id = await tabIdOf(tab);
    return (await listTabs(call)).find(({ tabId }) => tabId === id)?.tools.toSorted() ?? [];
  }

  test.each(["/theirs-first", "/ours-first"])(
    "each sees and calls the other's tools, and a name is one tool: %s",
    async (path) => {
      const tab = await browser.open(pages.url(path));
      await connected(tab);
      await tab.evaluate("added");
      const all = ["of_ours", "of_theirs", "shared"];
      await expect.poll(() => toolsOf(tab)).toEqual(all);
      await expect.poll(() => tab.evaluate("names()")).toEqual(all);

      const word = "hi";
      expect(await call("of_theirs", { word })).toMatchObject({ outcome: "ok", result: textOf("theirs hi") });
      expect(await call("of_ours", { word })).toMatchObject({ outcome: "ok", result: textOf("ours hi") });
      expect(await tab.evaluate("ran.splice(0)")).toEqual(["theirs", "ours"]);

      // Their own runtime wants its input as JSON, the browser's context as an object.
      const given = native ? { word } : JSON.stringify({ word });
      const inPage = (name: string) => tab.evaluate(`run("${name}", ${JSON.stringify(given)})`);
      expect(await inPage("of_theirs")).toBe("theirs hi");
      expect(JSON.parse(String(await inPage("of_ours")))).toEqual(textOf("ours hi"));
      expect(await tab.evaluate("ran.splice(0)")).toEqual(["theirs", "ours"]);

      // Of a name that stood in the model context first, every agent runs the same tool.
      await expect.poll(async () => (await call("shared", { word })).result).toMatchObject(textOf("theirs hi"));
      expect(await inPage("shared")).toBe("theirs hi");
      await tab.close();
      const where = native
        ? "beside data-native, over the browser's context"
        : "beside data-native, without a context of the browser";
      await record(
        { partner, version: await versionOf(partner) },
        where,
        "both orders of the scripts: each lists and calls the other's; one name is one tool for every agent",
      );
    },
  );
});

const textOf = (text: string) => ({ content: [{ type: "text", text }] });

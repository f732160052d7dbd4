// MCP-B's polyfill and runtime on pages without a script of ours, in a browser without WebMCP but with the extension.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "../e2e/extension.test-helper.ts";
import type { ExtensionWorld } from "../e2e/extension.test-helper.ts";
import { record, versionOf } from "./support/record.ts";

const register = `document.modelContext.registerTool({ name: "echo", description: "Echoes.",
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  execute: async ({ word }) => "echo " + word });`;
const early = (file: string): string => `<!doctype html><script src="${file}"></script><script>${register}</script>`;
/** It puts its context in the place of the extension's long after that was read. */
const late = (file: string): string => `<!doctype html><script>
globalThis.replace = () => new Promise((resolve) => {
  const script = document.createElement("script");
  script.src = "${file}";
  script.onload = () => resolve(${register.replace(/;$/, "")});
  document.head.append(script);
});</script>`;

let world: ExtensionWorld;

beforeAll(async () => {
  const bundleOf = async (partner: string) => {
    const file = fileURLToPath(new URL(`node_modules/${partner}/dist/index.iife.js`, import.meta.url));
    return { body: await readFile(file), type: "text/javascript" };
  };
  const pages = {
    "/global.js": await bundleOf("@mcp-b/global"),
    "/polyfill.js": await bundleOf("@mcp-b/webmcp-polyfill"),
    "/@mcp-b/global": early("/global.js"),
    "/@mcp-b/webmcp-polyfill": early("/polyfill.js"),
    "/late": late("/global.js"),
  };
  world = await createExtensionWorld({ isNative: false, limits: { graceTime: 300 }, pages: () => pages });
  await world.pair();
  await world.send({ type: "site", origin: world.pages.origin, site: { calls: "all" } });
});
afterAll(() => world?.close());

const echoed = { outcome: "ok", result: { content: [{ type: "text", text: "echo hi" }] } };

test.each(["@mcp-b/global", "@mcp-b/webmcp-polyfill"])(
  "the extension lists and calls a tool of a page with %s",
  async (partner) => {
    const tab = await world.open(`/${partner}`);
    expect((await world.tabs()).map(({ tools }) => tools)).toEqual([["echo"]]);
    expect(await world.call("echo", { word: "hi" })).toMatchObject(echoed);
    await tab.close();
    await expect.poll(world.tabs).toEqual([]);
    const where = "with the extension alone, without a context of the browser";
    await record(
      { partner, version: await versionOf(partner) },
      where,
      "the extension lists and calls its page's tool",
    );
  },
);

test("a runtime that comes long after the page has loaded is followed", async () => {
  const tab = await world.browser.open(world.pages.url("/late"));
  await tab.evaluate("replace()");
  await expect.poll(async () => (await world.tabs()).map(({ tools }) => tools)).toEqual([["echo"]]);
  expect(await world.call("echo", { word: "hi" })).toMatchObject(echoed);
  await tab.close();
});

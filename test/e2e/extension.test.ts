// The extension in a browser with WebMCP, a hub that it is paired with, and agents that know nothing of it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";

let world: ExtensionWorld;

beforeAll(async () => {
  world = await createExtensionWorld();
  await world.pair();
});

afterAll(() => world?.close());

test("a page's own tools are listed with the page's true origin and the browser's name, and called", async () => {
  const tab = await world.open();
  expect(await world.tabs()).toMatchObject([
    { app: "127.0.0.1", origin: world.pages.origin, browser: "Ann's Chrome", tools: ["buy", "price_of", "wait"] },
  ]);
  expect(await world.call("price_of", { item: "tea" })).toMatchObject({
    outcome: "ok",
    result: { structuredContent: { item: "tea", price: 12 } },
  });
  await tab.close();
});

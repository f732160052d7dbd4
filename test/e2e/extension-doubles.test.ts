// A page with tools of its own and with Pagewire's own script, in a browser with the extension: one name is one tool.
import { createHub } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import { freePort } from "../support/free-port.ts";

const page = (attributes: string): string => `<!doctype html><title>Shop</title>
<script>document.modelContext.registerTool({ name: "of_page", description: "The page's.", execute: () => "the page's" });</script>
<script ${attributes} data-app="shop"></script>
<script>pagewire.registerTool({ name: "of_script", description: "Pagewire's.", execute: () => "Pagewire's" });</script>`;

describe.each([{ isNative: true }, { isNative: false }])("with the browser's own WebMCP: $isNative", ({ isNative }) => {
  let world: ExtensionWorld;
  let other: Hub;

  beforeAll(async () => {
    let origin = "";
    other = await createHub({ port: 0, agentToken: () => "another's", allowedOrigins: () => [origin] });
    const none = `http://127.0.0.1:${await freePort()}`;
    world = await createExtensionWorld({
      isNative,
      allowsPages: true,
      limits: { graceTime: 300 },
      pages: (hub) =>
        Object.fromEntries(
          [
            ["same", `src="${hub}/pagewire.js"`],
            ["alias", `src="${hub}/pagewire.js" data-hub="${hub.replace("127.0.0.1", "localhost")}"`],
            ["other", `src="${other.url}/pagewire.js"`],
            ["none", `src="${hub}/pagewire.js" data-hub="${none}"`],
          ].flatMap(([path, src]) => [
            [`/${path}`, page(`${src}`)],
            [`/${path}-native`, page(`${src} data-native`)],
          ]),
        ),
    });
    ({ origin } = world.pages);
    await world.pair();
    await world.send({ type: "site", origin, site: { calls: "all" } });
  });
  afterAll(async () => {
    await world?.close();
    await other?.close();
  });

  const listed = async () =>
    (await world.tabs()).map(({ browser, tools }) => ({ byExtension: browser !== undefined, tools: tools.toSorted() }));
  const outcomesOf = (names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await world.call(name, {})).outcome));

  test.each([
    { path: "/same", names: ["of_page", "of_script"], byExtension: false },
    { path: "/same-native", names: ["of_page", "of_script"], byExtension: false },
    { path: "/alias", names: ["of_page", "of_script"], byExtension: false },
    { path: "/other", names: ["of_page"], byExtension: true },
    { path: "/other-native", names: ["of_page", "of_script"], byExtension: true },
    { path: "/none", names: ["of_page"], byExtension: true },
    { path: "/none-native", names: ["of_page", "of_script"], byExtension: true },
  ])("$path: agents have each tool once, from the extension: $byExtension", async ({ path, names, byExtension }) => {
    const tab = await world.browser.open(world.pages.url(path));
    await expect.poll(listed).toEqual([{ byExtension, tools: names }]);
    expect(await outcomesOf(names)).toEqual(names.map(() => "ok"));
    await tab.close();
    await expect.poll(world.tabs).toEqual([]);
  });

  test("the extension says why it offers nothing, and takes its turn when the page's script leaves the hub", async () => {
    const tab = await world.browser.open(world.pages.url("/same"));
    await expect.poll(listed).toEqual([{ byExtension: false, tools: ["of_page", "of_script"] }]);
    await expect
      .poll(async () => (await world.shownTab(world.pages.origin))?.note)
      .toBe("This page offers its tools to the same hub itself.");
    await tab.evaluate("pagewire.close()");
    await expect.poll(listed).toEqual([{ byExtension: true, tools: ["of_page"] }]);
    await tab.close();
    await expect.poll(world.tabs).toEqual([]);
  });
});

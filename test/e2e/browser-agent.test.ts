// Pages that offer their tools to the browser's own agent by an attribute of the script tag, wherever a browser supports
// this and where it does not.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createBrowserWorld } from "./browser-world.test-helper.ts";
import type { BrowserWorld, Origins } from "./browser-world.test-helper.ts";
import type { Page } from "./support/page-server.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

const tools = `
pagewire.registerTool({ name: "double", inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] }, execute: ({ n }) => ({ n: n * 2 }) });
pagewire.registerTool({ name: "fail", execute: () => { throw new Error("The shelf is empty."); } });`;

/** The names of the tools in the page's browser, including those of frames from these origins. */
const namesScript = (fromOrigins: readonly string[] = []) =>
  `document.modelContext.getTools({ fromOrigins: ${JSON.stringify(fromOrigins)} }).then((all) => all.map(({ name }) => name).sort())`;

const callScript = (name: string, input: object, fromOrigins: readonly string[] = []) => `(async () => {
  const all = await document.modelContext.getTools({ fromOrigins: ${JSON.stringify(fromOrigins)} });
  return JSON.parse(await document.modelContext.executeTool(all.find(({ name }) => name === "${name}"), ${JSON.stringify(input)}));
})()`;

function pagesOf(hub: string, origins: Origins): Record<string, Page> {
  const page = (attributes: string, body = "") =>
    `<!doctype html>${body}<script src="${hub}/pagewire.js" data-app="shop" ${attributes}></script><script>${tools}</script>`;
  const theirs = `<script>document.modelContext?.registerTool({ name: "theirs", description: "Theirs", execute: () => "" });</script>`;
  return {
    "/native": page("data-native", theirs),
    "/plain": page("", theirs),
    "/off": page('data-native="false" data-browser-tools="false"', theirs),
    "/alone": page('data-native data-browser-tools="false"', theirs),
    "/around": `<!doctype html><iframe allow="tools" src="${origins.stranger}/exposed"></iframe><script src="${hub}/pagewire.js" data-app="around" data-from-origins="https://agent.example ${origins.stranger}"></script>`,
    "/exposed": page(`data-native data-exposed-to="${origins.app} https://agent.example"`),
    "/forbidden": { body: page("data-native"), headers: { "permissions-policy": "tools=()" } },
    "/unkeyed": { body: page("data-native"), headers: { "origin-agent-cluster": "?0" } },
    "/insecure": page("data-native"),
  };
}

describe.each([true, false])("native: %s", (isNative) => {
  let world: BrowserWorld;
  let origins: Origins;
  let open: BrowserWorld["open"];

  beforeAll(async () => {
    world = await createBrowserWorld({ isNative, pagesOf });
    ({ origins, open } = world);
  });

  afterEach(() => world.closeTabs());

  afterAll(() => world?.close());

  async function has(tab: Tab, names: readonly string[], fromOrigins: readonly string[] = []): Promise<void> {
    const wanted = JSON.stringify(names.toSorted());
    let last = "";
    await waitUntil(
      async () => (last = JSON.stringify(await tab.evaluate(namesScript(fromOrigins)))) === wanted,
      () => `The browser has ${last}.`,
    );
  }

  const offers = (tab: Tab) => tab.evaluate("pagewire.toolbox.offer().tools.map(({ name }) => name).sort()");
  const partIsLoaded = (tab: Tab) =>
    tab.evaluate("performance.getEntriesByType('resource').some(({ name }) => name.includes('/model-context'))");

  test.runIf(isNative)(
    "data-native gives the browser's agent the page's tools, and data-browser-tools says whether its own join",
    async () => {
      const native = await open("/native");
      await has(native, ["double", "fail", "theirs"]);
      expect(await native.evaluate(callScript("double", { n: 21 }))).toMatchObject({ content: [{ text: '{"n":42}' }] });
      expect(await native.evaluate(callScript("fail", {}))).toMatchObject({
        content: [{ text: "The shelf is empty." }],
        isError: true,
      });
      await native.evaluate("pagewire.close()");
      await has(native, ["theirs"]);
      const alone = await open("/alone");
      await has(alone, ["double", "fail", "theirs"]);
      expect(await offers(alone)).toEqual(["double", "fail"]);
      for (const path of ["/plain", "/off"]) {
        const tab = await open(path);
        await has(tab, ["theirs"]);
      }
      expect([...native.console.errors, ...alone.console.errors]).toEqual([]);
    },
  );

  test.runIf(isNative)(
    "data-exposed-to says which origins see a frame's tools, data-from-origins whose tools join",
    async () => {
      const around = await open("/around");
      await has(around, ["double", "fail"], [origins.stranger]);
      await has(around, []);
      expect(await around.evaluate(callScript("double", { n: 4 }, [origins.stranger]))).toMatchObject({
        content: [{ text: '{"n":8}' }],
      });
      await waitUntil(
        async () => JSON.stringify(await offers(around)) === '["double","fail"]',
        () => "The frame's tools did not join.",
      );
    },
  );

  test.runIf(isNative)(
    "a page that its policy or its server keeps from the browser's agent logs the remedy once",
    async () => {
      for (const [path, origin, advice] of [
        ["/forbidden", origins.app, 'allow="tools"'],
        ["/unkeyed", origins.unkeyed, "Origin-Agent-Cluster: ?0"],
      ] as const) {
        const tab = await open(path, origin);
        const said = () => tab.console.messages.filter(({ text }) => text.includes("The browser did not take"));
        await waitUntil(
          async () => said().length > 0,
          () => "Nothing was said.",
        );
        expect(said()).toHaveLength(1);
        expect(said()[0]?.text).toContain(`The browser did not take the tools "double", "fail".`);
        expect(said()[0]?.text).toContain(advice);
        expect(tab.console.errors).toEqual([]);
        expect(await offers(tab)).toEqual(["double", "fail"]);
      }
    },
  );

  test("without a model context, or on an insecure page, nothing is loaded and nothing logged", async () => {
    const places: [string, string][] = [["/insecure", origins.insecure]];
    if (!isNative) places.push(["/native", origins.app], ["/unkeyed", origins.unkeyed]);
    for (const [path, origin] of places) {
      const tab = await open(path, origin);
      expect(await tab.evaluate("'modelContext' in document")).toBe(false);
      expect(await partIsLoaded(tab)).toBe(false);
      expect(await offers(tab)).toEqual(["double", "fail"]);
      expect([tab.console.errors, tab.console.messages.filter(({ type }) => type === "error")]).toEqual([[], []]);
    }
    const off = await open("/off");
    expect(await partIsLoaded(off)).toBe(false);
  });
});

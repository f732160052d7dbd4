// Runs the samples of the webmcp-adapter seed exactly as written, in browsers with and without WebMCP, and links the
// seed's other claims to lines of the spec.
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { filesIn } from "../../scripts/lib/files.mjs";
import type { Tab } from "../e2e/support/tab.ts";
import { unknownProofs } from "../support/unknown-proofs.ts";
import { compileSamples } from "./compile-samples.ts";
import { greetAndAdd } from "./mcp-agent.ts";
import { bundleForPage } from "./sample-modules.ts";
import { readSamples } from "./samples.ts";
import { createWebMcpWorld } from "./webmcp-world.ts";
import type { WebMcpWorld } from "./webmcp-world.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const samples = readSamples("./webmcp-adapter.md");
const sample = samples.get("The adapter") ?? "";
const surface = samples.get("API surface") ?? "";

let world: WebMcpWorld;

beforeAll(async () => {
  world = await createWebMcpWorld();
  // Waits before the cleanup, so that there is something to check.
  const [before, after] = sample.split("// Cleanup");
  world.served["/sample.js"] = await bundleForPage(`
    const getToken = async () => "of-the-session";
    ${before}
    window.handle = handle;
    await new Promise((resolve) => (window.goOn = resolve));
    ${after}
    window.ranWhole = true;`);
});
afterEach(() => world.reset());
afterAll(() => world.close());

/** Opens the page that runs the sample, up to its cleanup. */
async function run(place: "document" | "navigator" | "nowhere"): Promise<Tab> {
  const tab = await world.open(place, "/sample.js");
  await tab.waitFor("window.goOn");
  return tab;
}

async function cleanUp(tab: Tab): Promise<void> {
  await tab.evaluate("window.goOn()");
  await tab.waitFor("window.ranWhole");
  expect(tab.console.errors).toEqual([]);
}

test("every sample that uses a public API is here, and whatever else the seed says names rules and tests that exist", () => {
  expect([...samples.keys()]).toEqual(["The adapter", "API surface"]);
  const rows = Array.from(
    read("./webmcp-adapter.md").matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm),
    ([, what, here = ""]) => ({ what, here }),
  ).filter(({ here }) => !["here", "---"].includes(here));
  const named = rows.filter(({ here }) => !here.startsWith("no test: ")).map(({ here }) => here);
  expect([rows.length, unknownProofs(named)]).toEqual([45, []]);
});

test("each option and each member of the seed's interfaces is a row of the manifest", () => {
  const members = Array.from(surface.matchAll(/^ {2}(?:readonly )?(\w+)/gm), ([, name = ""]) => name);
  const rows = Array.from(
    read("./webmcp-adapter.md").matchAll(/^\| (?:option|handle): (\w+)/gm),
    ([, name = ""]) => name,
  );
  expect(rows).toEqual(members);
});

test("the sample in a browser that has document.modelContext", async () => {
  world.agent.pages = [greetAndAdd];
  const tab = await run("document");
  expect(await tab.evaluate(() => window.probe.names())).toEqual(["remote.add", "remote.greet"]);
  expect(await tab.evaluate(() => window.handle.tools)).toEqual(["remote.greet", "remote.add"]);
  const result = await tab.evaluate(() => window.probe.execute("remote.greet", { name: "Ada" }));
  expect(JSON.parse(result)).toMatchObject({ content: [{ type: "text", text: "Hello, Ada!" }] });
  const [call] = world.agent.of("tools/call");
  expect(call).toMatchObject({ params: { name: "greet" }, headers: { authorization: "Bearer of-the-session" } });
  await cleanUp(tab);
  expect(await tab.evaluate(() => window.probe.names())).toEqual([]);
  expect(world.agent.sessions()).toBe(0);
});

test("the sample in a browser that has navigator.modelContext, with the page's own tool beside the server's", async () => {
  const tab = await run("navigator");
  expect(await tab.evaluate(() => window.probe.names())).toEqual(["page.scroll_to_top", "remote.add", "remote.greet"]);
  await tab.evaluate("window.scrollTo({ top: 500 })");
  expect(await tab.evaluate(() => window.probe.execute("page.scroll_to_top"))).toBe("ok");
  expect(await tab.evaluate("window.scrollY")).toBe(0);
  expect(await tab.evaluate(() => window.probe.execute("remote.greet", { name: "Ada" }))).toBe("Hello, Ada!");
  await cleanUp(tab);
  expect(await tab.evaluate(() => window.probe.names())).toEqual(["page.scroll_to_top"]);
  expect(world.agent.sessions()).toBe(0);
});

describe("without a model context", () => {
  test("the sample runs to its end, and asks the server nothing", async () => {
    const tab = await run("nowhere");
    expect(await tab.evaluate(() => window.handle.tools)).toEqual([]);
    await cleanUp(tab);
    expect(await tab.evaluate(() => window.handle.disposed)).toBe(true);
    expect(world.agent.heard).toEqual([]);
    const lines = tab.console.messages.filter(({ text }) => text.startsWith("[webmcp-adapter]"));
    expect(lines.map(({ type }) => type)).toEqual(["info"]);
  });

  test("onSync receives an empty list, and refresh does nothing", async () => {
    const tab = await world.open("nowhere");
    expect(await tab.evaluate(() => window.probe.register({}))).toEqual([]);
    await tab.evaluate(() => window.handle.refresh());
    expect(await tab.evaluate(() => [window.probe.synced, window.probe.errors, window.probe.logs.length])).toEqual([
      [[]],
      [],
      1,
    ]);
    expect(world.agent.heard).toEqual([]);
  });
});

test("the seed's options are ours, and our handle is the seed's", () => {
  const file = `
    import type { McpTool, WebMcpHandle as Handle, WebMcpLogger, WebMcpOptions as Options } from "pagewire/webmcp";
    import { registerWebMcp } from "agents/experimental/webmcp";
    ${surface}
    export const toOurs = (seed: WebMcpOptions): Options => seed;
    export const toSeeds = (ours: Handle): WebMcpHandle => ours;
    export const register = (options: WebMcpOptions): Promise<WebMcpHandle> => registerWebMcp(options);
    export const logger: WebMcpLogger = console;
    export const nameOf = ({ name, description, inputSchema }: McpTool): [string, string | undefined, object | undefined] =>
      [name, description, inputSchema];`;
  expect(compileSamples("seed-webmcp-types", { "surface.ts": file })).toEqual(["", 0]);
});

/** Date.now() never changes. */
const stoppedClock = `
globalThis.Date = class extends Date {
  constructor(...given) { super(...(given.length > 0 ? given : [0])); }
  static now() { return 0; }
};
performance.now = () => 0;`;

describe("the example", () => {
  const files = filesIn("examples/webmcp").filter((path) => /\.(ts|tsx|mjs|js|html)$/.test(path));
  const contents = files.map((path) => read(`../../${path}`)).join("\n");

  test("the example declares every package that it imports", () => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read("../../examples/webmcp/package.json")) as {
      dependencies?: Record<string, string>;
      devDependencies?: Record<string, string>;
    };
    const imported = Array.from(contents.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g), ([, name = ""]) => name);
    const packages = [...new Set(imported)].filter((name) => name !== "node");
    expect(packages.length).toBeGreaterThan(1);
    expect(packages.filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
  });

  test("lines of its log that come in one millisecond are told apart", async () => {
    const contents = `
      import "./stopped-clock";
      import { createElement } from "react";
      import { createRoot } from "react-dom/client";
      import { App } from "./examples/webmcp/src/app.tsx";
      createRoot(document.querySelector("main")).render(createElement(App));`;
    world.served["/example.js"] = await bundleForPage(contents, { supplied: { "./stopped-clock": stoppedClock } });
    const tab = await world.open("document", "/example.js");
    const lines = () => tab.evaluate<number>("document.querySelectorAll('[aria-label=Log] li').length");
    await expect.poll(lines).toBe(1);
    for (const name of ["Disconnect", "Connect"])
      await tab.evaluate(
        `[...document.querySelectorAll("button")].find((one) => one.textContent === "${name}").click()`,
      );
    await expect.poll(lines).toBe(4);
    // React warns when two children have the same key.
    const said = tab.console.messages.filter(({ type }) => type === "error").map(({ text }) => text);
    expect([said, tab.console.errors]).toEqual([[], []]);
  });

  test("neither the adapter nor its example holds a directive of another linter", () => {
    const sources = filesIn("src/webmcp").map((path) => read(`../../${path}`));
    expect(sources.length).toBeGreaterThan(5);
    expect([contents, ...sources].filter((text) => /(?:es|ts)lint-(?:disable|enable)/.test(text))).toEqual([]);
  });
});

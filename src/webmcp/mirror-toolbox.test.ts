import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import type { CallEnvironment, LocalToolbox } from "../toolbox/index.ts";
import { fromBrowser, terminalOnly } from "../wire/index.ts";
import type { CallToolResult } from "../wire/index.ts";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import { mirrorToolbox } from "./mirror-toolbox.ts";

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function setUp({ taken = [] }: { readonly taken?: string[] } = {}) {
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError: () => {} });
  const { browser, register } = createFakeBrowser(taken);
  const context = Object.assign(new EventTarget(), {
    registerTool: async (...given: Parameters<typeof register>) => register(...given),
  });
  const refused: [readonly string[], string][] = [];
  const start = () => {
    const mirror = mirrorToolbox(toolbox, {
      found: { at: "document", context },
      callTool: (name, input, signal) => toolbox.callTool(name, input, environment(signal)),
      onRefused: (...told) => refused.push(told),
    });
    closers.push(mirror.close);
    return mirror;
  };
  return { toolbox, browser, context, refused, start };
}

function environment(signal: AbortSignal): CallEnvironment {
  const ask = () => Promise.reject(new Error("Nobody can be asked."));
  const rest = { deadline: Date.now() + 60_000, asks: [], rounds: false, progress() {}, log() {}, ask };
  return { callId: "c1", agent: { name: "browser" }, signal, ...rest };
}

function offer(toolbox: LocalToolbox, ...names: readonly string[]) {
  for (const name of names) toolbox.registerTool({ name, execute: () => `ran ${name}` });
}

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

test("the browser has what the toolbox has, and follows its changes", async () => {
  const { toolbox, browser, start } = setUp();
  offer(toolbox, "one", "two");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 2);
  const three = toolbox.registerTool({ name: "three", execute: () => "ran three" });
  await vi.waitUntil(() => mirror.names().length === 3);
  expect(await browser.call("three")).toEqual(text("ran three"));
  three.remove();
  toolbox.registerTool({ name: "one", description: "Now it says more", execute: () => "other" });
  await vi.waitUntil(() => browser.changes.length === 6);
  expect(browser.changes).toEqual(["+one", "+two", "+three", "-one", "-three", "+one"]);
  expect(await browser.call("one")).toEqual(text("other"));
});

test("what is registered again as it was is left alone, and what is no tool is not for the browser", async () => {
  const { toolbox, browser, start } = setUp();
  offer(toolbox, "one");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 1);
  toolbox.registerTool({ name: "one", execute: () => "newer" });
  toolbox.registerResource({ uri: "app://report", name: "report", read: () => "text" });
  offer(toolbox, "two");
  await vi.waitUntil(() => mirror.names().length === 2);
  expect(browser.changes).toEqual(["+one", "+two"]);
  expect(await browser.call("one")).toEqual(text("newer"));
});

test("tools for terminals only, and tools that came from the browser, are not given to it", async () => {
  const { toolbox, browser, start } = setUp();
  toolbox.registerTool({ name: "secret", _meta: terminalOnly, execute: () => "" });
  toolbox.registerTool({ name: "theirs", _meta: fromBrowser, execute: () => "" });
  offer(toolbox, "one");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length > 0);
  expect(browser.changes).toEqual(["+one"]);
});

test("a name that stands for a tool for terminals by now is not called for the browser", async () => {
  const { toolbox, browser, start } = setUp();
  offer(toolbox, "one");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 1);
  const kept = browser.tools.get("one");
  let runs = 0;
  toolbox.registerTool({ name: "one", _meta: terminalOnly, execute: () => `run ${++runs}` });
  const answer = await kept?.execute({}, {});
  expect([answer, runs]).toEqual([
    { ...text('There is no tool "one" here any more.'), isError: true, _meta: { "pagewire/code": "tool-not-found" } },
    0,
  ]);
});

test("results arrive whole: text, structured values, pictures, errors and why a call was refused", async () => {
  const { toolbox, browser, start } = setUp();
  const picture: CallToolResult = {
    content: [{ type: "image", data: "AAAA", mimeType: "image/webp" }],
    structuredContent: { width: 1 },
    _meta: { mine: true },
  };
  const failed: CallToolResult = { content: [{ type: "text", text: "The database is locked." }], isError: true };
  toolbox.registerTool({ name: "object", execute: () => ({ total: 7 }) });
  toolbox.registerTool({ name: "nothing", execute: () => {} });
  toolbox.registerTool({ name: "picture", execute: () => picture });
  toolbox.registerTool({ name: "failed", execute: () => failed });
  toolbox.registerTool({
    name: "throws",
    execute: () => {
      throw new Error("kaboom");
    },
  });
  const inputSchema = { type: "object", properties: { days: { type: "number" } }, required: ["days"] } as const;
  toolbox.registerTool({ name: "strict", inputSchema, execute: () => "" });
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 6);
  expect(await browser.call("object")).toEqual(text('{"total":7}'));
  expect(await browser.call("nothing")).toEqual({ content: [] });
  expect(await browser.call("picture")).toEqual(picture);
  expect(await browser.call("failed")).toEqual(failed);
  expect(await browser.call("throws")).toEqual({
    ...text("kaboom"),
    isError: true,
    _meta: { "pagewire/code": "handler-failed" },
  });
  expect(await browser.call("strict", { days: "7" })).toMatchObject({
    content: [{ text: expect.stringContaining("days") as string }],
    isError: true,
    _meta: { "pagewire/code": "input-invalid" },
  });
});

test("tools that the browser refuses for one reason are reported together, and once", async () => {
  const { toolbox, browser, refused, start } = setUp({ taken: ["one", "two", "three"] });
  offer(toolbox, "one", "two", "good");
  const mirror = start();
  await vi.waitUntil(() => refused.length > 0);
  offer(toolbox, "fine");
  await vi.waitUntil(() => mirror.names().length === 2);
  offer(toolbox, "three");
  await vi.waitUntil(() => refused.length > 1);
  expect(refused.map(([names]) => names)).toEqual([["one", "two"], ["three"]]);
  expect(refused[0]?.[1]).toContain("Duplicate tool name");
  expect(browser.changes).toEqual(["+good", "+fine"]);
});

test("a listener that throws prevents neither the next report nor the registration of tools", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  const { toolbox, browser, context, refused, start } = setUp({ taken: ["one"] });
  const { registerTool } = context;
  context.registerTool = async (...given) => {
    if (given[0].name === "odd") throw new Error("How odd.");
    // Changes while the browser is being asked.
    if (!browser.tools.has("two")) offer(toolbox, "later");
    return registerTool(...given);
  };
  const error = new Error("The listener failed.");
  refused.push = () => {
    throw error;
  };
  offer(toolbox, "one", "odd", "two");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 2);
  expect([mirror.names(), said.mock.calls]).toEqual([
    ["two", "later"],
    [[error], [error]],
  ]);
});

test("a tool whose name another script has comes once that gives the name up", async () => {
  const taken = ["one"];
  const { toolbox, browser, context, refused, start } = setUp({ taken });
  offer(toolbox, "one", "two");
  const mirror = start();
  await vi.waitUntil(() => refused.length > 0);
  taken.pop();
  context.dispatchEvent(new Event("toolchange"));
  await vi.waitUntil(() => mirror.names().length === 2);
  context.dispatchEvent(new Event("toolchange"));
  expect([browser.changes, refused.length]).toEqual([["+two", "+one"], 1]);
});

test("after close the browser has no tools of the toolbox, whatever is added to it", async () => {
  const { toolbox, browser, context, start } = setUp({ taken: ["theirs"] });
  offer(toolbox, "one", "theirs");
  const mirror = start();
  await vi.waitUntil(() => mirror.names().length === 1);
  mirror.close();
  mirror.close();
  const announced = new Promise((resolve) => toolbox.subscribe(resolve));
  offer(toolbox, "two");
  context.dispatchEvent(new Event("toolchange"));
  await announced;
  expect([mirror.names(), browser.changes]).toEqual([[], ["+one", "-one"]]);
});

// The seed's decisions and inclusions outside its tables, and the findings of its review: errors, results, the end of an
// adapter, and the parts of a definition that reach the browser. Behaviour that depends on the browser is tested in each
// place of a model context; behaviour between the adapter and its server only in the browser's own.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Tab } from "../e2e/support/tab.ts";
import { greetAndAdd, neverAnswers, said } from "./mcp-agent.ts";
import type { HeardRequest, OfferedTool } from "./mcp-agent.ts";
import { createWebMcpWorld } from "./webmcp-world.ts";
import type { Place, WebMcpWorld } from "./webmcp-world.ts";

let world: WebMcpWorld;
let tab: Tab;

beforeAll(async () => {
  world = await createWebMcpWorld();
});
afterEach(() => world.reset());
afterAll(() => world.close());

const pixel = "iVBORw0KGgoAAAANSUhEUg==";

const tools: readonly OfferedTool[] = [
  { name: "lines", answer: () => said("one", "two") },
  {
    name: "picture",
    answer: () => ({
      content: [
        { type: "image", data: pixel, mimeType: "image/webp" },
        { type: "text", text: "caption" },
      ],
    }),
  },
  { name: "nothing", answer: () => ({ content: [] }) },
  { name: "locked", answer: () => ({ ...said("The database is locked."), isError: true }) },
  { name: "counted", answer: () => ({ ...said("2"), structuredContent: { count: 2 } }) },
  { name: "failing", answer: () => Promise.reject(new Error("It fell over.")) },
];

/** The error that a browser reports for a tool that threw: Chromium itself hides the reason. */
const thrown = (place: Place, reason: RegExp) => (place === "document" ? /invocation failed/ : reason);

/** Opens a page and registers there. */
async function register(options: object = {}, place: Place = "document"): Promise<void> {
  tab = await world.open(place);
  await tab.evaluate((given: object) => window.probe.register(given), options);
}

const execute = (name: string, input = {}) =>
  tab.evaluate((...given: [string, object]) => window.probe.execute(...given), name, input);
const fail = (name: string) => tab.evaluate((given: string) => window.probe.fail(given), name);
const names = () => tab.evaluate(() => window.probe.names());
const errors = () => tab.evaluate(() => window.probe.errors);

const starts: readonly (readonly [what: string, instead: (request: HeardRequest) => boolean, message: RegExp])[] = [
  ["an HTTP error", answers(500, "Internal Server Error"), /500|Internal Server Error/],
  [
    "an error of JSON-RPC",
    answers(200, { jsonrpc: "2.0", error: { code: -32_600, message: "Bad request" } }),
    /Bad request/,
  ],
  ["no MCP at all", answers(200, "<!doctype html>"), /\/mcp/],
  ["a connection that is cut", ({ response }) => (response.destroy(), true), /\/mcp/],
];

test.each(starts)("%s at the start rejects, says so, and is no onError", async (_, instead, message) => {
  world.agent.instead = instead;
  await expect(register()).rejects.toThrow(message);
  expect([await errors(), await names()]).toEqual([[], []]);
});

test("onError receives a list that fails in the background, and the tools stay", async () => {
  await register();
  world.agent.instead = (request) => request.method === "tools/list" && answers(500, "Out of order")(request);
  await world.agent.changed();
  await expect.poll(errors).toEqual([expect.stringMatching(/500|Out of order/)]);
  expect(await names()).toEqual(["add", "greet"]);
  world.agent.instead = () => false;
  expect(await execute("greet", { name: "Ada" })).toContain("Hello, Ada!");
});

test("dispose ends a list that is read, and waits for that", async () => {
  await register();
  world.agent.instead = ({ method }) => method === "tools/list";
  await tab.evaluate(() => {
    window.handle.refresh().then(
      () => window.probe.logs.push("read"),
      () => window.probe.logs.push("read"),
    );
  });
  await world.agent.came("tools/list", 2);
  const logs = await tab.evaluate(async () => {
    await window.handle.dispose();
    return [window.probe.logs.filter((line) => line === "read").length, await window.probe.names()];
  });
  expect(logs).toEqual([1, []]);
  expect([await errors(), tab.console.errors]).toEqual([[], []]);
});

test("a paginated list is read whole, and a server without streams is supported", async () => {
  world.agent.pages = [[greetAndAdd[0] as OfferedTool], [greetAndAdd[1] as OfferedTool], [{ name: "third" }]];
  world.agent.instead = (request) => request.http === "GET" && answers(405, "Method Not Allowed")(request);
  await register();
  expect(await names()).toEqual(["add", "greet", "third"]);
  expect(await tab.evaluate(() => window.handle.tools)).toEqual(["greet", "add", "third"]);
  await world.agent.came("GET");
  expect(await execute("greet", { name: "Ada" })).toContain("Hello, Ada!");
  expect(await errors()).toEqual([]);
});

test("an empty list of tools is no error", async () => {
  world.agent.pages = [[]];
  await register();
  expect([await names(), await tab.evaluate(() => window.probe.synced), await errors()]).toEqual([[], [[]], []]);
});

test("one change at the server is one reading of its list", async () => {
  await register();
  const before = world.agent.of("tools/list").length;
  world.agent.pages = [[{ name: "third" }]];
  await world.agent.changed();
  await expect.poll(names).toEqual(["third"]);
  await tab.evaluate(() => window.handle.dispose());
  expect(world.agent.of("tools/list").length - before).toBe(1);
});

test("a server that forgets the session is found again: calls reach it, and changes are followed", async () => {
  await register();
  world.agent.forget();
  expect(await execute("greet", { name: "Ada" })).toContain("Hello, Ada!");
  world.agent.pages = [[...greetAndAdd, { name: "third" }]];
  await world.agent.changed();
  await expect.poll(names).toEqual(["add", "greet", "third"]);
});

describe.each<Place>(["document", "navigator", "polyfill"])("with what is at %s", (place) => {
  test("dispose takes away all tools at once, ends a call and the session, and can be called again", async () => {
    let ended = false;
    const answer: OfferedTool["answer"] = (input, signal) => neverAnswers(input, signal).finally(() => (ended = true));
    world.agent.pages = [[{ name: "slow", answer }]];
    await register({ results: "text" }, place);
    const failed = fail("slow");
    await world.agent.came("tools/call");
    const after = await tab.evaluate(async () => {
      const disposing = window.handle.dispose();
      const atOnce = [window.handle.disposed, await window.probe.names(), window.handle.tools];
      await Promise.all([disposing, window.handle.dispose()]);
      await window.handle.dispose();
      await window.handle.refresh();
      return [...atOnce, await window.probe.names()];
    });
    expect(after).toEqual([true, [], [], []]);
    expect(await failed).toMatch(thrown(place, /disposed/));
    await expect.poll(() => ended).toBe(true);
    expect([world.agent.of("DELETE").length, world.agent.sessions()]).toEqual([1, 0]);
    expect([await errors(), tab.console.errors]).toEqual([[], []]);
  });

  test("results as text; a call that fails is the call's alone", async () => {
    world.agent.pages = [tools];
    await register({ results: "text" }, place);
    expect(await execute("lines")).toBe("one\ntwo");
    expect(await execute("picture")).toBe(`data:image/webp;base64,${pixel}\ncaption`);
    // Chromium's own text for an empty answer.
    expect(await execute("nothing")).toBe(place === "navigator" ? "" : "Operation succeeded");
    expect(await fail("locked")).toMatch(thrown(place, /The database is locked\.$/));
    expect(await fail("failing")).toMatch(thrown(place, /It fell over\./));
    expect(await errors()).toEqual([]);
  });

  test("results as MCP has them, by default where the browser's interface is of today", async () => {
    world.agent.pages = [tools];
    const isOfBefore = place === "navigator";
    await register({ prefix: "default." }, place);
    expect(await execute("default.lines")).toMatch(isOfBefore ? /^one\ntwo$/ : /^\{"content":\[/);
    if (isOfBefore) await tab.evaluate(() => window.probe.register({ prefix: "default.mcp.", results: "mcp" }));
    const parsed = async (name: string): Promise<unknown> => {
      const result: unknown = await execute(`default.${isOfBefore ? "mcp." : ""}${name}`);
      return typeof result === "string" ? JSON.parse(result) : result;
    };
    expect(await parsed("picture")).toMatchObject({ content: [{ mimeType: "image/webp", data: pixel }, {}] });
    expect(await parsed("nothing")).toMatchObject({ content: [] });
    expect(await parsed("counted")).toMatchObject({ structuredContent: { count: 2 } });
    expect(await parsed("locked")).toMatchObject({ content: [{ text: "The database is locked." }], isError: true });
    expect(await parsed("failing")).toMatchObject({
      content: [{ text: expect.stringContaining("It fell over.") }],
      isError: true,
    });
  });

  test("schema, description and readOnlyHint arrive; a tool that the browser refuses is named", async () => {
    const inputSchema = { type: "object" as const, properties: { id: { type: "string" } }, required: ["id"] };
    const annotations = { readOnlyHint: true };
    world.agent.pages = [
      [{ name: "reader", description: "Reads.", inputSchema, annotations }, { name: "bare" }, { name: "taken" }],
    ];
    tab = await world.open(place);
    await tab.evaluate(async () => {
      const browser = (document as { modelContext?: unknown }).modelContext ?? Reflect.get(navigator, "modelContext");
      const own = { name: "taken", description: "The page's.", execute: () => "Hello from the page!" };
      await (browser as { registerTool(tool: object): unknown }).registerTool(own);
      return window.probe.register({});
    });
    expect(await tab.evaluate(() => window.probe.tools())).toMatchObject([
      { name: "bare", description: "bare" },
      { name: "reader", description: "Reads.", inputSchema, annotations },
      { name: "taken", description: "The page's." },
    ]);
    expect(await tab.evaluate(() => [window.handle.tools, window.handle.refused.map(({ name }) => name)])).toEqual([
      ["reader", "bare"],
      ["taken"],
    ]);
    expect(await execute("taken")).toBe("Hello from the page!");
    expect(await tab.evaluate(() => window.probe.logs)).toEqual([expect.stringMatching(/^warn .*taken/)]);
    expect(tab.console.errors).toEqual([]);
  });
});

test("what an agent kept of a tool is told that the adapter is disposed", async () => {
  await register({}, "navigator");
  const reason = await tab.evaluate(async () => {
    const greet = Reflect.get(window, "standIn").get("greet") as { execute(input: object): Promise<string> };
    await window.handle.dispose();
    return greet.execute({ name: "Ada" }).catch((error: Error) => error.message);
  });
  expect(reason).toMatch(/disposed/);
});

/** Answers every request in place of the server. */
function answers(status: number, body: string | object): (request: HeardRequest) => boolean {
  return ({ response, http, id }) => {
    const isText = typeof body === "string";
    response.writeHead(http === "GET" && status === 200 ? 405 : status, {
      "content-type": isText ? "text/html" : "application/json",
    });
    response.end(isText ? body : JSON.stringify({ id, ...body }));
    return true;
  };
}

// Every option and every member of the handle in the seed's table. Behaviour that depends on the browser is tested in each
// place of a model context; behaviour between the adapter and its server only in the browser's own.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { servePages } from "../e2e/support/page-server.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { createMcpAgent, greetAndAdd, neverAnswers, said } from "./mcp-agent.ts";
import { createWebMcpWorld } from "./webmcp-world.ts";
import type { Place, WebMcpWorld } from "./webmcp-world.ts";

let world: WebMcpWorld;
let tab: Tab;

beforeAll(async () => {
  world = await createWebMcpWorld();
});
afterEach(() => world.reset());
afterAll(() => world.close());

const third = { name: "third", description: "A third." };

async function open(place: Place = "document"): Promise<void> {
  tab = await world.open(place);
}

/** Registers in the open page, with options that JSON can represent. */
const register = (options: object = {}) => tab.evaluate((given: object) => window.probe.register(given), options);

const names = () => tab.evaluate(() => window.probe.names());
const heard = () => tab.evaluate(() => [window.probe.synced, window.probe.errors]);
const greet = (name = "greet") => tab.evaluate((given: string) => window.probe.execute(given, { name: "Ada" }), name);

test("url is relative to the page's origin, or absolute, at another origin that allows it", async () => {
  const agent = createMcpAgent();
  const elsewhere = await servePages({}, { listeners: { "/far": allowing(agent.listener) } });
  await open();
  expect(await register({ url: "/other" })).toEqual(["greet", "add"]);
  expect(await register({ url: elsewhere.url("/far"), prefix: "far." })).toEqual(["far.greet", "far.add"]);
  expect([world.agent.heard.length, world.other.of("tools/list").length]).toEqual([0, 1]);
  await tab.evaluate(() => window.handle.dispose());
  expect(agent.sessions()).toBe(0);
  await elsewhere.close();
});

test("headers go with every request", async () => {
  await open();
  await register({ headers: { Authorization: "Bearer fixed", "X-App": "shop" } });
  await greet();
  await world.agent.came("GET");
  await tab.evaluate(() => window.handle.dispose());
  const sent = world.agent.heard.map(({ headers }) => [headers.authorization, headers["x-app"]]);
  expect(new Set(sent.map(String))).toEqual(new Set(["Bearer fixed,shop"]));
  expect(world.agent.of("DELETE")).toHaveLength(1);
});

test.each(["() => given()", "async () => given()"])(
  "getHeaders is asked for each request, and wins: %s",
  async (source) => {
    await open();
    await tab.evaluate(`{
      let asked = 0;
      const given = () => ({ authorization: "Bearer " + ++asked });
      void 0;
      var registered = probe.register({ watch: false, headers: { Authorization: "Bearer fixed", "X-App": "shop" }, getHeaders: ${source} });
    } registered`);
    await greet();
    const sent = world.agent.heard.map(({ headers }) => `${headers.authorization} ${String(headers["x-app"])}`);
    expect(sent).toEqual(sent.map((_, index) => `Bearer ${index + 1} shop`));
  },
);

test("by default tools that the server adds or removes are followed", async () => {
  await open();
  await register();
  world.agent.pages = [[...greetAndAdd, third]];
  await world.agent.changed();
  await expect.poll(names).toEqual(["add", "greet", "third"]);
  world.agent.pages = [[third]];
  await world.agent.changed();
  await expect.poll(names).toEqual(["third"]);
  expect(await tab.evaluate(() => window.handle.tools)).toEqual(["third"]);
});

test("with watch: false no stream is opened, and refresh reads the list", async () => {
  await open();
  await register({ watch: false });
  expect(await greet()).toContain("Hello, Ada!");
  world.agent.pages = [[third]];
  expect(await names()).toEqual(["add", "greet"]);
  await tab.evaluate(() => window.handle.refresh());
  expect(await names()).toEqual(["third"]);
  expect(world.agent.of("GET")).toEqual([]);
});

test("timeoutMs ends a call that is not answered", async () => {
  world.agent.pages = [[{ name: "slow", answer: neverAnswers }]];
  await open();
  await register({ timeoutMs: 3_600_000 });
  // The test decides when the hour is over.
  await tab.evaluate(`{
    const { setTimeout: real } = window;
    window.late = [];
    window.setTimeout = (run, time, ...given) => time > 3_000_000 ? -window.late.push(run) : real(run, time, ...given);
  }`);
  const ended = tab.evaluate(() => window.probe.execute("slow"));
  await world.agent.came("tools/call");
  await tab.evaluate("window.late.forEach((run) => run())");
  expect(JSON.parse(await ended)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("in time") as string }],
  });
});

test("timeoutMs ends a list that is not answered in time", async () => {
  world.agent.instead = ({ method }) => method === "tools/list";
  await open();
  await expect(register({ timeoutMs: 300 })).rejects.toThrow(/timed out|in time/);
});

test("by default it is the console, each line after [webmcp-adapter], and nothing when quiet", async () => {
  world.agent.pages = [[third, third]];
  await open();
  await tab.evaluate(async () => (await window.registerWebMcp({ url: "/mcp" })).dispose());
  // The browser's own entries are about requests.
  const lines = () => tab.console.messages.filter(({ type }) => !type.startsWith("browser-")).map(({ text }) => text);
  const before = lines();
  expect(before.length).toBeGreaterThan(0);
  expect(before.filter((text) => !text.startsWith("[webmcp-adapter] "))).toEqual([]);
  await tab.evaluate(async () => (await window.registerWebMcp({ url: "/mcp", quiet: true })).dispose());
  expect(lines()).toEqual(before);
});

test("onSync hears of the server's tools by their own names, at first and at each later sync", async () => {
  await open();
  await register({ prefix: "remote." });
  world.agent.pages = [[third]];
  await tab.evaluate(() => window.handle.refresh());
  world.agent.pages = [[]];
  await world.agent.changed();
  await expect.poll(heard).toEqual([[["greet", "add"], ["third"], []], []]);
});

test("any number of concurrent refreshes share one promise and one reading", async () => {
  await open();
  await register();
  world.agent.pages = [[third]];
  const before = world.agent.of("tools/list").length;
  const same = await tab.evaluate(async () => {
    const promises = Array.from({ length: 200 }, () => window.handle.refresh());
    await Promise.all(promises);
    return new Set(promises).size;
  });
  expect([same, await names(), world.agent.of("tools/list").length - before]).toEqual([1, ["third"], 1]);
  await tab.evaluate(() => window.handle.refresh());
  expect(world.agent.of("tools/list").length - before).toBe(2);
});

test("a refresh while the server has a reading under way does not overlap with it, and reads what is newest", async () => {
  await open();
  await register();
  let reading = 0;
  let most = 0;
  world.agent.instead = ({ method, response }) => {
    if (method !== "tools/list") return false;
    most = Math.max(most, ++reading);
    response.once("close", () => reading--);
    return false;
  };
  world.agent.pages = [[...greetAndAdd, third]];
  await world.agent.changed();
  world.agent.pages = [[third]];
  await Promise.all([world.agent.changed(), tab.evaluate(() => window.handle.refresh())]);
  await expect.poll(names).toEqual(["third"]);
  expect(most).toBe(1);
});

describe.each<Place>(["document", "navigator", "polyfill"])("with what is at %s", (place) => {
  test("two servers and a tool of the page's with the same name stand side by side", async () => {
    world.other.pages = [[{ name: "greet", answer: () => said("Hello from the other!") }]];
    await open(place);
    await tab.evaluate(async () => {
      const browser = (document as { modelContext?: unknown }).modelContext ?? Reflect.get(navigator, "modelContext");
      const own = { name: "greet", description: "The page's.", execute: () => "Hello from the page!" };
      await (browser as { registerTool(tool: object): unknown }).registerTool(own);
    });
    await register({ prefix: "one." });
    await register({ url: "/other", prefix: "two." });
    expect(await names()).toEqual(["greet", "one.add", "one.greet", "two.greet"]);
    expect(await greet()).toBe("Hello from the page!");
    expect(await greet("one.greet")).toContain("Hello, Ada!");
    expect(await greet("two.greet")).toContain("Hello from the other!");
    const asked = [world.agent, world.other].map((agent) => agent.of("tools/call")[0]?.params["name"]);
    expect(asked).toEqual(["greet", "greet"]);
  });

  test("tools is a fresh copy of what the browser has; the logger hears of the rest, the console nothing", async () => {
    world.agent.pages = [[...greetAndAdd, { name: "no/name" }]];
    await open(place);
    await register();
    const seen = await tab.evaluate(async () => {
      const before = window.handle.disposed;
      (window.handle.tools as string[]).push("evil");
      const tools: readonly string[] = [...window.handle.tools].sort();
      const names = await window.probe.names();
      await window.handle.dispose();
      const logs = { length: window.probe.logs.length, whole: window.probe.logs.join() };
      const after = [window.handle.disposed, window.handle.tools];
      return { before, isSame: String(tools) === String(names), tools, after, logs };
    });
    // Earlier browsers accept any name.
    const isOfBefore = place === "navigator";
    const taken = isOfBefore ? ["add", "greet", "no/name"] : ["add", "greet"];
    const logs = {
      length: isOfBefore ? 0 : 1,
      whole: expect.stringMatching(isOfBefore ? /^$/ : /^warn .*no\/name/) as string,
    };
    expect(seen).toEqual({ before: false, isSame: true, tools: taken, after: [true, []], logs });
    expect(tab.console.messages.filter(({ text }) => text.includes("webmcp"))).toEqual([]);
  });

  test("a refresh that changes nothing is not seen by the browser, and one that changes one tool only there", async () => {
    await open(place);
    await register();
    const changes = () => tab.evaluate(() => window.probe.changes);
    const before = await changes();
    await tab.evaluate(() => window.handle.refresh());
    expect(await changes()).toBe(before);
    world.agent.pages = [[...greetAndAdd, third]];
    await tab.evaluate(() => window.handle.refresh());
    expect((await changes()) - before).toBe(place === "navigator" ? 0 : 1);
    expect(await names()).toEqual(["add", "greet", "third"]);
  });
});

/** Allows pages of every origin. */
function allowing(listener: ReturnType<typeof createMcpAgent>["listener"]): typeof listener {
  return (request, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE");
    response.setHeader("Access-Control-Allow-Headers", "*");
    response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
    if (request.method === "OPTIONS") response.writeHead(204).end();
    else listener(request, response);
  };
}

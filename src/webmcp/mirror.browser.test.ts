import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import type { Tool } from "../wire/index.ts";
import { createMirror } from "./mirror.ts";
import type { Mirror, MirroredTool, RefusedTool } from "./mirror.ts";
import type { ModelContext } from "./model-context.ts";
import { executeTool, toolNames, useModelContext } from "./model-context.test-helper.ts";

const inputSchema = { type: "object" } as const;
const mirrors: Mirror[] = [];

afterEach(() => {
  for (const mirror of mirrors.splice(0)) mirror.close();
});

function setUp(context: Pick<ModelContext, "registerTool"> = useModelContext(), exposedTo?: readonly string[]) {
  const told: RefusedTool[] = [];
  const found = { at: "document", context } as const;
  const mirror = createMirror({ found, exposedTo, onRefused: (refused) => told.push(refused) });
  mirrors.push(mirror);
  return { mirror, told };
}

function tool(name: string, answer: unknown = `ran ${name}`, more: Partial<Tool> = {}): MirroredTool {
  return { tool: { name, inputSchema, ...more }, run: async () => answer as string };
}

/** The unhandled errors and rejections until the test ends. */
function watchUncaught(): unknown[] {
  const uncaught: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    uncaught.push(event.reason);
  };
  addEventListener("unhandledrejection", listener);
  onTestFinished(() => removeEventListener("unhandledrejection", listener));
  return uncaught;
}

/** Resolves after all earlier events and rejections were dispatched. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

test("valid tools are registered, and a refused one is reported once and nowhere else", async () => {
  const uncaught = watchUncaught();
  const context = useModelContext();
  const { mirror, told } = setUp(context);
  const ending = new AbortController();
  await context.registerTool({ ...tool("mine").tool, description: "Mine", execute: () => "" }, ending);
  const bad = ["", "has space", "ns/slash", "é", "x".repeat(129), "mine"];
  const good = ["a.b-c_d", "x".repeat(128)];
  const set = [...bad, ...good].map((name) => tool(name));
  await mirror.sync(set);
  await mirror.sync(set);
  expect(mirror.names()).toEqual(good);
  expect((await toolNames(context)).filter((name) => name !== "mine")).toEqual(good);
  expect(told.map(({ name }) => name)).toEqual(bad);
  expect(told.at(-1)?.message).toMatch(/^The browser says: .+ Another script of this page registered a tool/);
  expect(told[1]?.message).toMatch(/^The browser says: .+ A name is 1 to 128 letters/);
  await nextTask();
  expect(uncaught).toEqual([]);
  ending.abort();
});

test("a tool that did not change is not registered again, however often the set comes", async () => {
  const context = useModelContext();
  const registered: string[] = [];
  const registerTool: ModelContext["registerTool"] = (definition, options) => {
    registered.push(definition.name);
    return context.registerTool(definition, options);
  };
  const { mirror } = setUp({ registerTool });
  const names = ["one", "two", "three", "four", "five", "six", "seven"];
  for (let time = 0; time < 20; time++) await mirror.sync(names.map((name) => tool(name, { content: [], time })));
  expect(await executeTool(context, "four")).toEqual({ content: [], time: 19 });
  await mirror.sync(names.slice(1).map((name) => tool(name)));
  await vi.waitUntil(async () => !(await toolNames(context)).includes("one"));
  expect(await toolNames(context)).toEqual(expect.arrayContaining(names.slice(1)));
  expect(registered).toEqual(names);
});

test("title, description, schema and hints arrive as the browser knows them", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  const schema = { type: "object", properties: { days: { type: "integer", minimum: 1 } }, required: ["days"] } as const;
  const annotations = { readOnlyHint: true, destructiveHint: true, openWorldHint: true };
  await mirror.sync([
    tool("sales", "", { title: "Sales", description: "Of some days", inputSchema: schema, annotations }),
  ]);
  const [registered] = await context.getTools();
  expect(registered).toMatchObject({
    name: "sales",
    title: "Sales",
    description: "Of some days",
    inputSchema: schema,
    annotations: { readOnlyHint: true, consequentialHint: true, untrustedContentHint: true },
  });
});

test("a schema of a megabyte, and one with references and formats, are passed on", async () => {
  const context = useModelContext();
  const { mirror, told } = setUp(context);
  const large = { type: "object", description: "x".repeat(2 ** 20) } as const;
  const rich = {
    type: "object",
    $defs: { day: { type: "string", format: "date" } },
    properties: { day: { $ref: "#/$defs/day" } },
    additionalProperties: true,
  } as const;
  await mirror.sync([tool("large", "", { inputSchema: large }), tool("rich", "", { inputSchema: rich })]);
  expect(told).toEqual([]);
  expect((await context.getTools()).map(({ inputSchema: given }) => given)).toEqual([large, rich]);
});

test("no result of a tool crashes its tab, and the browser's agent gets as much of it as it supports", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const bad = { symbol: Symbol("s"), big: 7n, nothing: undefined, none: null, circular, deep: { big: 7n } };
  const fine = { map: new Map([[1, 2]]), node: document.createElement("p"), words: { content: [] } };
  const answers = Object.entries<unknown>({ ...bad, ...fine });
  await mirror.sync(answers.map(([name, answer]) => ({ ...tool(name), run: async () => answer as string })));
  for (const name of Object.keys(bad)) {
    expect(await executeTool(context, name)).toMatchObject({
      isError: true,
      _meta: { "pagewire/code": "result-unsendable" },
    });
  }
  expect(await executeTool(context, "map")).toEqual({});
  expect(await executeTool(context, "node")).toEqual({});
  expect(await executeTool(context, "words")).toEqual({ content: [] });
});

test("an answer of 5 MB arrives", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  const large = { content: [{ type: "text", text: "x".repeat(5 * 2 ** 20) }] };
  await mirror.sync([tool("large", large)]);
  expect(await executeTool(context, "large")).toEqual(large);
});

test("a tool that throws, undefined or a symbol too, fails the call and nothing else", async () => {
  const uncaught = watchUncaught();
  const context = useModelContext();
  const { mirror } = setUp(context);
  const thrown = { undefined, symbol: Symbol("s"), error: new Error("kaboom") };
  await mirror.sync(
    Object.entries(thrown).map(([name, value]) => ({ ...tool(name), run: () => Promise.reject(value) })),
  );
  for (const name of Object.keys(thrown)) {
    await expect(executeTool(context, name)).rejects.toMatchObject({ name: "UnknownError" });
  }
  await nextTask();
  expect(uncaught).toEqual([]);
});

test("a cancel of the browser's agent reaches what runs", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  let heard: AbortSignal | undefined;
  const run: MirroredTool["run"] = (_input, signal) => {
    heard = signal;
    return new Promise(() => {});
  };
  await mirror.sync([{ ...tool("slow"), run }]);
  const cancelling = new AbortController();
  const call = executeTool(context, "slow", { signal: cancelling.signal });
  await vi.waitUntil(() => heard !== undefined);
  cancelling.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await vi.waitUntil(() => heard?.aborted);
});

test("a call that runs when its tool is taken away is answered", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  const answers: ((given: object) => void)[] = [];
  const run = () => new Promise<object>((resolve) => answers.push(resolve));
  await mirror.sync([{ ...tool("slow"), run }]);
  const call = executeTool(context, "slow");
  await vi.waitUntil(() => answers.length > 0);
  mirror.close();
  expect(await toolNames(context)).toEqual([]);
  answers[0]?.({ content: [] });
  expect(await call).toEqual({ content: [] });
});

test("a mirror keeps its model context, even if a script replaces it", async () => {
  const context = useModelContext();
  const { mirror } = setUp(context);
  await mirror.sync([tool("one")]);
  const original = Object.getOwnPropertyDescriptor(document, "modelContext");
  const throwing = () => {
    throw new Error("Hands off.");
  };
  Object.defineProperty(document, "modelContext", { get: throwing, configurable: true });
  await mirror.sync([tool("one"), tool("two")]);
  if (original) Object.defineProperty(document, "modelContext", original);
  else Reflect.deleteProperty(document, "modelContext");
  expect([await toolNames(context), mirror.names()]).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
});

/** A frame with its own model context, if the browser has one; it is removed after the test. */
async function openFrame(attributes: Readonly<Record<string, string>>): Promise<Window> {
  const frame = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
  frame.srcdoc = "<p>A frame</p>";
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  await loaded;
  return frame.contentWindow as Window;
}

test.runIf(inject("native"))("a frame whose policy forbids tools is told so once, with what it needs", async () => {
  const uncaught = watchUncaught();
  const frame = await openFrame({ allow: "tools 'none'" });
  const { modelContext } = frame.document as unknown as { modelContext: ModelContext };
  const { mirror, told } = setUp(modelContext);
  await mirror.sync([tool("one"), tool("two")]);
  await mirror.sync([tool("one"), tool("two")]);
  expect(mirror.names()).toEqual([]);
  expect(told.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(told[0]?.message).toContain('a frame needs allow="tools"');
  frame.frameElement?.remove();
  await nextTask();
  expect(uncaught).toEqual([]);
});

test("origins that are not secure are refused, with what they must be; secure ones are taken", async () => {
  const context = useModelContext();
  const refusing = {
    registerTool: (...[one, options]: Parameters<ModelContext["registerTool"]>) =>
      !inject("native") && options?.exposedTo?.[0] === "http://agent.example"
        ? Promise.reject(new DOMException("Only secure origins are allowed.", "SecurityError"))
        : context.registerTool(one, options),
  };
  const { mirror, told } = setUp(refusing, ["http://agent.example"]);
  await mirror.sync([tool("one")]);
  expect(told[0]?.message).toContain("Tools can be exposed to secure origins only");
  const secure = setUp(refusing, ["https://agent.example"]);
  await secure.mirror.sync([tool("one")]);
  expect([secure.mirror.names(), secure.told]).toEqual([["one"], []]);
});

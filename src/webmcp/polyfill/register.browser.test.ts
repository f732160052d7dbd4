import { expect, onTestFinished, test } from "vitest";
import { contextOf, drawn, ending, newName, next, register, toolNamed } from "./polyfill.test-helper.ts";

const execute = () => "done";
const give = (tool: object, options?: object) => {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const promise = contextOf().registerTool({ name: newName(), description: "d", execute, ...tool }, {
    signal: controller.signal,
    ...options,
  } as object);
  return ending(promise);
};
const circular: Record<string, unknown> = {};
circular["itself"] = circular;

test("a registration is a promise, and the tool is there before it resolves", async () => {
  const name = newName();
  const controller = new AbortController();
  const registered = contextOf().registerTool({ name, description: "d", execute }, { signal: controller.signal });
  expect(await toolNamed(name)).toMatchObject({ name, description: "d" });
  expect(await registered).toBe(undefined);
  controller.abort();
});

test.each(["a", "A-b_c.9", "x".repeat(128), null, 5])("%s is a name", async (name) => {
  expect(await give({ name })).toBe(undefined);
});

test.each(["", "a b", "a/b", "a:b", "é", "x".repeat(129), "a\n"])("%j is no name", async (name) => {
  expect(await give({ name })).toEqual({ error: "InvalidStateError" });
});

test("a name that is taken, and a description that is empty, are refused", async () => {
  const { tool } = await register();
  expect(await give({ name: tool.name })).toEqual({ error: "InvalidStateError" });
  expect(await give({ description: "" })).toEqual({ error: "InvalidStateError" });
});

test.each([
  ["no name", { name: undefined }],
  ["a Symbol as name", { name: Symbol("a") }],
  ["no description", { description: undefined }],
  ["no execute", { execute: undefined }],
  ["an execute that is no function", { execute: {} }],
  ["a schema that is text", { inputSchema: "{}" }],
  ["a schema that is null", { inputSchema: null }],
  ["a schema that is a function", { inputSchema: () => {} }],
  ["a schema that contains itself", { inputSchema: circular }],
  ["a schema with a BigInt", { inputSchema: { maximum: 1n } }],
  ["a schema that is undefined as JSON", { inputSchema: { toJSON: () => undefined } }],
  ["annotations that are text", { annotations: "readOnlyHint" }],
])("%s is a TypeError", async (_, tool) => {
  expect(await give(tool)).toEqual({ error: "TypeError" });
});

test("so are arguments of other kinds, and calls without their object, which never throw at once", async () => {
  const context = contextOf();
  const { registerTool, getTools, executeTool } = context;
  const wrong = [
    ...[undefined, null, "a", 5].map((tool) => context.registerTool(tool as never)),
    ...["a", 5].map((options) =>
      context.registerTool({ name: newName(), description: "d", execute }, options as never),
    ),
    registerTool({ name: newName(), description: "d", execute }),
    getTools(),
    executeTool({} as never),
  ];
  for (const promise of wrong) expect(await ending(promise)).toEqual({ error: "TypeError" });
  expect(await give({}, { signal: {} })).toEqual({ error: "TypeError" });
  expect(await give({}, { signal: null })).toEqual({ error: "TypeError" });
});

test.each([
  ["nothing of it", {}],
  ["a list", []],
  ["an unknown type", { type: "banana" }],
  ["a pattern that is none", { properties: { a: { pattern: "(" } } }],
  ["a reference to nowhere", { $ref: "#/nowhere" }],
  ["a megabyte", { description: "x".repeat(1_000_000) }],
])("a schema with %s is taken as it is", async (_, inputSchema) => {
  const { tool } = await register({ inputSchema });
  expect(tool.inputSchema).toEqual(inputSchema);
});

test("a schema is copied, then and whenever it is listed", async () => {
  const inputSchema = { type: "object" };
  const { tool } = await register({ inputSchema });
  inputSchema.type = "array";
  Object.assign(tool.inputSchema ?? {}, { type: "string" });
  expect((await toolNamed(tool.name)).inputSchema).toEqual({ type: "object" });
});

test("annotations are the four that browsers know, as booleans; without any there are none", async () => {
  const annotations = { readOnlyHint: 1, debugging: "x", destructiveHint: true } as never;
  expect((await register({ annotations })).tool.annotations).toEqual({
    consequentialHint: false,
    debugging: true,
    readOnlyHint: true,
    untrustedContentHint: false,
  });
  expect((await register({ annotations: null as never })).tool.annotations).toMatchObject({ debugging: false });
  expect((await register()).tool).not.toHaveProperty("annotations");
});

test("a signal that has aborted refuses with its reason, but after what is wrong with the tool", async () => {
  const signal = AbortSignal.abort("why");
  expect(await give({}, { signal })).toEqual({ rejected: "why" });
  expect(await give({}, { signal: AbortSignal.abort() })).toEqual({ error: "AbortError" });
  expect(await give({}, { signal, exposedTo: ["bad"] })).toEqual({ rejected: "why" });
  expect(await give({ name: "" }, { signal })).toEqual({ error: "InvalidStateError" });
  expect(await give({ inputSchema: circular }, { signal })).toEqual({ error: "TypeError" });
});

test("an abort takes the tool away at once, and its name is free in the same moment", async () => {
  const { tool, remove } = await register();
  remove();
  const again = give({ name: tool.name, description: "again" });
  expect(await toolNamed(tool.name)).toMatchObject({ description: "again" });
  expect(await again).toBe(undefined);
});

test("an abort right after the registration rejects it with the reason", async () => {
  const controller = new AbortController();
  const name = newName();
  const registered = contextOf().registerTool({ name, description: "d", execute }, { signal: controller.signal });
  controller.abort("late");
  expect(await ending(registered)).toEqual({ rejected: "late" });
  await expect(toolNamed(name)).rejects.toThrow("There is no tool");
});

test.each([
  ["https://a.example"],
  ["HTTPS://A.example:443/path?q"],
  ["http://localhost:3"],
  ["http://shop.localhost"],
  ["http://127.0.0.1:4"],
  ["http://[::1]:3"],
  ["wss://a.example"],
  ["blob:https://a.example/1"],
])("a tool may be exposed to %s", async (origin) => {
  expect(await give({}, { exposedTo: [origin] })).toBe(undefined);
  expect(await ending(contextOf().getTools({ fromOrigins: [origin] }))).toBeInstanceOf(Array);
});

test.each(["http://example.com", "*", "bad", "", "null", "about:blank", "data:text/html,x", "http://localhost.com"])(
  "it may not be exposed to %j, which is not secure",
  async (origin) => {
    expect(await give({}, { exposedTo: ["https://a.example", origin] })).toEqual({ error: "SecurityError" });
    expect(await ending(contextOf().getTools({ fromOrigins: [origin] }))).toEqual({ error: "SecurityError" });
  },
);

test("origins are a list", async () => {
  for (const origins of ["https://a.example", null, 5]) {
    expect(await give({}, { exposedTo: origins })).toEqual({ error: "TypeError" });
    expect(await ending(contextOf().getTools({ fromOrigins: origins } as never))).toEqual({ error: "TypeError" });
  }
});

test("toolchange is a plain event in a task of its own, one for each tool that comes or goes", async () => {
  await drawn();
  const context = contextOf();
  const log: string[] = [];
  const listener = ({ constructor, type, bubbles, cancelable }: Event) =>
    log.push(`${constructor.name} ${type} ${bubbles} ${cancelable}`);
  context.addEventListener("toolchange", listener);
  onTestFinished(() => context.removeEventListener("toolchange", listener));
  const first = register();
  const second = register();
  log.push("now");
  queueMicrotask(() => log.push("promises"));
  const { remove } = await first.then((given) => (log.push("registered"), given));
  await second;
  const event = "Event toolchange false false";
  expect(log.toSorted()).toEqual([event, event, "now", "promises", "registered"].toSorted());
  expect(log.slice(0, 3)).toEqual(["now", "promises", event]);
  log.length = 0;
  remove();
  log.push("removed");
  await next("toolchange");
  expect(log).toEqual(["removed", event]);
});

test("a refused tool changes nothing", async () => {
  await drawn();
  let changes = 0;
  const context = contextOf();
  context.ontoolchange = () => (changes += 1);
  onTestFinished(() => void (context.ontoolchange = null));
  await give({ name: "" });
  await register();
  expect(changes).toBe(1);
});

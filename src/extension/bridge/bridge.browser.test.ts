// The two sides of the bridge in one realm, over the polyfill, over others' contexts, and with a page that lies.
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { installPolyfill } from "../../webmcp/index.ts";
import type { ModelContext, ModelContextTool } from "../../webmcp/index.ts";
import { BridgedContext, mostText, mostTools } from "./isolated-side.ts";
import { serveBridge } from "./main-side.ts";

beforeAll(installPolyfill);

const { signal: never } = new AbortController();

const contextOf = (there: Document) => (there as unknown as { readonly modelContext: ModelContext }).modelContext;

async function register(tool: Partial<ModelContextTool> & { readonly name: string }): Promise<() => void> {
  const removal = new AbortController();
  onTestFinished(() => removal.abort());
  const definition = { description: "d", execute: () => `${tool.name} ran`, ...tool };
  await contextOf(document).registerTool(definition, { signal: removal.signal });
  return () => removal.abort();
}

function bridged(): BridgedContext {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  serveBridge(port1);
  return new BridgedContext(port2);
}

/** A context whose other side is the test's, and what it was asked. */
function lyingPage() {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const asked: { readonly type: string; readonly id: number }[] = [];
  port1.onmessage = ({ data }) => asked.push(data as (typeof asked)[number]);
  return { context: new BridgedContext(port2), asked, say: (message: unknown) => port1.postMessage(message) };
}

const names = async (context: BridgedContext) => (await context.getTools()).map(({ name }) => name);

interface Given {
  readonly input?: object;
  readonly signal?: AbortSignal;
}

async function call(context: BridgedContext, name: string, given: Given = {}): Promise<unknown> {
  const { input = {}, signal = never } = given;
  const tool = (await context.getTools()).find((each) => each.name === name);
  if (!tool) throw new Error(`There is no ${name}.`);
  return context.executeTool(tool, input, { signal });
}

/** Puts another model context in the document's place, as scripts of others do. */
function replaceContext(value: unknown): void {
  Object.defineProperty(document, "modelContext", { configurable: true, value });
  onTestFinished(() => void Reflect.deleteProperty(document, "modelContext"));
}

test("tools of the page's scripts and forms are listed as their own document's, and an event says when they come and go", async () => {
  const inputSchema = { type: "object", properties: { n: { type: "number" } } };
  const remove = await register({
    name: "double",
    title: "Double",
    inputSchema,
    annotations: { readOnlyHint: true },
    execute: (input) => ({ n: (input as { n: number }).n * 2 }),
  });
  const context = bridged();
  expect(await context.getTools()).toMatchObject([
    {
      name: "double",
      title: "Double",
      description: "d",
      inputSchema: JSON.stringify(inputSchema),
      annotations: { readOnlyHint: true },
      window: undefined,
      origin: location.origin,
    },
  ]);
  expect(await call(context, "double", { input: { n: 21 } })).toBe('{"n":42}');
  const changes: Event[] = [];
  context.addEventListener("toolchange", (event) => changes.push(event));
  remove();
  await expect.poll(() => changes.length).toBeGreaterThan(0);
  expect(await names(context)).toEqual([]);
  const form = document.createElement("form");
  onTestFinished(() => form.remove());
  form.innerHTML = '<input name="q">';
  for (const [name, value] of Object.entries({ toolname: "send", tooldescription: "Sends", toolautosubmit: "" })) {
    form.setAttribute(name, value);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { q } = Object.fromEntries(new FormData(form)) as { q: string };
    (event as unknown as { respondWith(answer: Promise<unknown>): void }).respondWith(Promise.resolve(`got ${q}`));
  });
  document.body.append(form);
  await expect.poll(() => names(context)).toEqual(["send"]);
  expect(await call(context, "send", { input: { q: "tea" } })).toBe("got tea");
});

test("results are whole, and errors have their words and their names", async () => {
  const long = "x".repeat(3_000_000);
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  await register({ name: "long", execute: () => long });
  await register({ name: "checked", inputSchema });
  await register({
    name: "fails",
    execute() {
      throw new Error("no stock left");
    },
  });
  const context = bridged();
  expect(await call(context, "long")).toBe(long);
  await expect(call(context, "fails")).rejects.toMatchObject({
    name: "UnknownError",
    message: expect.stringContaining("no stock left"),
  });
  await expect(call(context, "checked")).rejects.toMatchObject({
    name: "DataError",
    message: expect.stringContaining("required"),
  });
  await expect(context.executeTool({ key: "9:none" }, {}, { signal: never })).rejects.toThrow("not there any more");
});

test("a call that is cancelled ends at once with the reason, and the tool's signal aborts", async () => {
  let seen: AbortSignal | undefined;
  await register({
    name: "slow",
    execute: (_input, options) => new Promise(() => (seen = options?.signal)),
  });
  const context = bridged();
  const cancelling = new AbortController();
  const outcome = call(context, "slow", { signal: cancelling.signal }).catch((error: unknown) => error);
  await expect.poll(() => seen).toBeDefined();
  const reason = new Error("enough");
  cancelling.abort(reason);
  expect(await outcome).toBe(reason);
  await expect.poll(() => seen?.aborted).toBe(true);
  await expect(call(context, "slow", { signal: cancelling.signal })).rejects.toBe(reason);
});

test("a model context that another script puts in its place is served from the next question on", async () => {
  await register({ name: "ours" });
  const context = bridged();
  expect(await names(context)).toEqual(["ours"]);
  const tools = [{ name: "theirs" }];
  const theirs = Object.assign(new EventTarget(), {
    getTools: () => Promise.resolve(tools),
    // It wants its input as JSON.
    executeTool: (tool: unknown, input: unknown) => ({ tool, text: `${input as string}` }),
  });
  replaceContext(theirs);
  expect(await names(context)).toEqual(["theirs"]);
  expect(await call(context, "theirs", { input: { a: 1 } })).toEqual({ tool: { name: "theirs" }, text: '{"a":1}' });
  const changed = new Promise((resolve) => context.addEventListener("toolchange", resolve, { once: true }));
  tools.push({ name: "more" });
  theirs.dispatchEvent(new Event("toolchange"));
  await changed;
  expect(await names(context)).toEqual(["theirs", "more"]);
  replaceContext(undefined);
  expect(await names(context)).toEqual([]);
});

test("a context that throws, or a result that cannot be sent, is an error and not a silence", async () => {
  const context = bridged();
  replaceContext({ getTools: () => [{ name: "odd" }, { name: Symbol("none") }], executeTool: () => () => {} });
  expect(await names(context)).toEqual(["odd"]);
  await expect(call(context, "odd")).rejects.toMatchObject({ name: "DataCloneError" });
  replaceContext({
    getTools() {
      throw new TypeError("not today");
    },
  });
  await expect(context.getTools()).rejects.toMatchObject({ name: "TypeError", message: "not today" });
});

test("tools of this origin's frames are theirs, and go by their window", async () => {
  const frame = document.createElement("iframe");
  onTestFinished(() => frame.remove());
  document.body.append(frame);
  const inner = frame.contentWindow;
  replaceContext({
    getTools: () => [
      { name: "one", window },
      { name: "one", window: inner },
      { name: "gone", window: {} },
    ],
    executeTool: ({ window: there }: { window: Window }) => (there === inner ? "the frame's" : "the document's"),
  });
  const context = bridged();
  const [own, theirs, ...others] = await context.getTools();
  expect([own?.window, theirs?.window, others]).toEqual([undefined, inner, []]);
  for (const [tool, answer] of [
    [own, "the document's"],
    [theirs, "the frame's"],
  ] as const) {
    expect(await context.executeTool(tool ?? { key: "" }, {}, { signal: never })).toBe(answer);
  }
});

test("a script that changes every prototype later does not get the port", async () => {
  await register({ name: "ours" });
  const context = bridged();
  await names(context);
  const caught: unknown[] = [];
  const spy = function (this: unknown) {
    caught.push(this);
  };
  const { postMessage } = MessagePort.prototype;
  const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data") as PropertyDescriptor;
  onTestFinished(() => {
    MessagePort.prototype.postMessage = postMessage;
    Object.defineProperty(MessageEvent.prototype, "data", data);
  });
  // The extension's side, which shares this realm here only, asks by the real ones.
  const fake: PropertyDescriptor = {
    configurable: true,
    get(this: MessageEvent) {
      if (this.currentTarget !== theirs) spy.call(this);
      return Reflect.apply(data.get as () => unknown, this, []) as unknown;
    },
  };
  const { port1: served, port2: theirs } = new MessageChannel();
  serveBridge(served);
  const send = theirs.postMessage.bind(theirs);
  const answer = new Promise((resolve) => (theirs.onmessage = resolve));
  MessagePort.prototype.postMessage = spy;
  Object.defineProperty(MessageEvent.prototype, "data", fake);
  send({ type: "list", id: 1 });
  await answer;
  expect(caught).toEqual([]);
});

test("answers that were not asked for, or of the wrong kind, count for nothing", async () => {
  const { context, asked, say } = lyingPage();
  const listing = context.getTools();
  await expect.poll(() => asked.length).toBe(1);
  const id = asked[0]?.id ?? 0;
  for (const nonsense of [
    null,
    1,
    "text",
    [],
    { id },
    { type: "result", id, result: "x" },
    { type: "tools", id: id + 1 },
  ])
    say(nonsense);
  say({ type: "tools", id, tools: [{ key: "1:a", name: "a", frame: [] }] });
  say({ type: "tools", id, tools: [{ key: "1:b", name: "b", frame: [] }] });
  expect(await listing).toMatchObject([{ name: "a", description: "" }]);
});

test("what a page lists is bounded, and what is no tool of this origin is dropped", async () => {
  const { context, asked, say } = lyingPage();
  const list = async (...tools: unknown[]) => {
    const before = asked.length;
    const listing = names(context);
    await expect.poll(() => asked.length).toBe(before + 1);
    say({ type: "tools", id: asked.length, tools });
    return listing;
  };
  const tool = (name: string, more = {}) => ({ key: name, name, frame: [], ...more });
  expect(await list(...Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`)))).toHaveLength(mostTools);
  const huge = "x".repeat(mostText / 4);
  const texts = [1, 2, 3, 4, 5].map((index) => tool(`t${index}`, { description: huge, inputSchema: 7, title: {} }));
  expect(await list(...texts)).toEqual(["t1", "t2", "t3"]);
  const odd = [null, 7, "x", [], {}, { name: "no key" }, tool("far", { frame: [99] }), tool("way", { frame: ["top"] })];
  expect(await list(...odd, tool("parent", { frame: ["parent"] }), tool("good"))).toEqual(["good"]);
});

test("a page that never answers keeps no more than a few questions, and a call of its ends by its signal", async () => {
  const { context, asked } = lyingPage();
  const outcomes: unknown[] = [];
  for (let count = 0; count < 100; count++) void context.getTools().catch((error: unknown) => outcomes.push(error));
  await expect.poll(() => outcomes.length).toBe(68);
  expect(outcomes[0]).toMatchObject({ message: expect.stringContaining("does not answer") });
  const cancelling = new AbortController();
  const call = context.executeTool({ key: "a" }, {}, { signal: cancelling.signal }).catch((error: unknown) => error);
  cancelling.abort("late");
  expect(await call).toBe("late");
  await expect.poll(() => asked.at(-1)).toEqual({ type: "cancel", id: 101 });
});

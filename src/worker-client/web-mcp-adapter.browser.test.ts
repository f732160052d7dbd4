import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebMcpAdapter } from "./index.ts";
import type { ToolDefinition } from "./index.ts";

interface BrowserTool {
  readonly name: string;
  readonly description: string;
  readonly annotations?: object;
  execute(input: object): Promise<unknown>;
}

/** The tools that the browser's own agent has. */
const tools = new Map<string, BrowserTool>();
const names = () => [...tools.keys()].toSorted();
const adapter = () => adapters[adapters.push(new WebMcpAdapter()) - 1] as WebMcpAdapter;
const adapters: WebMcpAdapter[] = [];
const patiently = { interval: 5 };

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

afterEach(() => {
  for (const each of adapters.splice(0)) each.setEnabled(false);
  Reflect.deleteProperty(document, "modelContext");
  tools.clear();
  vi.restoreAllMocks();
});

function giveModelContext(): void {
  const modelContext = {
    async registerTool(tool: BrowserTool, { signal }: { readonly signal: AbortSignal }) {
      if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
      tools.set(tool.name, tool);
      signal.addEventListener("abort", () => tools.delete(tool.name));
    },
  };
  Object.defineProperty(document, "modelContext", { value: modelContext, configurable: true });
}

const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const echo = async (args: unknown) => ({ content: [{ type: "text", text: JSON.stringify(args) }] });
const echoed = { content: [{ type: "text", text: '{"name":"tea"}' }] };

test("a browser with an agent of its own takes the tools, runs them, and loses those that are removed", async () => {
  giveModelContext();
  const own = adapter();
  expect([WebMcpAdapter.isSupported(), own.isAvailable()]).toEqual([true, true]);
  own.registerTool("one", undefined, schema, echo, { annotations: { readOnlyHint: true } });
  own.registerTool("two", "Two.", {}, echo);
  await expect.poll(() => own.getRegisteredTools(), patiently).toEqual(["one", "two"]);
  expect(tools.get("one")).toMatchObject({ description: "one", annotations: { readOnlyHint: true } });
  expect(await tools.get("one")?.execute({ name: "tea" })).toEqual(echoed);
  expect(await tools.get("one")?.execute({})).toMatchObject({ isError: true });
  own.registerTool("two", "Second.", {}, echo);
  await expect.poll(() => tools.get("two")?.description, patiently).toBe("Second.");
  expect([own.unregisterTool("two"), own.unregisterTool("two"), own.isRegistered("two")]).toEqual([true, false, false]);
  await expect.poll(names, patiently).toEqual(["one"]);
});

test("a tool of another script stays when the adapter clears its own, and when its name is wanted", async () => {
  giveModelContext();
  tools.set("theirs", { name: "theirs", description: "Theirs.", execute: echo });
  const own = adapter();
  own.registerTool("theirs", "Mine.", {}, echo);
  own.registerTool("mine", "Mine.", {}, echo);
  await expect.poll(() => own.getRegisteredTools(), patiently).toEqual(["mine"]);
  await expect.poll(() => vi.mocked(console.warn).mock.calls.flat(), patiently).toMatchObject([/"theirs"/]);
  own.clearAll();
  await expect.poll(names, patiently).toEqual(["theirs"]);
  expect(tools.get("theirs")?.description).toBe("Theirs.");
});

test("tools wait for a browser that takes them, and come and go with setEnabled", async () => {
  const own = adapter();
  own.setEnabled(false);
  own.registerTool("one", "One.", {}, echo);
  expect([WebMcpAdapter.isSupported(), own.isAvailable(), own.isRegistered("one")]).toEqual([false, false, false]);
  own.setEnabled(true);
  giveModelContext();
  document.dispatchEvent(new Event("modelcontext"));
  await expect.poll(names, patiently).toEqual(["one"]);
  own.setEnabled(false);
  expect([own.isAvailable(), own.isRegistered("one"), names()]).toEqual([false, false, []]);
  own.setEnabled(true);
  await expect.poll(() => own.isRegistered("one"), patiently).toBe(true);
});

test("a tool that no browser could take is a warning, and those that are there stay", async () => {
  giveModelContext();
  const own = adapter();
  own.registerTool("one", "One.", {}, echo);
  own.registerTool("no name", "Two.", {}, echo);
  own.registerTool("task", "Three.", {}, echo, { execution: { taskSupport: "required" } });
  expect(vi.mocked(console.warn).mock.calls.flat()).toMatchObject([/no name/, /there are no tasks/]);
  await expect.poll(() => own.getRegisteredTools(), patiently).toEqual(["one"]);
});

test("a tool in the browser's form validates its input, and answers with the handler's result, or its failure", async () => {
  const annotations = { readOnlyHint: true, destructiveHint: false };
  const definition: ToolDefinition = { name: "my-tool", inputSchema: schema, annotations };
  const agent = { requestUserInteraction: async () => undefined };
  const tool = WebMcpAdapter.toModelContextTool(definition, echo);
  expect(tool).toMatchObject({ name: "my-tool", description: "my-tool", inputSchema: schema });
  expect(tool.annotations).toEqual({ readOnlyHint: true });
  expect(await tool.execute({ name: "tea" }, agent)).toEqual(echoed);
  expect(await tool.execute({ name: 7 }, agent)).toMatchObject({
    isError: true,
    _meta: { "pagewire/code": "input-invalid" },
  });
  const broken = WebMcpAdapter.toModelContextTool(definition, () => {
    throw new Error("out of paper");
  });
  const failure = { content: [{ type: "text", text: "out of paper" }], isError: true };
  expect(await broken.execute({ name: "tea" }, agent)).toMatchObject(failure);
});

import { expect, test, vi } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import type { Toolbox } from "../../toolbox/index.ts";
import type { Offer } from "../../wire/index.ts";
import { copilotKitTools } from "./ag-ui-tools.ts";
import type { AgentToolOptions } from "./agent-tools.ts";
import { aiSdkTools, langChainTools, mastraTools, openaiTools } from "./framework-tools.ts";

const picture = { type: "image", data: "iVBORw==", mimeType: "image/png" };

const createEmptyPage = () => createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });

function createPage() {
  const toolbox = createEmptyPage();
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
  toolbox.registerTool({
    name: "double",
    description: "Doubles.",
    inputSchema,
    execute: ({ n }) => String(Number(n) * 2),
  });
  toolbox.registerTool({ name: "look", description: "Looks.", execute: () => ({ content: [picture] }) });
  toolbox.registerTool({
    name: "fail",
    description: "Fails.",
    execute() {
      throw new Error("Out of paper.");
    },
  });
  const wait = (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  toolbox.registerTool({ name: "wait", description: "Waits.", execute: wait });
  return toolbox;
}

const signal = () => new AbortController().signal;

test("a call always has a result for the model: what failed or was refused, too", async () => {
  const { run } = await openaiTools(createPage());
  const ask = (name: string, json: string) => run({ call_id: "c", name, arguments: json }).then(({ output }) => output);
  expect(await ask("double", '{"n":21}')).toBe("42");
  expect(await ask("fail", "")).toBe("Out of paper.");
  expect(await ask("double", '{"n":"x"}')).toContain("refused its input");
  expect(await ask("double", "[1]")).toBe('The arguments of "double" are not a JSON object.');
  expect(await ask("double", '{"n":')).toBe('The arguments of "double" are not a JSON object.');
  expect(await ask("none", "{}")).toBe('There is no tool "none".');
  const custom = { id: "c", type: "custom", custom: { name: "double", input: "7" } };
  expect(await run(custom)).toMatchObject({ tool_call_id: "c", content: expect.stringContaining("There is no tool") });
});

test("a call that takes too long is stopped in the page, and says so", async () => {
  const { run } = await openaiTools(createPage(), { timeout: 20 });
  expect(await run({ id: "c", function: { name: "wait", arguments: "{}" } })).toEqual({
    ...{ role: "tool", tool_call_id: "c" },
    content: "The tool was stopped: it took longer than 20 ms. It may have done its work.",
  });
});

test("a stopped loop stops the page's handler, and gets the reason", async () => {
  const { wait } = await aiSdkTools(createPage());
  const stop = new AbortController();
  const called = wait?.execute({}, { abortSignal: stop.signal });
  stop.abort(new Error("Enough."));
  await expect(called).rejects.toThrow("Enough.");
});

test("only what was asked for is offered, with a schema that every version of the AI SDK takes for its own", async () => {
  const tools = await aiSdkTools(createPage(), { only: ["double", "look"] });
  expect(Object.keys(tools)).toEqual(["double", "look"]);
  const { double, look } = tools;
  expect(double?.inputSchema).toMatchObject({ jsonSchema: { type: "object", required: ["n"] } });
  const output = await look?.execute({});
  const image = { data: picture.data, mediaType: "image/png" };
  expect(look?.toModelOutput(output)).toEqual({ type: "content", value: [{ type: "media", ...image }] });
  const later = { toolCallId: "c", input: {}, output };
  expect(look?.toModelOutput(later)).toEqual({ type: "content", value: [{ type: "image-data", ...image }] });
});

test("a hub's tools are called in the tab that is named, and an outcome without a result comes as its words", async () => {
  const call = vi.fn<(call: object) => Promise<object & { outcome: string }>>(() =>
    Promise.resolve({ outcome: "tab-gone", error: { message: "The tab went away." } }),
  );
  const offer = vi.fn<(tab?: string) => Promise<Offer>>(() =>
    Promise.resolve({
      tools: [{ name: "double", inputSchema: { type: "object" } as const }],
      ...{ resources: [], resourceTemplates: [], prompts: [] },
    }),
  );
  const tools = await aiSdkTools({ offer, call }, { tab: "t1", timeout: 500 });
  const abortSignal = signal();
  expect(await tools["double"]?.execute({ n: 1 }, { abortSignal })).toMatchObject({
    isError: true,
    text: "The tab went away.",
  });
  expect(offer).toHaveBeenCalledWith("t1");
  expect(call).toHaveBeenCalledWith({
    ...{ name: "double", arguments: { n: 1 }, tab: "t1", timeout: 500, signal: abortSignal },
  });
});

test("frameworks with classes of their own make the tools", async () => {
  const page = createPage();
  const createTool = (definition: { readonly id: string; execute(input: unknown): Promise<string> }) => definition;
  const made = await mastraTools(page, createTool, { only: ["double"] });
  expect(await made["double"]?.execute({ n: 2 })).toBe("4");
  expect(await made["double"]?.execute({ context: { n: 3 }, runtimeContext: {} })).toBe("6");
  const tool = (run: (input: unknown) => Promise<string>, fields: { readonly name: string }) => ({ ...fields, run });
  const [double] = await langChainTools(page, tool, { only: ["double"] });
  expect([double?.name, await double?.run({ n: 4 })]).toEqual(["double", "8"]);
});

test("tools have names and schemas that the vendors take, and a call reaches the page's own", async () => {
  const page = createEmptyPage();
  const oneOf = [
    { properties: { sku: { type: "string" } }, required: ["sku"] },
    { properties: { shelf: { type: "string" } }, required: ["shelf"] },
  ];
  const names = ["stock.find", "stock_find", "1st", "n".repeat(100)];
  for (const name of names)
    page.registerTool({ name, description: "Finds.", inputSchema: { type: "object", oneOf }, execute: () => name });
  const { tools, responsesTools, run } = await openaiTools(page);
  expect(responsesTools.map(({ name }) => name)).toEqual(tools.map((tool) => tool.function.name));
  for (const tool of tools) {
    expect(tool.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tool.function).toMatchObject({
      description: "Finds. Give exactly one of {sku} or {shelf}.",
      parameters: { type: "object", properties: { sku: { type: "string" }, shelf: { type: "string" } } },
    });
    expect(Object.keys(tool.function.parameters)).not.toContain("oneOf");
  }
  const called = tools.map(({ function: { name } }) => run({ id: "c", function: { name, arguments: '{"sku":"A"}' } }));
  expect((await Promise.all(called)).map(({ content }) => content)).toEqual(names);
  const both = { name: tools[0]?.function.name ?? "", arguments: '{"sku":"A","shelf":"B"}' };
  expect(await run({ id: "c", function: both })).toMatchObject({
    content: expect.stringContaining("refused its input"),
  });
  const forAll = Object.entries(await aiSdkTools(page));
  for (const [name] of forAll) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  const answers = forAll.map(async ([, tool]) => (await tool.execute({ shelf: "B" })).text);
  expect((await Promise.all(answers)).toSorted()).toEqual(names.toSorted());
});

test.each([[[]], [null], ["look"], [7]])("arguments that are %j run no tool", async (given) => {
  const execute = vi.fn<() => string>(() => "seen");
  const page = createEmptyPage();
  page.registerTool({ name: "look", description: "Looks.", execute });
  const { look } = await aiSdkTools(page);
  const text = 'The arguments of "look" are not a JSON object.';
  expect(await look?.execute(given)).toMatchObject({ isError: true, text });
  expect(execute).not.toHaveBeenCalled();
  for (const none of [undefined, "", {}]) expect(await look?.execute(none)).toMatchObject({ isError: false });
});

const deletes = { destructiveHint: true };

/** A page with a tool that reads, one that deletes, and one that says nothing of itself; and what of them ran. */
function createShop() {
  const ran: string[] = [];
  const page = createEmptyPage();
  for (const [name, annotations] of [
    ["read", { readOnlyHint: true }],
    ["delete", deletes],
    ["other", {}],
  ] as const)
    page.registerTool({ name, description: "Does.", annotations, execute: () => (ran.push(name), "done") });
  return { page, ran };
}

test.each([
  ["true", () => true, ["delete"]],
  ["an approval", async () => ({ approved: true, scope: "once" as const }), ["delete"]],
  ["false", () => false, []],
  ["a refusal", () => ({ approved: false }), []],
  ["a word", () => "yes" as unknown as boolean, []],
  ["nothing", () => undefined as unknown as boolean, []],
  ["an error", () => Promise.reject(new Error("The dialog is gone.")), []],
])("each adapter asks `approve` before a tool that may change something: %s", async (_, approve, runs) => {
  const asked = vi.fn<NonNullable<AgentToolOptions["approve"]>>(approve);
  const options = { approve: asked };
  type Made = Readonly<Record<"name", string>> & { execute(input: unknown): Promise<string> };
  const make = (definition: { readonly id: string; execute(input: unknown): Promise<string> }) => definition;
  const tool = (execute: (input: unknown) => Promise<string>, { name }: { readonly name: string }): Made => ({
    name,
    execute,
  });
  const callers: readonly ((page: Toolbox) => Promise<string | undefined>)[] = [
    async (page) => (await (await aiSdkTools(page, options))["delete"]?.execute({ n: 1 }))?.text,
    async (page) => {
      const { run } = await openaiTools(page, options);
      return (await run({ call_id: "c", name: "delete", arguments: '{"n":1}' })).output;
    },
    async (page) => (await mastraTools(page, make, options))["delete"]?.execute({ n: 1 }),
    async (page) =>
      (await langChainTools(page, tool, options)).find(({ name }) => name === "delete")?.execute({ n: 1 }),
    async (page) => (await copilotKitTools(page, options)).find(({ name }) => name === "delete")?.handler({ n: 1 }),
  ];
  for (const call of callers) {
    const { page, ran } = createShop();
    asked.mockClear();
    expect(await call(page)).toBe(runs.length > 0 ? "done" : 'The user refused the call. "delete" did not run.');
    expect(ran).toEqual(runs);
    expect(asked.mock.calls).toMatchObject([
      [{ tool: "delete", description: "Does.", destructive: true, arguments: { n: 1 } }, {}],
    ]);
  }
});

test("a tool that only reads asks no approval, one that says nothing does, and a stopped loop waits for none", async () => {
  const { page, ran } = createShop();
  const stop = new AbortController();
  const approve = vi.fn<() => Promise<boolean>>(() => (stop.abort(new Error("Enough.")), new Promise(() => {})));
  const { read, other } = await aiSdkTools(page, { approve });
  expect(await read?.execute({})).toMatchObject({ text: "done" });
  expect(approve).not.toHaveBeenCalled();
  await expect(other?.execute({}, { abortSignal: stop.signal })).rejects.toThrow("Enough.");
  await expect(other?.execute({}, { abortSignal: stop.signal })).rejects.toThrow("Enough.");
  expect([approve.mock.calls.length, ran]).toEqual([1, ["read"]]);
});

test("`needsApproval` marks the tools that may change something for the AI SDK, and is off by itself", async () => {
  const { page } = createShop();
  const marks = async (options?: { readonly needsApproval: boolean }) =>
    Object.values(await aiSdkTools(page, options)).map(({ needsApproval }) => needsApproval);
  expect(await marks({ needsApproval: true })).toEqual([undefined, true, true]);
  expect([await marks(), await marks({ needsApproval: false })]).toEqual([Array(3), Array(3)]);
});

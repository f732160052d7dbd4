import { expect, test, vi } from "vitest";
import type { OfferChange } from "../wire/index.ts";
import { environment, makeToolbox, settled, textOf } from "./call.test-helper.ts";
import type { LocalToolbox } from "./create-toolbox.ts";

const nothing = () => undefined;

function listen(toolbox: LocalToolbox): OfferChange[] {
  const changes: OfferChange[] = [];
  toolbox.subscribe((change) => changes.push(change));
  return changes;
}

function thrownBy(run: () => unknown): { code?: string; message?: string } {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string };
  }
  return {};
}

test("what agents see of a tool is its definition without the handler, in one order of fields", () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({
    execute: () => ({ n: 1 }),
    _meta: { "a/b": 1 },
    annotations: { readOnlyHint: true },
    description: "Counts",
    name: "count.all-1_A",
    title: "Count",
    icons: [{ src: "a.png" }],
    outputSchema: { type: "object", properties: { n: { type: "number" } } },
  });
  expect(JSON.stringify(toolbox.offer().tools)).toBe(
    '[{"name":"count.all-1_A","title":"Count","description":"Counts","inputSchema":{"type":"object","properties":{}},' +
      '"outputSchema":{"type":"object","properties":{"n":{"type":"number"}}},"annotations":{"readOnlyHint":true},' +
      '"icons":[{"src":"a.png"}],"_meta":{"a/b":1}}]',
  );
});

test("a definition that changes after it was registered changes nothing for agents", () => {
  const toolbox = makeToolbox();
  const inputSchema = { type: "object", properties: { a: { type: "string" } } };
  toolbox.registerTool({ name: "a", inputSchema, execute: nothing });
  inputSchema.properties.a.type = "number";
  expect(toolbox.offer().tools[0]?.inputSchema).toEqual({ type: "object", properties: { a: { type: "string" } } });
});

test("a definition may be an instance of a class, and a field may be null for missing", async () => {
  class Greeter {
    readonly name = "greet";
    readonly title = null as unknown as string;
    readonly #word = "hello";
    execute() {
      return this.#word;
    }
  }
  const toolbox = makeToolbox();
  toolbox.registerTool(new Greeter());
  expect(toolbox.offer().tools[0]).toEqual({ name: "greet", inputSchema: { type: "object", properties: {} } });
  expect(textOf(await toolbox.callTool("greet", {}, environment()))).toBe("hello");
});

test("a name is 1 to 128 letters, digits, dots, dashes or underscores, and neither __proto__ nor constructor", () => {
  const toolbox = makeToolbox();
  for (const name of ["a", "A-b_c.9", "x".repeat(128), "constructors"])
    toolbox.registerTool({ name, execute: nothing });
  for (const name of ["", "a b", "a/b", "é", "x".repeat(129), "a\n", "__proto__", "constructor", 5, undefined, null]) {
    const error = thrownBy(() => toolbox.registerTool({ name: name as string, execute: nothing }));
    expect(error.code).toBe("name-invalid");
    expect(error.message).toContain(String(name).slice(0, 128));
    expect(thrownBy(() => toolbox.registerPrompt({ name: name as string, get: () => "" })).code).toBe("name-invalid");
  }
  expect(toolbox.offer().tools).toHaveLength(4);
});

test("a reserved name is taken", () => {
  const toolbox = makeToolbox({ reserved: ["list_browser_tabs"] });
  expect(thrownBy(() => toolbox.registerTool({ name: "list_browser_tabs", execute: nothing }))).toMatchObject({
    code: "name-taken",
    message: expect.stringContaining('"list_browser_tabs"') as string,
  });
});

test("a definition without its handler, or with a field of the wrong type, is refused by name", () => {
  const toolbox = makeToolbox();
  const wrong: [object, string][] = [
    [{ name: "a" }, "execute"],
    [{ name: "a", execute: "x" }, "execute"],
    [{ name: "a", execute: nothing, title: 5 }, "title"],
    [{ name: "a", execute: nothing, description: {} }, "description"],
    [{ name: "a", execute: nothing, annotations: [] }, "annotations"],
    [{ name: "a", execute: nothing, _meta: "x" }, "_meta"],
    [{ name: "a", execute: nothing, icons: "x" }, "icons"],
    [{ name: "a", execute: nothing, icons: [{}] }, "icons"],
    [{ name: "a", execute: nothing, annotations: { handler: nothing } }, "$.annotations.handler"],
  ];
  for (const [definition, field] of wrong) {
    const error = thrownBy(() => toolbox.registerTool(definition as { name: string; execute(): void }));
    expect(error.code).toBe("options-invalid");
    expect(error.message).toContain('"a"');
    expect(error.message).toContain(field);
  }
});

test("a prompt with arguments that are no list of names, or a resource whose size is no number, is refused", () => {
  const toolbox = makeToolbox();
  for (const wrong of ["x", [{}], ["x"], [{ name: 5 }], {}]) {
    const prompt = { name: "a", arguments: wrong as [], get: () => "" };
    expect(thrownBy(() => toolbox.registerPrompt(prompt))).toMatchObject({
      code: "options-invalid",
      message: 'The definition of "a" has no usable arguments.',
    });
  }
  const resource = { uri: "app://a", name: "a", size: "5" as unknown as number, read: () => "" };
  expect(thrownBy(() => toolbox.registerResource(resource)).message).toContain("size");
});

test("an input schema that is no JSON Schema of type object is refused by name, an output schema that is no object too", () => {
  const toolbox = makeToolbox();
  const circular: { type: string; properties?: unknown } = { type: "object" };
  circular.properties = circular;
  const wrong: unknown[] = [
    { type: "string" },
    { type: ["object"] },
    [],
    "object",
    null,
    true,
    circular,
    { type: "object", default: 1n },
    { type: "object", examples: [new Map()] },
  ];
  for (const inputSchema of wrong) {
    const error = thrownBy(() =>
      toolbox.registerTool({ name: "a", inputSchema: inputSchema as object, execute: nothing }),
    );
    expect(error.code).toBe("schema-invalid");
    expect(error.message).toContain('inputSchema of tool "a"');
  }
  const error = thrownBy(() => toolbox.registerTool({ name: "a", outputSchema: [] as object, execute: nothing }));
  expect(error).toMatchObject({ code: "schema-invalid" });
  expect(toolbox.offer().tools).toEqual([]);
});

test("a schema without a type gets the type object", () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "a", inputSchema: {}, execute: nothing });
  toolbox.registerTool({ name: "b", inputSchema: { required: ["x"] }, execute: nothing });
  expect(toolbox.offer().tools.map(({ inputSchema }) => inputSchema)).toEqual([
    { type: "object" },
    { type: "object", required: ["x"] },
  ]);
});

test("a schema of more bytes than schemaBytes, or that nests too deeply, is refused by name", () => {
  const toolbox = makeToolbox({ limits: { schemaBytes: 100 } });
  const sized = (description: string) => ({ type: "object", description });
  const empty = JSON.stringify(sized("")).length;
  toolbox.registerTool({ name: "a", inputSchema: sized("x".repeat(100 - empty)), execute: nothing });
  for (const text of ["x".repeat(101 - empty), "€".repeat(34)]) {
    const error = thrownBy(() => toolbox.registerTool({ name: "b", inputSchema: sized(text), execute: nothing }));
    expect(error).toMatchObject({
      code: "schema-too-large",
      message: expect.stringContaining("schemaBytes") as string,
    });
  }
  let deep: object = { type: "string" };
  for (let level = 0; level < 40; level++) deep = { type: "object", properties: { a: deep } };
  const inputSchema = deep;
  const error = thrownBy(() => makeToolbox().registerTool({ name: "c", inputSchema, execute: nothing }));
  expect(error).toMatchObject({
    code: "schema-invalid",
    message: expect.stringContaining("nested too deeply") as string,
  });
});

test("a page offers at most offersPerPage things together; replacing one is not one more", () => {
  const toolbox = makeToolbox({ limits: { offersPerPage: 2 } });
  toolbox.registerTool({ name: "a", execute: nothing });
  const prompt = toolbox.registerPrompt({ name: "a", get: () => "" });
  toolbox.registerTool({ name: "a", title: "new", execute: nothing });
  const resource = { uri: "app://a", name: "a", read: () => "" };
  expect(thrownBy(() => toolbox.registerResource(resource))).toMatchObject({
    code: "offers-too-many",
    message: expect.stringContaining("offersPerPage") as string,
  });
  prompt.remove();
  toolbox.registerResource(resource);
});

test("registering a name again replaces the tool, and the replaced registration removes nothing any more", async () => {
  const toolbox = makeToolbox();
  const controller = new AbortController();
  const first = toolbox.registerTool({ name: "a", execute: () => "old" }, { signal: controller.signal });
  const second = toolbox.registerTool({ name: "a", execute: () => "new" });
  first.remove();
  controller.abort();
  expect(textOf(await toolbox.callTool("a", {}, environment()))).toBe("new");
  second.remove();
  second.remove();
  expect(toolbox.offer().tools).toEqual([]);
});

test("an aborted signal takes the registration away; one that is aborted already never lets it in", async () => {
  const toolbox = makeToolbox();
  const controller = new AbortController();
  toolbox.registerTool({ name: "a", execute: nothing }, { signal: controller.signal });
  expect(toolbox.offer().tools).toHaveLength(1);
  controller.abort();
  expect(toolbox.offer().tools).toHaveLength(0);
  const changes = listen(toolbox);
  const late = toolbox.registerTool({ name: "a", execute: nothing }, { signal: controller.signal });
  expect(toolbox.offer().tools).toHaveLength(0);
  await settled();
  expect(changes).toEqual([]);
  toolbox.registerTool({ name: "a", execute: nothing });
  late.remove();
  expect(toolbox.offer().tools).toHaveLength(1);
});

test("all changes of one microtask are announced as one, with what was added and what was removed", async () => {
  const toolbox = makeToolbox();
  const old = toolbox.registerPrompt({ name: "old", get: () => "" });
  await settled();
  const changes = listen(toolbox);
  toolbox.registerTool({ name: "a", execute: nothing });
  toolbox.registerTool({ name: "b", execute: nothing });
  toolbox.registerResource({ uri: "app://r", name: "r", read: () => "" });
  toolbox.registerResourceTemplate({ uriTemplate: "app://{id}", name: "t", read: () => "" });
  old.remove();
  expect(changes).toEqual([]);
  await settled();
  const empty = { inputSchema: { type: "object", properties: {} } };
  expect(changes).toEqual([
    {
      add: {
        tools: [
          { name: "a", ...empty },
          { name: "b", ...empty },
        ],
        resources: [{ uri: "app://r", name: "r" }],
        resourceTemplates: [{ uriTemplate: "app://{id}", name: "t" }],
      },
      remove: { prompts: ["old"] },
    },
  ]);
});

test("a strict-mode mount, unmount and mount again is announced once, as one addition", async () => {
  const toolbox = makeToolbox();
  const changes = listen(toolbox);
  const mount = () => toolbox.registerTool({ name: "a", execute: nothing });
  mount().remove();
  const last = mount();
  await settled();
  expect(changes).toMatchObject([{ add: { tools: [{ name: "a" }] }, remove: {} }]);
  last.remove();
  mount();
  await settled();
  expect(changes).toHaveLength(1);
});

test("a hot reload that changes only handlers announces nothing and runs the new ones", async () => {
  const toolbox = makeToolbox();
  const load = (answer: string) =>
    toolbox.registerTool({ name: "a", inputSchema: { type: "object", properties: {} }, execute: () => answer });
  load("one");
  await settled();
  const changes = listen(toolbox);
  load("two");
  await settled();
  expect(changes).toEqual([]);
  expect(textOf(await toolbox.callTool("a", {}, environment()))).toBe("two");
  toolbox.registerTool({ name: "a", title: "A", execute: () => "three" });
  await settled();
  expect(changes).toMatchObject([{ add: { tools: [{ name: "a", title: "A" }] }, remove: {} }]);
});

test("what is added and removed within one microtask is not announced", async () => {
  const toolbox = makeToolbox();
  const changes = listen(toolbox);
  toolbox.registerTool({ name: "a", execute: nothing }).remove();
  await settled();
  expect(changes).toEqual([]);
});

test("a subscriber that throws is reported and does not affect the others; a removed one receives nothing", async () => {
  const toolbox = makeToolbox();
  const error = new Error("broken");
  toolbox.subscribe(() => {
    throw error;
  });
  const changes = listen(toolbox);
  toolbox.subscribe((change) => changes.push(change))();
  toolbox.registerTool({ name: "a", execute: nothing });
  await settled();
  expect(changes).toHaveLength(1);
  expect(toolbox.errors).toEqual([{ stage: "toolbox subscriber", error }]);
});

test("a closed toolbox offers nothing, runs nothing and reports nothing; it can be closed twice", async () => {
  const toolbox = makeToolbox();
  toolbox.registerTool({ name: "a", execute: nothing });
  await settled();
  const changes = listen(toolbox);
  toolbox.close();
  toolbox.close();
  await settled();
  expect(toolbox.offer()).toEqual({ tools: [], resources: [], resourceTemplates: [], prompts: [] });
  expect(await toolbox.callTool("a", {}, environment())).toMatchObject({ kind: "refused", code: "tool-not-found" });
  expect(changes).toEqual([]);
});

test("what is registered with a closed toolbox is not offered and not run", async () => {
  const toolbox = makeToolbox();
  toolbox.close();
  const changes = listen(toolbox);
  const registration = toolbox.registerTool({ name: "a", execute: nothing });
  expect(registration.name).toBe("a");
  registration.remove();
  toolbox.registerTool({ name: "a", execute: nothing });
  await settled();
  expect([toolbox.offer().tools, changes]).toEqual([[], []]);
  expect(await toolbox.callTool("a", {}, environment())).toMatchObject({ kind: "refused", code: "tool-not-found" });
});

test("a registration that was replaced, removed or closed no longer listens to its signal", () => {
  const toolbox = makeToolbox();
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  const register = () => toolbox.registerTool({ name: "a", execute: nothing }, { signal });
  const listening = () => {
    const gone = removed.mock.calls.map(([, listener]) => listener);
    return added.mock.calls.filter(([, listener]) => !gone.includes(listener)).length;
  };
  for (let round = 0; round < 5; round++) register();
  expect(listening()).toBe(1);
  register().remove();
  expect(listening()).toBe(0);
  register();
  toolbox.close();
  expect(listening()).toBe(0);
});

test("a limit that is unknown or not a number is refused by its name; undefined means the default", () => {
  for (const [name, value] of Object.entries({ schemaByte: 5, schemaBytes: "5", offersPerPage: NaN })) {
    expect(thrownBy(() => makeToolbox({ limits: { [name]: value } }))).toMatchObject({
      code: "options-invalid",
      message: expect.stringContaining(`"${name}"`) as string,
    });
  }
  makeToolbox({ limits: { schemaBytes: undefined as unknown as number } }).registerTool({
    name: "a",
    execute: nothing,
  });
});

test("a URI longer than an agent may ask for is refused", () => {
  const toolbox = makeToolbox();
  const register = (uri: string) => toolbox.registerResource({ uri, name: "r", read: () => "" });
  expect(register(`app:${"x".repeat(2044)}`).name).toHaveLength(2048);
  expect(thrownBy(() => register(`app:${"x".repeat(2045)}`))).toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining("2048") as string,
  });
});

test("the definitions of the registered tools can be listed, as they were given", () => {
  const toolbox = makeToolbox();
  const definition = { name: "a", execute: nothing };
  toolbox.registerTool(definition);
  expect(toolbox.list()[0]).toBe(definition);
});

test("a resource needs a URI and a template parts that can be told apart", () => {
  const toolbox = makeToolbox();
  for (const uri of ["", "report", "/report", "app:", "app://a b", 5]) {
    const error = thrownBy(() => toolbox.registerResource({ uri: uri as string, name: "r", read: () => "" }));
    expect(error).toMatchObject({ code: "options-invalid", message: expect.stringContaining(String(uri)) as string });
  }
  for (const uriTemplate of [
    "app://a",
    "app://{a}{b}",
    "app://{+a}",
    "app://{?q}",
    "app://{a",
    "app://a}{b}",
    "app://{}",
  ]) {
    const error = thrownBy(() => toolbox.registerResourceTemplate({ uriTemplate, name: "r", read: () => "" }));
    expect(error).toMatchObject({ code: "options-invalid", message: expect.stringContaining(uriTemplate) as string });
  }
  toolbox.registerResource({ uri: "urn:isbn:1", name: "r", read: () => "" });
  toolbox.registerResourceTemplate({ uriTemplate: "app://{a}/{b}.txt", name: "r", read: () => "" });
});

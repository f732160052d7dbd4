import { expect, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../toolbox/index.ts";
import { terminalOnly } from "../wire/index.ts";
import { tool } from "./fake-tab.test-helper.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { createToolShelf } from "./tool-shelf.ts";

function setup() {
  const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator });
  let changes = 0;
  const shelf = createToolShelf(toolbox, () => changes++);
  return { toolbox, shelf, names: () => shelf.list().map(({ name }) => name), changes: () => changes };
}

test("a tool is listed as registered; one with the same name replaces it", () => {
  const { shelf, changes } = setup();
  const annotations = { readOnlyHint: true };
  const parameters = { type: "object", properties: { days: { type: "number" } }, required: ["days"] };
  shelf.add([{ ...tool("sales"), parameters, title: "Sales", annotations }, tool("users")]);
  shelf.add([{ ...tool("users"), description: "Other." }]);
  expect(shelf.list()).toEqual([
    { name: "sales", description: "A tool.", parameters, title: "Sales", annotations },
    { ...tool("users"), description: "Other." },
  ]);
  expect(changes()).toBe(2);
});

test.each<[string, Partial<ToolDefinition>]>([
  ["name-invalid", { name: "two words" }],
  ["name-invalid", { name: "" }],
  ["schema-invalid", { parameters: { type: "array" } }],
  ["schema-invalid", { parameters: null as unknown as object }],
  ["schema-too-large", { parameters: { type: "object", description: "x".repeat(70_000) } }],
])("%s: a tool in a wrong form is refused, and with it those beside it: %j", (code, wrong) => {
  const { shelf, names } = setup();
  expect(() => shelf.add([tool("one"), { ...tool("two"), ...wrong }])).toThrow(expect.objectContaining({ code }));
  expect(names()).toEqual([]);
});

test("tools beyond the limit of a page are refused", () => {
  const { shelf, names } = setup();
  shelf.add(Array.from({ length: 256 }, (_, index) => tool(`t${index}`)));
  shelf.add([tool("t0")]);
  expect(() => shelf.add([tool("more")])).toThrow(expect.objectContaining({ code: "offers-too-many" }));
  expect(names()).toHaveLength(256);
});

test("a toolbox's current tools are listed as well", async () => {
  const { toolbox, shelf, names, changes } = setup();
  const registration = toolbox.registerTool({
    name: "sales",
    title: "Sales",
    description: "What was sold.",
    inputSchema: { type: "object", properties: { days: { type: "number" } } },
    annotations: { readOnlyHint: true },
    execute: () => 1,
  });
  await Promise.resolve();
  expect(changes()).toBe(1);
  expect(shelf.list()).toEqual([
    {
      name: "sales",
      title: "Sales",
      description: "What was sold.",
      parameters: { type: "object", properties: { days: { type: "number" } } },
      annotations: { readOnlyHint: true },
    },
  ]);
  toolbox.registerTool({ name: "plain", execute: () => 1 });
  expect(shelf.list().at(-1)).toEqual({
    name: "plain",
    description: "",
    parameters: { type: "object", properties: {} },
  });
  toolbox.registerResource({ uri: "shop://one", name: "one", read: () => "" });
  registration.remove();
  await Promise.resolve();
  expect([names(), changes()]).toEqual([["plain"], 2]);
  shelf.close();
  toolbox.registerTool({ name: "later", execute: () => 1 });
  await Promise.resolve();
  expect(changes()).toBe(2);
});

test("the page's own tool wins over a toolbox's with the same name", () => {
  const { toolbox, shelf, names } = setup();
  toolbox.registerTool({ name: "sales", execute: () => 1 });
  expect(shelf.find("sales")?.kind).toBe("toolbox");
  shelf.add([tool("sales")]);
  expect([names(), shelf.find("sales")?.kind]).toEqual([["sales"], "own"]);
  shelf.remove("sales");
  expect([names(), shelf.find("sales")?.kind, shelf.find("other")]).toEqual([["sales"], "toolbox", undefined]);
});

test("the agent's window does not see a toolbox's tools for terminals only", () => {
  const { toolbox, shelf, names } = setup();
  toolbox.registerTool({ name: "fetch", _meta: terminalOnly, execute: () => 1 });
  toolbox.registerTool({ name: "sales", execute: () => 1 });
  expect([names(), shelf.find("fetch")]).toEqual([["sales"], undefined]);
});

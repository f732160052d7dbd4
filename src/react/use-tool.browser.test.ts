import { act, createElement, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { expect, test } from "vitest";
import type { ToolDefinition } from "../toolbox/index.ts";
import { below, callTool, createScreen, createTestPage, saying, toolNames, withTool } from "./react.test-helper.ts";
import { useTool } from "./use-tool.ts";

test("a tool is offered while its component is on the screen, with all that its definition says of it", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const described = {
    name: "work",
    title: "Work",
    description: "Works.",
    inputSchema: { type: "object", properties: { n: { type: "number" } } },
    outputSchema: { type: "object", properties: { done: { type: "boolean" } } },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    icons: [{ src: "https://shop.example/icon.svg" }],
    _meta: { "example/group": "basket" },
  } as const;
  await screen.show(below(page, withTool({ ...described, execute: () => ({ done: true }) })));
  expect(page.toolbox.offer().tools).toEqual([described]);
  await screen.clear();
  expect(page.toolbox.offer().tools).toEqual([]);
});

test("a definition may be frozen, or an instance of a class", async () => {
  class Counter implements ToolDefinition {
    readonly name = "count";
    #count = 0;
    execute() {
      return (this.#count += 1);
    }
  }
  const page = createTestPage();
  const counter = new Counter();
  const content = () => below(page, withTool(Object.freeze({ name: "ice", execute: () => "cold" })), withTool(counter));
  const screen = createScreen();
  await screen.show(content());
  await screen.show(content());
  expect([await callTool(page, "ice"), await callTool(page, "count"), await callTool(page, "count")]).toEqual([
    "cold",
    "1",
    "2",
  ]);
  expect(page.registrations).toBe(2);
});

test("a definition's getters may read what is private to its instance", async () => {
  class Basket implements ToolDefinition {
    readonly name = "pay";
    #total = 12;
    get description() {
      return `Pays ${this.#total}.`;
    }
    execute() {
      return (this.#total += 1);
    }
  }
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page, withTool(new Basket())));
  expect(page.toolbox.offer().tools).toMatchObject([{ name: "pay", description: "Pays 12." }]);
  expect(await callTool(page, "pay")).toBe("13");
});

test("a call runs the handler of the newest render, and nothing is registered again for it", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const inputSchema = () => ({ type: "object", properties: { n: { type: "number", enum: [1, 2] } } });
  for (const text of ["one", "two", "three"]) {
    const tool = { name: "work", description: "Works.", inputSchema: inputSchema(), execute: () => text };
    await screen.show(below(page, withTool(tool)));
    expect(await callTool(page, "work", { n: 1 })).toBe(text);
  }
  expect([page.registrations, page.changes.length]).toEqual([1, 1]);
});

test("a handler that changes the state of its component sees what came of it in the next call", async () => {
  const page = createTestPage();
  function Counter(): ReactNode {
    const [count, setCount] = useState(0);
    useTool({ name: "count", execute: () => (setCount(count + 1), count) });
    return count;
  }
  const screen = createScreen();
  await screen.show(below(page, createElement(Counter)));
  const counts: string[] = [];
  for (let call = 0; call < 3; call++) await act(async () => void counts.push(await callTool(page, "count")));
  expect(counts).toEqual(["0", "1", "2"]);
  expect(screen.container.textContent).toBe("3");
});

test("a handler may render first, and answer with what is on the screen then", async () => {
  const page = createTestPage();
  const screen = createScreen();
  function Counter(): ReactNode {
    const [count, setCount] = useState(0);
    useTool({
      name: "count",
      execute() {
        flushSync(() => setCount(count + 1));
        return screen.container.textContent;
      },
    });
    return count;
  }
  await screen.show(below(page, createElement(Counter)));
  let said = "";
  await act(async () => void (said = await callTool(page, "count")));
  expect(said).toBe("1");
});

test("a tool with a new name takes the place of the old one, in one change", async () => {
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page, saying("one", "before")));
  await screen.show(below(page, saying("two", "after")));
  expect(toolNames(page)).toEqual(["after"]);
  expect(await callTool(page, "after")).toBe("two");
  expect(page.changes).toHaveLength(2);
  expect(page.changes[1]).toMatchObject({ add: { tools: [{ name: "after" }] }, remove: { tools: ["before"] } });
});

test("two components that swap their names both stay", async () => {
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page, saying("one", "left"), saying("two", "right")));
  await screen.show(below(page, saying("one", "right"), saying("two", "left")));
  expect(toolNames(page).toSorted()).toEqual(["left", "right"]);
  expect([await callTool(page, "right"), await callTool(page, "left")]).toEqual(["one", "two"]);
});

const described: ToolDefinition = {
  name: "work",
  description: "Works.",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  annotations: { readOnlyHint: true },
  execute: () => "done",
};

test.each<[string, Partial<ToolDefinition>]>([
  ["description", { description: "Works hard." }],
  ["title", { title: "Hard work" }],
  ["input schema", { inputSchema: { type: "object", properties: { n: { type: "string" } } } }],
  ["output schema", { outputSchema: { type: "object" } }],
  ["annotations", { annotations: { readOnlyHint: false } }],
])("agents are told of another %s, once", async (_, change) => {
  const page = createTestPage();
  const screen = createScreen();
  await screen.show(below(page, withTool(described)));
  await screen.show(below(page, withTool({ ...described, ...change })));
  await screen.show(below(page, withTool({ ...described, ...change })));
  const { execute: _execute, ...seen } = { ...described, ...change };
  expect(page.toolbox.offer().tools).toEqual([seen]);
  expect(page.changes.slice(1)).toEqual([{ add: { tools: [seen] }, remove: {} }]);
});

test("input is checked by the schema of the newest render", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const upTo = (maximum: number) =>
    withTool({
      name: "take",
      inputSchema: { type: "object", properties: { n: { type: "number", maximum } } },
      execute: () => "taken",
    });
  await screen.show(below(page, upTo(1)));
  await expect(callTool(page, "take", { n: 2 })).rejects.toThrow(/\bn\b/);
  await screen.show(below(page, upTo(2)));
  expect(await callTool(page, "take", { n: 2 })).toBe("taken");
});

test("a tool is not offered while it is not enabled", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const seen = [];
  for (const enabled of [false, true, false, true]) {
    await screen.show(below(page, withTool({ ...described, enabled })));
    seen.push(toolNames(page).length);
  }
  expect(seen).toEqual([0, 1, 0, 1]);
});

test("with deps a tool is described anew only when one of them changes; its handler is the newest all the same", async () => {
  const page = createTestPage();
  const screen = createScreen();
  const descriptions = [];
  for (const [text, dep] of [
    ["one", 1],
    ["two", 1],
    ["three", 2],
  ] as const) {
    await screen.show(below(page, withTool({ name: "work", description: text, execute: () => text }, [dep])));
    descriptions.push(page.toolbox.offer().tools[0]?.description, await callTool(page, "work"));
  }
  expect(descriptions).toEqual(["one", "one", "one", "two", "three", "three"]);
});

test("with deps a tool still follows its page and whether it is enabled", async () => {
  const [one, other] = [createTestPage(), createTestPage()];
  const screen = createScreen();
  await screen.show(below(one, withTool({ ...described, enabled: true }, [])));
  await screen.show(below(other, withTool({ ...described, enabled: true }, [])));
  expect([toolNames(one), toolNames(other)]).toEqual([[], ["work"]]);
  await screen.show(below(other, withTool({ ...described, enabled: false }, [])));
  expect(toolNames(other)).toEqual([]);
});

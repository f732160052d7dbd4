import { act, createElement, Fragment, StrictMode, useLayoutEffect, useState } from "react";
import type { ReactNode } from "react";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { OnError } from "../wire/index.ts";
import {
  browserToolNames,
  browserTools,
  countChanges,
  createContextScreen,
  ensureModelContext,
  executeTool,
  hideModelContext,
  modelContext,
  settled,
  watchRegistrations,
} from "./model-context.test-helper.ts";
import { createScreen } from "./react.test-helper.ts";
import { useModelContextTool } from "./use-model-context-tool.ts";
import type { HookedModelContextTool, ModelContextToolOptions } from "./use-model-context-tool.ts";

type Definition = HookedModelContextTool<object>;

interface Props {
  readonly tool: Partial<Definition>;
  readonly options?: ModelContextToolOptions;
}

function Tool({ tool, options }: Props): ReactNode {
  const { isRegistered, error } = useModelContextTool({ ...work, ...tool }, options);
  return `${isRegistered ? "registered" : "not registered"} ${nameOf(error?.cause)};`;
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : "");

const work: Definition = { name: "work", description: "Works.", execute: () => "done" };
const withTool = (tool: Partial<Definition> = {}, options?: ModelContextToolOptions) =>
  createElement(Tool, options ? { tool, options } : { tool });

beforeAll(ensureModelContext);

test("a tool is in the browser while its component is on the screen, as its definition describes it", async () => {
  const screen = createContextScreen();
  const inputSchema = { type: "object", properties: { n: { type: "number" } } };
  await screen.show(withTool({ title: "Work", inputSchema, execute: (input) => input }));
  expect(screen.container.textContent).toBe("registered ;");
  expect(await browserTools()).toMatchObject([{ name: "work", title: "Work", description: "Works.", inputSchema }]);
  expect(JSON.parse((await executeTool("work", { n: 1 })) ?? "")).toEqual({ n: 1 });
  await screen.clear();
  expect(await browserToolNames()).toEqual([]);
});

test("a definition may be an instance of a class", async () => {
  class Counter {
    readonly name = "count";
    #count = 0;
    get description() {
      return `Counts from ${this.#count}.`;
    }
    execute() {
      return (this.#count += 1);
    }
  }
  const screen = createContextScreen();
  const counter = new Counter();
  function App(): ReactNode {
    useModelContextTool(counter);
    return null;
  }
  await screen.show(createElement(App));
  expect(await browserTools()).toMatchObject([{ description: "Counts from 0." }]);
  expect([await executeTool("count"), await executeTool("count")]).toEqual(["1", "2"]);
});

test("an instance that is another in each render is registered once, until it describes something else", async () => {
  class Greeter {
    readonly name = "greet";
    readonly #word: string;
    readonly description: string;
    constructor(word: string, description = "Greets.") {
      this.#word = word;
      this.description = description;
    }
    execute() {
      return this.#word;
    }
  }
  const screen = createContextScreen();
  function App(props: { readonly word: string; readonly description?: string }): ReactNode {
    useModelContextTool(new Greeter(props.word, props.description));
    return null;
  }
  const registerTool = watchRegistrations().mockClear();
  for (const word of ["Hi", "Ho"]) {
    await screen.show(createElement(App, { word }));
    expect(await executeTool("greet")).toBe(word);
  }
  expect(registerTool).toHaveBeenCalledTimes(1);
  await screen.show(createElement(App, { word: "Ho", description: "Greets loudly." }));
  expect(await browserTools()).toMatchObject([{ description: "Greets loudly." }]);
});

test("a call runs the handler of the newest render, and nothing is registered again for it", async () => {
  const screen = createContextScreen();
  const inputSchema = () => ({ type: "object", properties: { n: { type: "number" } } });
  await screen.show(withTool({ inputSchema: inputSchema(), execute: () => "one" }));
  const registerTool = watchRegistrations().mockClear();
  for (const text of ["two", "three"]) {
    await screen.show(withTool({ inputSchema: inputSchema(), execute: () => text }, {}));
    expect(await executeTool("work")).toBe(text);
  }
  expect(registerTool).not.toHaveBeenCalled();
});

test("a handler that changes the state of its component sees what came of it in the next call", async () => {
  const screen = createContextScreen();
  function Counter(): ReactNode {
    const [count, setCount] = useState(0);
    useModelContextTool({ ...work, execute: () => (setCount(count + 1), count) });
    return count;
  }
  await screen.show(createElement(Counter));
  expect([await executeTool("work"), await executeTool("work"), screen.container.textContent]).toEqual(["0", "1", "2"]);
});

test("another description, schema, name or origin is registered anew; tools may swap their names", async () => {
  const screen = createContextScreen();
  await screen.show(withTool());
  await screen.show(withTool({ description: "Works hard." }));
  expect(await browserTools()).toMatchObject([{ description: "Works hard." }]);
  const registerTool = watchRegistrations().mockClear();
  await screen.show(withTool({ description: "Works hard." }, { exposedTo: ["https://shop.example"] }));
  expect(registerTool).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ name: "work" }),
    expect.objectContaining({ exposedTo: ["https://shop.example"] }),
  );
  const pair = (one: string, two: string) => [
    createElement(Tool, { key: 1, tool: { name: one, execute: () => "one" } }),
    createElement(Tool, { key: 2, tool: { name: two, execute: () => "two" } }),
  ];
  await screen.show(pair("left", "right"));
  await screen.show(pair("right", "left"));
  expect([await browserToolNames(), await executeTool("right"), await executeTool("left")]).toEqual([
    ["left", "right"],
    "one",
    "two",
  ]);
});

test("a tool that is not enabled is not in the browser", async () => {
  const screen = createContextScreen();
  const seen = [];
  for (const enabled of [false, true, false]) {
    await screen.show(withTool({}, { enabled }));
    seen.push((await browserTools()).length, screen.container.textContent);
  }
  expect(seen).toEqual([0, "not registered ;", 1, "registered ;", 0, "not registered ;"]);
});

test("in StrictMode a tool is registered once, runs once, and goes with its component", async () => {
  const screen = createContextScreen();
  const registerTool = watchRegistrations().mockClear();
  let runs = 0;
  await screen.show(createElement(StrictMode, null, withTool({ execute: () => (runs += 1) })));
  expect([await executeTool("work"), runs, screen.container.textContent]).toEqual(["1", 1, "registered ;"]);
  await screen.clear();
  expect([registerTool.mock.calls.length, await browserToolNames()]).toEqual([1, []]);
});

test("a tool is gone as soon as it is not enabled, or its component off the screen", async () => {
  const screen = createContextScreen();
  const registerTool = watchRegistrations().mockClear();
  const gone: (boolean | undefined)[] = [];
  function Probe({ content }: { readonly content: ReactNode }): ReactNode {
    useLayoutEffect(() => void gone.push(registerTool.mock.lastCall?.[1]?.signal?.aborted));
    return content;
  }
  const shown = withTool();
  for (const content of [shown, withTool({}, { enabled: false }), shown, null]) {
    await screen.show(createElement(Probe, { content }));
  }
  expect(gone).toEqual([undefined, true, true, true]);
  expect(registerTool).toHaveBeenCalledTimes(2);
});

test("a refusal is returned and reported once; the app and its other tools stay", async () => {
  const rejections = vi.fn<(event: PromiseRejectionEvent) => void>();
  window.addEventListener("unhandledrejection", rejections);
  onTestFinished(() => window.removeEventListener("unhandledrejection", rejections));
  const screen = createContextScreen();
  const onError = vi.fn<OnError>();
  const app = (description: string) =>
    createElement(
      Fragment,
      null,
      withTool({ name: "not a name", description }, { onError }),
      withTool({ name: "other" }),
    );
  for (const description of ["One.", "One."]) await screen.show(app(description));
  const later = new AbortController();
  const changes = countChanges();
  await act(async () => modelContext().registerTool({ ...work, name: "later" }, { signal: later.signal }));
  expect(screen.container.textContent).toBe("not registered InvalidStateError;registered ;");
  expect(await browserToolNames()).toContain("other");
  later.abort();
  // The reason for the refusal is the same at each retry.
  await settled(() => changes() >= 2);
  expect(onError.mock.calls).toEqual([
    [
      expect.objectContaining({ message: expect.stringContaining("1 to 128") }),
      { stage: "useModelContextTool not a name" },
    ],
  ]);
  expect(rejections).not.toHaveBeenCalled();
});

test("a tool whose name is taken is registered when the name is free", async () => {
  const screen = createContextScreen();
  const onError = vi.fn<OnError>();
  const other = new AbortController();
  await modelContext().registerTool({ ...work, execute: () => "other" }, { signal: other.signal });
  await screen.show(withTool({}, { onError }));
  expect([screen.container.textContent, await executeTool("work")]).toEqual([
    "not registered InvalidStateError;",
    "other",
  ]);
  await settled(
    () => screen.container.textContent === "registered ;",
    () => other.abort(),
  );
  expect([await executeTool("work"), onError.mock.calls.length]).toEqual(["done", 1]);
});

test.each([
  ["what it throws", () => Promise.reject(new Error("The database is locked.")), /^The database is locked\.$/],
  ["a Symbol", () => Symbol("a"), /Symbol/],
  ["a BigInt", () => 10n, /BigInt/],
  ["a part of the page", () => document.body, /HTMLBodyElement/],
  ["what contains itself", () => Object.assign(window, { self: window }), /cannot be sent/],
])("an agent is told in words of %s", async (_, execute, words) => {
  const screen = createContextScreen();
  await screen.show(withTool({ execute }));
  const { content, isError } = JSON.parse((await executeTool("work")) ?? "");
  expect([content.length, isError]).toEqual([1, true]);
  expect(content[0].text).toMatch(words);
});

test("a handler hears that its call was cancelled, and may return nothing", async () => {
  const screen = createContextScreen();
  const agent = new AbortController();
  const signals: AbortSignal[] = [];
  await screen.show(withTool({ execute: (_input, { signal }) => (signals.push(signal), new Promise(() => {})) }));
  const call = executeTool("work", {}, agent.signal);
  await settled(() => signals.length === 1);
  agent.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  await settled(() => signals[0]?.aborted === true);
  await screen.show(withTool({ execute: () => undefined }));
  expect(await executeTool("work")).not.toBe("undefined");
});

test("where there is no model context nothing happens, until there is one", async () => {
  const appear = hideModelContext();
  const screen = createScreen();
  const onError = vi.fn<OnError>();
  await screen.show(withTool({}, { onError }));
  expect([screen.container.textContent, onError.mock.calls]).toEqual(["not registered ;", []]);
  await settled(() => screen.container.textContent === "registered ;", appear);
  expect(await executeTool("work")).toBe("done");
});

import { expect, inject, test } from "vitest";
import type { ModelContext } from "../model-context.ts";
import { contextOf, ending, frame, load, next } from "./polyfill.test-helper.ts";

const isNative = inject("native");
type Owner = Document & { modelContext?: unknown };

test("the document has one model context, which looks like the browser's", () => {
  const { ModelContext } = globalThis as unknown as { ModelContext: new () => EventTarget };
  const context = contextOf();
  expect(contextOf() === context).toBe(true);
  expect([
    Object.prototype.toString.call(context),
    context instanceof ModelContext,
    context instanceof EventTarget,
  ]).toEqual(["[object ModelContext]", true, true]);
  expect(() => new ModelContext()).toThrow(TypeError);
  expect([ModelContext.name, ModelContext.length]).toEqual(["ModelContext", 0]);
  expect([context.registerTool.length, context.getTools.length, context.executeTool.length]).toEqual([1, 0, 1]);
  expect(Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")).toMatchObject({
    configurable: true,
    enumerable: true,
    set: undefined,
  });
});

test("the events of calls have classes", () => {
  for (const name of ["ToolActivatedEvent", "ToolCancelEvent"]) {
    const Class = (globalThis as unknown as Record<string, new (type: string, init?: object) => Event>)[name];
    if (!Class) throw new Error(`There is no ${name}.`);
    const event = new Class("a", { toolName: "t", bubbles: true });
    expect([event instanceof Event, event.type, event.bubbles, event]).toMatchObject([
      true,
      "a",
      true,
      { toolName: "t" },
    ]);
    expect(new Class("a")).toMatchObject({ toolName: "" });
  }
});

test("handlers are attributes: one for each event, and null where there is none", async () => {
  const context = contextOf();
  const heard: string[] = [];
  expect(context.ontoolchange).toBe(null);
  context.ontoolchange = () => heard.push("first");
  context.ontoolchange = () => heard.push("second");
  context.dispatchEvent(new Event("toolchange"));
  context.ontoolchange = "text" as never;
  expect(context.ontoolchange).toBe(null);
  context.dispatchEvent(new Event("toolchange"));
  expect(heard).toEqual(["second"]);
});

test("a native model context is kept, and so is any other existing one", async () => {
  const there = contextOf();
  await load(document, "?second");
  expect(contextOf() === there).toBe(true);
  const { document: other } = await frame({ bare: true });
  const mine = { mine: true };
  Object.defineProperty(other, "modelContext", { value: mine, configurable: true });
  await load(other);
  expect((other as Owner).modelContext).toBe(mine);
});

test("a page may put another in its place", async () => {
  const { document: other } = await frame();
  Object.defineProperty(other, "modelContext", { value: "mine", configurable: true });
  expect((other as Owner).modelContext).toBe("mine");
});

test("it dispatches the event modelcontext once, and only if it installed one", async () => {
  const { document: other } = await frame({ bare: true });
  const had = (other as Owner).modelContext !== undefined;
  let said = 0;
  other.addEventListener("modelcontext", () => {
    said += 1;
    expect((other as Owner).modelContext !== undefined).toBe(true);
  });
  await load(other);
  await load(other, "?again");
  expect([had, said]).toEqual(isNative ? [true, 0] : [false, 1]);
});

/** Documents that no window shows. Chromium 156 can crash when a page uses the model context of one beside its own. */
const windowless: ReadonlyArray<readonly [string, () => Document | null | undefined]> = [
  ["new Document()", () => new Document()],
  ["createHTMLDocument()", () => document.implementation.createHTMLDocument()],
  ["createDocument()", () => document.implementation.createDocument(null, "a")],
  ["a parser", () => new DOMParser().parseFromString("<p>x", "text/html")],
  ["a template", () => document.createElement("template").content.ownerDocument],
  [
    "a request",
    () => {
      const request = new XMLHttpRequest();
      request.open("GET", "data:text/xml,<a/>", false);
      request.send();
      return request.responseXML;
    },
  ],
];

const uses = (context: ModelContext) => [
  context.getTools(),
  context.registerTool({ name: "a", description: "d", execute() {} }),
  context.executeTool({ name: "a", description: "d", window, origin }),
];

test.skipIf(isNative).each(windowless)(
  "a document of %s has a model context of its own that rejects",
  async (_, make) => {
    const other = make();
    if (!other) throw new Error("There is no document.");
    const context = contextOf(other);
    expect(contextOf(other) === context).toBe(true);
    expect(context === contextOf()).toBe(false);
    expect(Object.prototype.toString.call(context)).toBe("[object ModelContext]");
    for (const promise of uses(context)) expect(await ending(promise)).toEqual({ error: "InvalidStateError" });
    expect((await contextOf().getTools()).map(({ name }) => name)).not.toContain("a");
    const heard: unknown[] = [];
    context.ontoolchange = (event) => heard.push(event.type);
    expect(contextOf().ontoolchange).toBe(null);
    context.dispatchEvent(new Event("toolchange"));
    contextOf().dispatchEvent(new Event("toolchange"));
    expect(heard).toEqual(["toolchange"]);
  },
);

test("the model context of a frame that was removed rejects, read before or after", async () => {
  for (const isReadBefore of [true, false]) {
    const { element, document: removed } = await frame();
    if (isReadBefore) contextOf(removed);
    element.remove();
    expect(contextOf(removed) === contextOf(removed)).toBe(true);
    for (const promise of uses(contextOf(removed))) {
      expect(await ending(promise)).toEqual({ error: "InvalidStateError" });
    }
  }
});

test("a frame's document has its own model context, which works for its parent", async () => {
  const child = await frame();
  const context = contextOf(child.element.contentDocument ?? document);
  expect(context === contextOf(child.document) && context !== contextOf()).toBe(true);
  const { ModelContext: Class } = child.window as unknown as { ModelContext: new () => EventTarget };
  expect(context instanceof Class).toBe(true);
  await context.registerTool({ name: "of-a-frame", description: "d", execute: () => "here" });
  for (const asking of [contextOf(), context]) {
    const found = (await asking.getTools()).find(({ name }) => name === "of-a-frame");
    expect(found?.window === child.window).toBe(true);
  }
});

test("what is no document has no model context", () => {
  const get = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")?.get;
  const read = (owner: object): unknown => {
    try {
      return Reflect.apply(get ?? (() => "no getter"), owner, []);
    } catch {
      return undefined;
    }
  };
  for (const other of [Document.prototype, {}, document.createElement("p")]) expect(read(other)).toBe(undefined);
});

test("listeners are notified of tools from then on", async () => {
  const { document: other } = await frame();
  const changed = next("toolchange", contextOf(other));
  await contextOf(other).registerTool({ name: "a", description: "d", execute() {} });
  expect((await changed).type).toBe("toolchange");
});

import { expect, inject, test } from "vitest";
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

test("documents without a window have none that works", async () => {
  // Chromium 156 has one there, which makes it crash.
  const other: Owner | undefined = isNative ? undefined : document.implementation.createHTMLDocument();
  expect(other?.modelContext === undefined).toBe(true);
  const { element, document: removed } = await frame();
  const context = contextOf(removed);
  element.remove();
  for (const promise of [context.getTools(), context.registerTool({ name: "a", description: "d", execute() {} })]) {
    expect(await ending(promise)).toEqual({ error: "InvalidStateError" });
  }
});

test("listeners are notified of tools from then on", async () => {
  const { document: other } = await frame();
  const changed = next("toolchange", contextOf(other));
  await contextOf(other).registerTool({ name: "a", description: "d", execute() {} });
  expect((await changed).type).toBe("toolchange");
});

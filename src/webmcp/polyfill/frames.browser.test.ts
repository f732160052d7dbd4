import { expect, test } from "vitest";
import { contextOf, ending, frame, load, newName, next, put, register } from "./polyfill.test-helper.ts";

const mine = async (names: readonly string[], owner = document) =>
  (await contextOf(owner).getTools()).filter(({ name }) => names.includes(name));

test("every document of the origin lists the tools of all of them, frames in frames too, by name", async () => {
  const child = await frame();
  const grandchild = await frame({ inside: child.document.body });
  const names = [newName(), newName(), newName()];
  await register({ name: names[2] ?? "" }, grandchild.document);
  await register({ name: names[0] ?? "" }, child.document);
  await register({ name: names[1] ?? "" });
  await register({ name: names[1] ?? "" }, child.document);
  for (const owner of [document, child.document, grandchild.document]) {
    const listed = await mine(names, owner);
    const windows = [window, child.window, grandchild.window];
    expect(listed.map(({ name, window: at }) => [name, windows.indexOf(at as typeof window)])).toEqual([
      [names[0], 1],
      [names[1], 0],
      [names[1], 1],
      [names[2], 2],
    ]);
    expect(new Set(listed.map((tool) => tool.origin))).toEqual(new Set([origin]));
  }
});

test("what is listed is of the window that asked, and a sandboxed frame is left out", async () => {
  const child = await frame();
  const { tool } = await register({ inputSchema: { type: "object" }, annotations: {} }, child.document);
  for (const part of [tool, tool.inputSchema, tool.annotations]) {
    expect(Object.getPrototypeOf(part)).toBe(Object.prototype);
  }
  const holder = put('<iframe sandbox="allow-scripts" srcdoc="x"></iframe>');
  await next("load", holder.querySelector("iframe") ?? holder);
  expect(await mine([tool.name])).toHaveLength(1);
});

test("toolchange comes in every document, and events of a call where its tool is", async () => {
  const child = await frame();
  const events: string[] = [];
  contextOf().ontoolactivated = () => events.push("parent");
  contextOf(child.document).ontoolactivated = () => events.push("child");
  const changes = [next("toolchange"), next("toolchange", contextOf(child.document))];
  const { tool } = await register({ execute: () => "child's" }, child.document);
  await Promise.all(changes);
  expect(await contextOf().executeTool(tool)).toBe("child's");
  expect(events).toEqual(["child"]);
  contextOf().ontoolactivated = null;
  const { tool: parents } = await register({ execute: () => "parent's" });
  expect(await contextOf(child.document).executeTool(parents)).toBe("parent's");
});

test("aborts go there, and errors come back as this window's own", async () => {
  const child = await frame();
  const { tool } = await register({ execute: () => Promise.reject(new Error("kaboom")) }, child.document);
  const error: unknown = await contextOf()
    .executeTool(tool)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DOMException);
  expect(error).toMatchObject({ name: "UnknownError" });
  const { tool: slow } = await register({ execute: () => new Promise(() => {}) }, child.document);
  const caller = new AbortController();
  const ended = ending(contextOf().executeTool(slow, {}, { signal: caller.signal }));
  await next("toolactivated", contextOf(child.document));
  const cancelled = next("toolcancel", contextOf(child.document));
  caller.abort("enough");
  expect(await ended).toEqual({ rejected: "enough" });
  await cancelled;
});

test("a frame that is removed ends its calls, and is no place for new ones", async () => {
  const child = await frame();
  const { tool } = await register({ execute: () => new Promise(() => {}) }, child.document);
  const ended = ending(contextOf().executeTool(tool));
  await next("toolactivated", contextOf(child.document));
  child.element.remove();
  expect(await ended).toEqual({ error: "UnknownError" });
  expect(await mine([tool.name])).toEqual([]);
  expect(await ending(contextOf().executeTool(tool))).toEqual({ error: "InvalidStateError" });
});

test("so does one that goes to another page", async () => {
  const child = await frame();
  const { tool } = await register({ execute: () => new Promise(() => {}) }, child.document);
  const ended = ending(contextOf().executeTool(tool));
  await next("toolactivated", contextOf(child.document));
  child.element.srcdoc = "<p>another";
  await next("load", child.element);
  expect(await ended).toEqual({ error: "UnknownError" });
  expect(await ending(contextOf().executeTool(tool))).toEqual({ error: "UnknownError" });
});

test("a frame is asked that has the browser's own model context where this document has none", async () => {
  const child = await frame();
  const asking = await frame({ bare: true });
  // As if the frame had its own origin trial. Without a native context anywhere, the queried frame has the polyfill.
  Reflect.deleteProperty(asking.window.Document.prototype, "modelContext");
  await load(asking.document);
  const name = newName();
  await register({ name, execute: (input) => input }, child.document);
  const [found] = await mine([name], asking.document);
  if (!found) throw new Error("The frame was not asked.");
  expect([found.window === child.window, found.origin]).toEqual([true, origin]);
  const context = contextOf(asking.document);
  expect(await context.executeTool(found, { a: 1 })).toBe('{"a":1}');
  expect(await ending(context.executeTool({ ...found, name: "nowhere" }))).toEqual({ error: "UnknownError" });
  const changed = next("toolchange", context);
  await register({}, child.document);
  expect((await changed).type).toBe("toolchange");
});

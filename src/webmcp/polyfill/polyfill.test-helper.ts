// The same tests run with Chromium's own model context and, if it has none, with this polyfill.
import { inject, onTestFinished } from "vitest";
import type { ModelContext, ModelContextTool, RegisteredTool } from "../model-context.ts";

export interface TestContext extends ModelContext {
  ontoolchange: ((event: Event) => unknown) | null;
  ontoolactivated: ((event: Event) => unknown) | null;
  ontoolcancel: ((event: Event) => unknown) | null;
}

if (!inject("native")) await import("./index.ts");

export function contextOf(owner: Document = document): TestContext {
  const { modelContext } = owner as Document & { modelContext?: TestContext };
  if (!modelContext) throw new Error("There is no document.modelContext.");
  return modelContext;
}

let names = 0;

/** A name that no other test uses. */
export function newName(): string {
  names += 1;
  return `tool-${names}`;
}

/** Registers a tool until the test ends; returns it as `getTools` does, with a function that unregisters it earlier. */
export async function register(
  tool: Partial<ModelContextTool> = {},
  owner: Document = document,
): Promise<{ readonly tool: RegisteredTool; remove(): void }> {
  const controller = new AbortController();
  // Chromium 156 crashes if the document is gone.
  const remove = () => void (owner.defaultView && controller.abort());
  onTestFinished(remove);
  const whole = { name: newName(), description: "d", execute: () => "done", ...tool };
  await contextOf(owner).registerTool(whole, { signal: controller.signal });
  return { tool: await toolNamed(whole.name), remove };
}

export async function toolNamed(name: string): Promise<RegisteredTool> {
  const tool = (await contextOf().getTools()).find((known) => known.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** A form's tool, as soon as it exists. */
export async function formTool(name: string): Promise<RegisteredTool> {
  const context = contextOf();
  for (;;) {
    const changed = new Promise((resolve) => context.addEventListener("toolchange", resolve, { once: true }));
    const tool = (await context.getTools()).find((known) => known.name === name);
    if (tool) return tool;
    await changed;
  }
}

/** Adds HTML to the document until the test ends. */
export function put(html: string): HTMLElement {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  document.body.append(holder);
  onTestFinished(() => holder.remove());
  return holder;
}

/** A frame of this origin until the test ends, with the polyfill if its browser has no model context. */
export async function frame({ bare = false, inside = document.body }: { bare?: boolean; inside?: HTMLElement } = {}) {
  const element = inside.ownerDocument.createElement("iframe");
  inside.append(element);
  onTestFinished(() => element.remove());
  const { contentWindow, contentDocument } = element;
  if (!contentWindow || !contentDocument) throw new Error("The frame has no document.");
  if (!inject("native") && !bare) await load(contentDocument);
  return { element, window: contentWindow as Window & typeof globalThis, document: contentDocument };
}

/** Loads the polyfill in another document. */
export async function load(owner: Document, query = ""): Promise<void> {
  // Vitest's own hook, which all import() calls go through.
  Reflect.set(owner.defaultView ?? {}, "__vitest_browser_runner__", Reflect.get(window, "__vitest_browser_runner__"));
  const script = owner.createElement("script");
  script.type = "module";
  script.src = `${new URL("./index.ts", import.meta.url).href}${query}`;
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
  });
  owner.head.append(script);
  await loaded;
}

/** How a promise settled: its value, the name of its error, or its other rejection reason. */
export async function ending(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    const { name } = Object(error) as { readonly name?: string };
    return name === undefined ? { rejected: error } : { error: name };
  }
}

export function next<Kind extends Event = Event>(type: string, target: EventTarget = contextOf()): Promise<Kind> {
  return new Promise((resolve) => target.addEventListener(type, (event) => resolve(event as Kind), { once: true }));
}

/** Resolves after a frame was rendered and its tasks have run: a browser registers forms when it renders. */
export function drawn(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
  });
}

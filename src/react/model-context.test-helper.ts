// The browser's model context, or the polyfill's where it has none: the same tests run with both.
import { act } from "react";
import { inject, onTestFinished, vi } from "vitest";
import { createScreen } from "./react.test-helper.ts";
import type { Screen } from "./react.test-helper.ts";

export interface RegisteredTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: object;
}

export interface TestContext extends EventTarget {
  registerTool(tool: object, options?: { readonly signal?: AbortSignal }): Promise<void>;
  getTools(): Promise<readonly RegisteredTool[]>;
  executeTool(
    tool: RegisteredTool,
    input?: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<string | null>;
}

const page = document as Document & { modelContext?: TestContext };

export function modelContext(): TestContext {
  if (page.modelContext) return page.modelContext;
  throw new Error("There is no document.modelContext.");
}

/** Ensures that the document has a model context in every browser. */
export async function ensureModelContext(): Promise<void> {
  if (!inject("native")) await import("../webmcp/polyfill/index.ts");
}

/** A screen that renders after the browser has answered for every tool. */
export function createContextScreen(): Screen {
  const screen = createScreen();
  return {
    ...screen,
    async show(content) {
      const registerTool = watchRegistrations();
      await screen.show(content);
      const answered = registerTool.mock.results.map(({ value }) => value as Promise<void>);
      await act(async () => void (await Promise.allSettled(answered)));
    },
  };
}

/** Hides the model context until the test ends, or until the returned function makes it appear. */
export function hideModelContext(): () => void {
  Object.defineProperty(document, "modelContext", { value: undefined, configurable: true });
  const show = () => Reflect.deleteProperty(document, "modelContext");
  onTestFinished(() => void show());
  return () => {
    show();
    document.dispatchEvent(new Event("modelcontext"));
  };
}

export async function browserTools(): Promise<readonly RegisteredTool[]> {
  return modelContext().getTools();
}

export async function browserToolNames(): Promise<readonly string[]> {
  return (await browserTools()).map(({ name }) => name).toSorted();
}

/** Calls a tool as an agent of the browser does. */
export async function executeTool(name: string, input: object = {}, signal?: AbortSignal): Promise<string | null> {
  const tool = (await browserTools()).find((known) => known.name === name);
  if (!tool) throw new Error(`The browser has no tool ${name}.`);
  let answered: Promise<string | null> = Promise.resolve(null);
  await act(async () => {
    answered = modelContext().executeTool(tool, input, signal ? { signal } : {});
    await answered.catch(() => {});
  });
  return answered;
}

/** Does something, then waits until a condition holds. React renders the browser's events in between by itself. */
export async function settled(isSo: () => boolean | Promise<boolean>, doFirst: () => void = () => {}): Promise<void> {
  const isActing = (is: boolean) => Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: is });
  isActing(false);
  doFirst();
  await vi.waitUntil(isSo, { interval: 5 }).finally(() => isActing(true));
}

/** Counts the browser's `toolchange` events from now on. */
export function countChanges(): () => number {
  let changes = 0;
  const listener = () => void (changes += 1);
  const context = modelContext();
  context.addEventListener("toolchange", listener);
  onTestFinished(() => context.removeEventListener("toolchange", listener));
  return () => changes;
}

/** Records registrations from now on. */
export function watchRegistrations() {
  const registerTool = vi.spyOn(modelContext(), "registerTool");
  onTestFinished(() => registerTool.mockRestore());
  return registerTool;
}

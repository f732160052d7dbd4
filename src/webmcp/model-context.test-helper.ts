// The browser's own model context, or else one at the same place that behaves like Chromium's.
import { inject, onTestFinished } from "vitest";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import type { ModelContext, RegisteredTool } from "./model-context.ts";

const place = document as unknown as { modelContext: ModelContext };

/** This document's model context until the test ends. */
export function useModelContext(): ModelContext {
  if (inject("native")) return place.modelContext;
  Object.defineProperty(document, "modelContext", { value: createModelContext(), configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(document, "modelContext"));
  return place.modelContext;
}

/** Calls a tool as the browser's agent does; parses the result as JSON. */
export async function executeTool(
  context: ModelContext,
  name: string,
  { input = {}, signal }: { readonly input?: object; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const tool = (await context.getTools()).find((one) => one.name === name);
  if (!tool) throw new Error(`The browser has no tool ${name}.`);
  return JSON.parse((await context.executeTool(tool, input, signal && { signal })) ?? "null");
}

export async function toolNames(context: ModelContext): Promise<readonly string[]> {
  return (await context.getTools()).map(({ name }) => name).toSorted();
}

function createModelContext(): ModelContext {
  const { browser, register } = createFakeBrowser();
  const context = new EventTarget();
  const changed = () => setTimeout(() => context.dispatchEvent(new Event("toolchange")));
  return Object.assign(context, {
    async registerTool(...[tool, options = {}]: Parameters<ModelContext["registerTool"]>) {
      if (JSON.stringify(tool.inputSchema)?.[0] !== "{") throw new TypeError("The schema is not an object.");
      register(tool, options);
      changed();
      options.signal?.addEventListener("abort", changed);
    },
    async getTools(): Promise<readonly RegisteredTool[]> {
      return [...browser.tools.values()].map(({ execute: _execute, outputSchema: _schema, ...rest }) => ({
        ...(structuredClone(rest) as RegisteredTool),
        window,
        origin: location.origin,
      }));
    },
    async executeTool(
      { name }: RegisteredTool,
      input: object = {},
      { signal }: { readonly signal?: AbortSignal } = {},
    ) {
      const tool = browser.tools.get(name);
      if (!tool) throw new DOMException("The operation failed for an unknown transient reason.", "UnknownError");
      const inner = new AbortController();
      return new Promise<string>((resolve, reject) => {
        signal?.addEventListener("abort", () => {
          inner.abort();
          reject(signal.reason as Error);
        });
        const failed = () => reject(new DOMException("Tool was executed but the invocation failed.", "UnknownError"));
        (tool.execute(input, { signal: inner.signal }) as Promise<unknown>).then(
          (answer) => resolve(typeof answer === "string" ? answer || "Operation succeeded" : JSON.stringify(answer)),
          failed,
        );
      });
    },
  });
}

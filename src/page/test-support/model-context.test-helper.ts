// A model context as Chromium has one, for browsers and for Node, which have none.
import { onTestFinished, vi } from "vitest";
import type { ModelContext, ModelContextTool, RegisteredTool } from "../../webmcp/index.ts";

type Options = Parameters<ModelContext["registerTool"]>[1];

export interface FakeContext extends EventTarget, Pick<ModelContext, "registerTool" | "getTools" | "executeTool"> {
  readonly tools: ReadonlyMap<string, ModelContextTool>;
  /** The options that each tool was registered with, in their order. */
  readonly options: readonly Options[];
}

/** Makes one that is nowhere yet. */
export function createFakeContext(): FakeContext {
  const tools = new Map<string, ModelContextTool>();
  const given: Options[] = [];
  const context = new EventTarget();
  const changed = () => setTimeout(() => context.dispatchEvent(new Event("toolchange")));
  return Object.assign(context, {
    tools,
    options: given,
    async registerTool(tool: ModelContextTool, options?: Options) {
      if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
      tools.set(tool.name, tool);
      given.push(options);
      changed();
      options?.signal?.addEventListener("abort", () => {
        tools.delete(tool.name);
        changed();
      });
    },
    getTools: async () =>
      [...tools.values()].map(({ execute: _execute, ...rest }): RegisteredTool => {
        const { window, location } = globalThis;
        return { ...(rest as Omit<RegisteredTool, "window" | "origin">), window, origin: location.origin };
      }),
    async executeTool({ name }: RegisteredTool, input: object = {}, { signal }: { signal?: AbortSignal } = {}) {
      const answer = await tools.get(name)?.execute(input, signal && { signal });
      return typeof answer === "string" ? answer : JSON.stringify(answer);
    },
  });
}

/** Puts one where Node's browser would have it, until the test is over. */
export function stubContext(): FakeContext {
  const modelContext = createFakeContext();
  vi.stubGlobal("document", { modelContext });
  onTestFinished(() => void vi.unstubAllGlobals());
  return modelContext;
}

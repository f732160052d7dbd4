// An agent of this browser, from its point of view: with the browser's own model context, or with the API that earlier
// browsers had at navigator, which is installed for the test.
import { afterEach, inject, vi } from "vitest";
import { createFakeBrowser } from "./fake-browser.test-helper.ts";
import type { ModelContext } from "./model-context.ts";

/** A call's outcome: its text, and whether it is an error. */
export interface Said {
  readonly text: string;
  readonly isError: boolean;
}

export interface BrowserAgent {
  names(): Promise<readonly string[]>;
  call(name: string, input?: object, signal?: AbortSignal): Promise<Said>;
  /** How many tools were registered with the browser, and how many unregistered, so far. */
  changes(): number;
}

afterEach(() => {
  Reflect.deleteProperty(navigator, "modelContext");
  vi.restoreAllMocks();
});

export function createBrowserAgent(): BrowserAgent {
  return inject("native") ? nativeAgent() : earlierAgent();
}

function nativeAgent(): BrowserAgent {
  const { modelContext } = document as unknown as { readonly modelContext: ModelContext };
  let changes = 0;
  // The browser's own event may arrive when the next test has started.
  const registerTool = modelContext.registerTool.bind(modelContext);
  vi.spyOn(modelContext, "registerTool").mockImplementation((tool, options) => {
    changes++;
    options?.signal?.addEventListener("abort", () => changes++);
    return registerTool(tool, options);
  });
  return {
    names: async () => (await modelContext.getTools()).map(({ name }) => name),
    async call(name, input = {}, signal) {
      const tool = (await modelContext.getTools()).find((one) => one.name === name);
      if (!tool) throw new Error(`The browser has no tool ${name}.`);
      const answer = (await modelContext.executeTool(tool, input, signal ? { signal } : {})) ?? "{}";
      const { content, isError = false } = JSON.parse(answer) as {
        readonly content: readonly { readonly text: string }[];
        readonly isError?: boolean;
      };
      return { text: content.map(({ text }) => text).join("\n"), isError };
    },
    changes: () => changes,
  };
}

function earlierAgent(): BrowserAgent {
  const { browser, register } = createFakeBrowser();
  Object.defineProperty(navigator, "modelContext", { configurable: true, value: { registerTool: register } });
  return {
    names: async () => [...browser.tools.keys()].toSorted(),
    async call(...given) {
      try {
        return { text: (await browser.call(...given)) as string, isError: false };
      } catch (error) {
        if (given[2]?.aborted) throw error;
        return { text: (error as Error).message, isError: true };
      }
    },
    changes: () => browser.changes.length,
  };
}

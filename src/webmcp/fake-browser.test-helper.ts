// A fake model context for Node, of either kind, with the naming rules of browsers.
import { afterEach, vi } from "vitest";
import type { ModelContextTool } from "./model-context.ts";

export interface FakeBrowser {
  readonly tools: ReadonlyMap<string, ModelContextTool>;
  /** The log of changes: "+name", "-name". */
  readonly changes: readonly string[];
  /** Calls a tool as a browser's agent does. */
  call(name: string, input?: object, signal?: AbortSignal): Promise<unknown>;
}

type Register = (tool: ModelContextTool, options?: { readonly signal?: AbortSignal }) => void;

export interface FakeBrowserSetting {
  readonly at?: "document" | "navigator";
  /** Names that the page's other scripts use. */
  readonly taken?: readonly string[];
}

afterEach(() => void vi.unstubAllGlobals());

/** Installs one until the test ends. */
export function fakeBrowser({ at = "document", taken = [] }: FakeBrowserSetting = {}): FakeBrowser {
  const { browser, register } = createFakeBrowser(taken);
  const registerTool = at === "navigator" ? register : async (...given: Parameters<Register>) => register(...given);
  vi.stubGlobal("document", undefined);
  vi.stubGlobal("navigator", undefined);
  vi.stubGlobal(at, { modelContext: { registerTool } });
  return browser;
}

/** A fake that is not installed yet. */
export function createFakeBrowser(taken: readonly string[] = []): { browser: FakeBrowser; register: Register } {
  const tools = new Map<string, ModelContextTool>();
  const changes: string[] = [];
  const browser: FakeBrowser = {
    tools,
    changes,
    async call(name, input = {}, signal = new AbortController().signal) {
      const tool = tools.get(name);
      if (!tool) throw new Error(`The browser has no tool ${name}.`);
      return tool.execute(input, { signal });
    },
  };
  function register(tool: ModelContextTool, options: { readonly signal?: AbortSignal } = {}): void {
    const { name } = tool;
    if (!/^[\w.-]{1,128}$/.test(name)) throw new DOMException("Invalid tool name", "InvalidStateError");
    if (tools.has(name) || taken.includes(name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    tools.set(name, tool);
    changes.push(`+${name}`);
    options.signal?.addEventListener("abort", () => {
      tools.delete(name);
      changes.push(`-${name}`);
    });
  }
  return { browser, register };
}

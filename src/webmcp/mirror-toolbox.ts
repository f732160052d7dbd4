// Mirrors a toolbox in the browser: registers its current and future tools with the browser's agent.
import type { CallOutcome, Toolbox } from "../toolbox/index.ts";
import { isForTerminals, isFromBrowser } from "../wire/index.ts";
import type { Tool } from "../wire/index.ts";
import { browserAnswer, failedResult } from "./browser-result.ts";
import { createMirror } from "./mirror.ts";
import type { MirroredTool, MirrorOptions } from "./mirror.ts";

export interface MirrorToolboxOptions extends Pick<MirrorOptions, "found" | "exposedTo"> {
  /** Runs a call of the browser's agent in the toolbox. */
  callTool(name: string, input: object, signal: AbortSignal): Promise<CallOutcome>;
  /** Receives each tool that the browser refused, and why: once per reason. */
  onRefused(names: readonly string[], message: string): void;
}

export interface MirroredToolbox {
  /** The mirrored tools that are currently registered. */
  names(): readonly string[];
  /** Whether the browser refused a tool of this name. */
  isRefused(name: string): boolean;
  /** Removes everything at once. Can be called twice. */
  close(): void;
}

/**
 * Registers a toolbox's tools with the browser, except those for terminals only and those that came from the browser.
 * Calls return unchanged MCP results, so that error messages get through.
 */
export function mirrorToolbox(
  toolbox: Pick<Toolbox, "offer" | "subscribe">,
  { found, exposedTo, callTool, onRefused }: MirrorToolboxOptions,
): MirroredToolbox {
  const closing = new AbortController();
  /** Names under registration, by the browser's reply. */
  const refused = new Map<string, string[]>();
  const mirror = createMirror({
    found,
    exposedTo,
    onRefused: ({ name, message }) => refused.set(message, [...(refused.get(message) ?? []), name]),
  });
  let isDue = false;
  let isRunning = false;

  const offered = () => toolbox.offer().tools.filter((tool) => !isForTerminals(tool) && !isFromBrowser(tool));

  const mirrored = (tool: Tool): MirroredTool => ({
    tool,
    async run(input, signal) {
      // The name may belong to another tool by now, which is not the browser's.
      const isThere = offered().some(({ name }) => name === tool.name);
      if (!isThere) return failedResult(`There is no tool "${tool.name}" here any more.`, "tool-not-found");
      return browserAnswer(await callTool(tool.name, input, signal), "mcp");
    },
  });

  async function sync(): Promise<void> {
    isDue = true;
    if (isRunning) return;
    isRunning = true;
    while (isDue && !closing.signal.aborted) {
      isDue = false;
      await mirror.sync(offered().map(mirrored));
      for (const [message, names] of refused) report(names, message);
      refused.clear();
    }
    isRunning = false;
  }

  /** A listener that throws must not stop later updates. */
  function report(names: readonly string[], message: string): void {
    try {
      onRefused(names, message);
    } catch (error) {
      console.error(error);
    }
  }

  const stop = toolbox.subscribe(({ add, remove }) => {
    if (add.tools || remove.tools) void sync();
  });
  // A taken name may be free by now.
  const retry = () => mirror.refused().length > 0 && void sync();
  (found.context as Partial<EventTarget>).addEventListener?.("toolchange", retry, { signal: closing.signal });
  void sync();
  return {
    names: mirror.names,
    isRefused: (name) => mirror.refused().some((refused) => refused.name === name),
    close() {
      closing.abort();
      stop();
      mirror.close();
    },
  };
}

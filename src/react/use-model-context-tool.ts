import { useEffect, useInsertionEffect, useRef, useState } from "react";
import { deepestPart, toJson } from "../toolbox/index.ts";
import type { InputOf, NoInput } from "../toolbox/index.ts";
import { whyRefused } from "../webmcp/index.ts";
import type { ModelContextTool } from "../webmcp/index.ts";
import { messageOf, pageLimits } from "../wire/index.ts";
import type { OnError } from "../wire/index.ts";
import { withHandlers } from "./use-offered.ts";
import { useDocumentContext } from "./use-model-context.ts";
import type { DocumentContext } from "./use-model-context.ts";
import { useNewest, useReport } from "./use-newest.ts";
import type { Enabled } from "./use-offered.ts";
import { useSame } from "./describes-same.ts";

/** A tool in the form of `document.modelContext.registerTool`; its handler may close over props and state. */
export interface HookedModelContextTool<Input extends object> extends Omit<
  ModelContextTool,
  "inputSchema" | "execute"
> {
  readonly inputSchema?: Input;
  /** Returns text or JSON. The agent receives its errors. */
  execute(input: InputOf<Input>, options: { readonly signal: AbortSignal }): unknown;
}

export interface ModelContextToolOptions extends Enabled {
  /** Origins whose documents may see the tool, besides this one's. */
  readonly exposedTo?: readonly string[];
  /** Receives refusals, too; the console does by default. */
  readonly onError?: OnError;
}

const none: RegistrationStanding = { isRegistered: false, error: undefined };

/**
 * Registers a tool with the browser itself while the component is on the screen. A call runs the handler of the newest
 * render. Where there is no `document.modelContext` nothing happens, until there is one.
 */
export function useModelContextTool<const Input extends object = NoInput>(
  definition: HookedModelContextTool<Input>,
  options: ModelContextToolOptions = {},
): RegistrationStanding {
  const context = useDocumentContext();
  const given = definition as ModelContextTool;
  const newest = useNewest(given);
  const onError = useReport(useNewest(options));
  const described = useSame(describe(given));
  const exposedTo = useSame(options.exposedTo);
  const isEnabled = options.enabled ?? true;
  const [standing, setStanding] = useState(none);
  const remove = useRef<() => void>(undefined);

  useEffect(() => {
    if (!context || !isEnabled) return undefined;
    const tool = withHandlers(newest.current, {
      execute: (input, call) => answer(newest.current, input, call?.signal ?? never),
    });
    const end = (remove.current = holdRegistration({
      context,
      tool,
      exposedTo,
      onStanding(now) {
        setStanding(now);
        if (now.error) onError(now.error, { stage: `useModelContextTool ${described.name}` });
      },
    }));
    return () => {
      end();
      setStanding(none);
    };
  }, [context, described, exposedTo, isEnabled, newest, onError]);

  // Other effects end shortly after a component unmounts. No call may arrive in between.
  useInsertionEffect(() => () => remove.current?.(), [isEnabled]);

  return standing;
}

/** The definition for the browser. A class instance may be a new one in each render, and its getters still work. */
function describe(tool: ModelContextTool) {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return { name, title, description, inputSchema, outputSchema, annotations };
}

const never = new AbortController().signal;
const sending = { what: "The answer", code: "result-unsendable", deepest: deepestPart(pageLimits) } as const;

/**
 * The result for the browser: text, which every browser accepts. The message of a thrown error would not reach the
 * agent, so it is sent as an MCP result.
 */
async function answer(tool: ModelContextTool, input: object, signal: AbortSignal): Promise<string> {
  try {
    const value = await tool.execute(input, { signal });
    return typeof value === "string" ? value : value === undefined ? "" : toJson(value, sending);
  } catch (error) {
    if (signal.aborted) throw error;
    return JSON.stringify({ content: [{ type: "text", text: messageOf(error) }], isError: true });
  }
}

/** The state of a tool's registration with the browser. */
interface RegistrationStanding {
  readonly isRegistered: boolean;
  /** Why the browser refused it, and how to fix that; the browser's own error is the `cause`. */
  readonly error: Error | undefined;
}

interface HoldRegistrationOptions {
  readonly context: DocumentContext;
  readonly tool: ModelContextTool;
  readonly exposedTo: readonly string[] | undefined;
  /** Receives updates until the tool is removed. */
  onStanding(standing: RegistrationStanding): void;
}

/**
 * Registers a tool in the document's model context. If the browser refuses it, that is retried whenever the browser's
 * tools change: the name may be free then. The returned function removes the tool at once.
 */
function holdRegistration({ context, tool, exposedTo, onStanding }: HoldRegistrationOptions): () => void {
  const life = new AbortController();
  const { signal } = life;
  let reported: string | undefined;
  let isRefused = false;
  let hasChanged = false;

  async function ask(): Promise<void> {
    if (signal.aborted) return;
    isRefused = false;
    hasChanged = false;
    try {
      await context.registerTool(tool, exposedTo ? { signal, exposedTo } : { signal });
      if (!signal.aborted) onStanding({ isRegistered: true, error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      isRefused = true;
      const message = whyRefused(error);
      if (message !== reported) onStanding({ isRegistered: false, error: new Error(message, { cause: error }) });
      reported = message;
      if (hasChanged) await ask();
    }
  }

  function onChange(): void {
    hasChanged = true;
    if (isRefused) void ask();
  }

  // Some polyfills have no events.
  const { addEventListener } = context as Partial<EventTarget>;
  addEventListener?.call(context, "toolchange", onChange, { signal });
  // The first effect of StrictMode is over by then, and nothing was registered for it.
  queueMicrotask(() => void ask());
  return () => life.abort();
}

// One tool in the document's model context, for one component. If the browser refuses a tool, it is retried whenever
// the browser's tools change: the name may be free then.
import { whyRefused } from "../webmcp/index.ts";
import type { ModelContextTool } from "../webmcp/index.ts";
import type { DocumentContext } from "./use-model-context.ts";

/** The state of a tool's registration with the browser. */
export interface RegistrationStanding {
  readonly isRegistered: boolean;
  /** Why the browser refused it, and how to fix that; the browser's own error is the `cause`. */
  readonly error: Error | undefined;
}

export interface HoldRegistrationOptions {
  readonly context: DocumentContext;
  readonly tool: ModelContextTool;
  readonly exposedTo: readonly string[] | undefined;
  /** Receives updates until the tool is removed. */
  onStanding(standing: RegistrationStanding): void;
}

/** The returned function removes the tool at once. */
export function holdRegistration({ context, tool, exposedTo, onStanding }: HoldRegistrationOptions): () => void {
  const life = new AbortController();
  const { signal } = life;
  let told: string | undefined;
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
      if (message !== told) onStanding({ isRegistered: false, error: new Error(message, { cause: error }) });
      told = message;
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

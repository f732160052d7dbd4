// The browser's side of WebMCP, by its current interface definition: `document.modelContext`. Earlier browsers, and
// some scripts that replace it, have a smaller API at `navigator.modelContext`.
import type { JsonObject } from "../wire/index.ts";

/** A tool as a page registers it. */
export interface ModelContextTool {
  /** 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: object;
  /** Not in the standard yet: browsers ignore it. */
  readonly outputSchema?: object;
  readonly annotations?: ModelContextAnnotations;
  execute(input: object, options?: { readonly signal?: AbortSignal }): unknown;
}

export interface ModelContextAnnotations {
  readonly readOnlyHint?: boolean;
  readonly untrustedContentHint?: boolean;
  readonly consequentialHint?: boolean;
  readonly debugging?: boolean;
}

export interface ModelContextRegisterToolOptions {
  /** Unregisters the tool when it aborts. */
  readonly signal?: AbortSignal;
  /** Origins whose documents may see the tool, in addition to this one's. */
  readonly exposedTo?: readonly string[];
}

/** A tool as returned by `getTools`. */
export interface RegisteredTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: JsonObject;
  readonly annotations?: ModelContextAnnotations;
  readonly window: Window;
  readonly origin: string;
}

/** `document.modelContext`. */
export interface ModelContext extends EventTarget {
  registerTool(tool: ModelContextTool, options?: ModelContextRegisterToolOptions): Promise<void>;
  getTools(options?: { readonly fromOrigins?: readonly string[] }): Promise<readonly RegisteredTool[]>;
  /** The tool's result as text; null if it navigated. */
  executeTool(
    tool: RegisteredTool,
    input?: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<string | null>;
}

/** The model context to register tools with, and its location. */
export type FoundContext =
  | { readonly at: "document"; readonly context: Pick<ModelContext, "registerTool"> }
  | { readonly at: "navigator"; readonly context: NavigatorContext };

/** The API of earlier browsers: registering may return nothing, and a signal may be ignored. */
export interface NavigatorContext {
  registerTool(tool: ModelContextTool, options?: ModelContextRegisterToolOptions): unknown;
  unregisterTool?(name: string): unknown;
}

/** Finds the browser's current model context; undefined if there is none, as on a server. */
export function findModelContext(): FoundContext | undefined {
  const { document, navigator } = globalThis as Partial<
    Record<"document" | "navigator", { readonly modelContext?: unknown }>
  >;
  if (canRegister(document?.modelContext)) return { at: "document", context: document.modelContext };
  if (canRegister(navigator?.modelContext)) return { at: "navigator", context: navigator.modelContext };
  return undefined;
}

function canRegister(context: unknown): context is Pick<ModelContext, "registerTool"> {
  return typeof (context as Partial<ModelContext> | null | undefined)?.registerTool === "function";
}

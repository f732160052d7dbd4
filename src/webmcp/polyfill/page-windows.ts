// The documents whose tools are listed together: all same-origin frames of the page. Each may have its own copy of the
// polyfill, which registers itself under a symbol of its window for the others to find.
import { mayAsk, watchLeaving } from "../may-ask.ts";
import type { ModelContext, ModelContextAnnotations, RegisteredTool } from "../model-context.ts";

const key = Symbol.for("pagewire.model-context");

/** A window's tool, as other windows see it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON text of its input schema. */
  readonly schema: string | undefined;
  readonly annotations: ModelContextAnnotations | undefined;
}

/** The polyfill's interface for other windows. */
export interface Neighbour {
  list(): readonly ListedTool[];
  /** Runs a tool with an input as JSON text. The signal is the caller's. */
  run(name: string, input: string, signal: AbortSignal): Promise<string | null>;
  /** Called when the tools of some window have changed. */
  changed(): void;
}

/** Makes this document's tools visible to the other windows of its origin. */
export function showToNeighbours(own: Neighbour): void {
  Object.defineProperty(window, key, { value: own });
  watchLeaving();
}

/** All windows of this origin in the page, from the top down. */
export function pageWindows(at: Window = window.top ?? window): Window[] {
  const frames = Array.from({ length: at.length }, (_, index) => at[index]).filter((frame) => frame !== undefined);
  return [...(isOurs(at) ? [at] : []), ...frames.flatMap((frame) => pageWindows(frame))];
}

/** Being accessible is not enough: `document.domain` gives access to other origins. */
function isOurs(other: Window): boolean {
  try {
    return (other as Window & typeof globalThis).origin === origin;
  } catch {
    return false;
  }
}

/** Dispatches `toolchange` in every window of the page. */
export function tellNeighbours(): void {
  for (const each of pageWindows()) neighbourAt(each)?.changed();
}

/** The polyfill of another window, if it has one. */
export function neighbourAt(window: Window): Neighbour | undefined {
  return (window as { [key]?: Neighbour })[key];
}

/**
 * A window's native model context: a frame may have one through its own origin trial, even if this document has none.
 */
export function nativeAt(window: Window): ModelContext | undefined {
  const { Document, document } = window as Window & typeof globalThis;
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")?.get;
  // Another script's replacement would query us in turn.
  const isNative = getter && /\[native code\]/.test(Function.prototype.toString.call(getter));
  return isNative ? (document as { readonly modelContext?: ModelContext }).modelContext : undefined;
}

const followed = new WeakSet<ModelContext>();

/** The browser's own tools of a window; from then on, this document reports their changes. */
export async function nativeTools(there: Window): Promise<RegisteredTool[]> {
  const native = nativeAt(there);
  if (!native) return [];
  if (!followed.has(native)) native.addEventListener("toolchange", () => neighbourAt(window)?.changed());
  followed.add(native);
  await mayAsk();
  const tools = await native.getTools().catch(() => []);
  return tools.filter((tool) => tool.window === there);
}

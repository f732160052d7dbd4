// The documents whose tools are listed together: all same-origin frames of the page. Each may have its own copy of the
// polyfill, which registers itself under a symbol of its window for the others to find.
import { mayAsk, watchLeaving } from "../may-ask.ts";
import type { ModelContext, ModelContextAnnotations, RegisteredTool } from "../model-context.ts";

const key = Symbol.for("pagewire.model-context");

/** A tool of a window, as its neighbours see it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON text of the schema of its input. */
  readonly schema: string | undefined;
  readonly annotations: ModelContextAnnotations | undefined;
}

/** The polyfill's interface for other windows. */
export interface Neighbour {
  list(): readonly ListedTool[];
  /** Runs a tool with an input that is JSON text. The signal is the caller's. */
  run(name: string, input: string, signal: AbortSignal): Promise<string | null>;
  /** Some window's tools are not what they were. */
  changed(): void;
}

/** Shows this document's tools to the other windows of its origin. */
export function showToNeighbours(own: Neighbour): void {
  Object.defineProperty(window, key, { value: own });
  watchLeaving();
}

/** All windows of this origin in the page, from the top down. */
export function pageWindows(at: Window = window.top ?? window): Window[] {
  const frames = Array.from({ length: at.length }, (_, index) => at[index]).filter((frame) => frame !== undefined);
  return [...(isOurs(at) ? [at] : []), ...frames.flatMap((frame) => pageWindows(frame))];
}

/** Not just whether it can be reached: `document.domain` lets others in. */
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

/** The native model context of a window: a frame may have one, by its own origin trial, where this document has none. */
export function nativeAt(window: Window): ModelContext | undefined {
  const { Document, document } = window as Window & typeof globalThis;
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext")?.get;
  // Another script's would ask us in turn.
  const isNative = getter && /\[native code\]/.test(Function.prototype.toString.call(getter));
  return isNative ? (document as { readonly modelContext?: ModelContext }).modelContext : undefined;
}

const heard = new WeakSet<ModelContext>();

/** A browser's own tools of a window, whose changes are this document's from then on. */
export async function nativeTools(there: Window): Promise<RegisteredTool[]> {
  const native = nativeAt(there);
  if (!native) return [];
  if (!heard.has(native)) native.addEventListener("toolchange", () => neighbourAt(window)?.changed());
  heard.add(native);
  await mayAsk();
  const tools = await native.getTools().catch(() => []);
  return tools.filter((tool) => tool.window === there);
}

import { documentTools } from "./document-tools.ts";
import type { DocumentTool } from "./document-tools.ts";
import { failure } from "./failure.ts";
import { refreshForms, watchForms } from "./forms/watch-forms.ts";
import { later } from "../later.ts";
import { ModelContext, modelContextOf } from "./model-context.ts";
import { showToNeighbours } from "./page-windows.ts";
import { setParts } from "./parts.ts";
import type { Parts } from "./parts.ts";

interface ToolEventInit extends EventInit {
  readonly toolName?: string;
}

class ToolEvent extends Event {
  readonly toolName: string;

  constructor(type: string, { toolName = "", ...init }: ToolEventInit = {}) {
    super(type, init);
    this.toolName = `${toolName}`;
  }
}

/** A tool of this document was called. */
class ToolActivatedEvent extends ToolEvent {}

/** Dispatched when the caller of a tool gives up. */
class ToolCancelEvent extends ToolEvent {}

/** Installs a `modelContext` in this document, if there is a document that has none. */
export function installModelContext(parts: Parts): void {
  if (typeof document === "undefined" || "modelContext" in document) return;
  if (!isSecureContext) return tellOnce();
  setParts(parts);
  const context = modelContextOf(document);
  showToNeighbours({
    list() {
      refreshForms();
      return [...documentTools.values()];
    },
    run(name, input, signal) {
      const tool = documentTools.get(name);
      if (tool) return runDocumentTool(tool, { input, signal, events: context });
      return Promise.reject(failure("UnknownError", `There is no tool "${name}".`));
    },
    changed: () => later(() => context.dispatchEvent(new Event("toolchange"))),
  });
  for (const [name, value] of Object.entries({ ModelContext, ToolActivatedEvent, ToolCancelEvent })) {
    Object.defineProperty(window, name, { configurable: true, writable: true, value });
  }
  Object.defineProperty(Document.prototype, "modelContext", {
    configurable: true,
    enumerable: true,
    get(this: unknown) {
      return this instanceof Document ? modelContextOf(this) : undefined;
    },
  });
  watchForms();
  // Pages that checked for it too early check again.
  document.dispatchEvent(new Event("modelcontext"));
}

/** Warns once, even if there are several copies of this code. */
function tellOnce(): void {
  const key = Symbol.for("pagewire.not-secure");
  if (Reflect.has(globalThis, key)) return;
  Reflect.set(globalThis, key, true);
  console.warn("document.modelContext is only available on pages served over https:// or from this machine.");
}

interface ToolRun {
  /** JSON text. */
  readonly input: string;
  /** The caller's signal. */
  readonly signal: AbortSignal;
  /** Receives the events of the call. */
  readonly events: EventTarget;
}

/** Calls a tool of this document, in its own task, as are all of its events. */
function runDocumentTool(tool: DocumentTool, { input, signal, events }: ToolRun): Promise<string | null> {
  const toolName = tool.name;
  const cancelling = new AbortController();
  const onAbort = () =>
    later(() => {
      cancelling.abort();
      events.dispatchEvent(new ToolCancelEvent("toolcancel", { toolName }));
    });
  signal.addEventListener("abort", onAbort, { once: true });
  const activated = () => void events.dispatchEvent(new ToolActivatedEvent("toolactivated", { toolName }));
  const call = { signal: cancelling.signal, activated };
  const answered = new Promise<string | null>((resolve) => {
    later(() => resolve(tool.run(JSON.parse(input) as object, call)));
  });
  return answered.finally(() => signal.removeEventListener("abort", onAbort));
}

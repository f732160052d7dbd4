// `document.modelContext`, as Chromium 156 has it. Nothing here throws at once: every fault is a rejection.
import type { RegisteredTool } from "../model-context.ts";
import { executeTool } from "./execute-tool.ts";
import { failure } from "./failure.ts";
import { getTools } from "./get-tools.ts";
import { registerTool } from "./register-tool.ts";

export class ModelContext extends EventTarget {
  constructor() {
    super();
    throw new TypeError("Illegal constructor: a document has its own ModelContext.");
  }

  async registerTool(tool: unknown, options: unknown = {}): Promise<void> {
    assertUsable(this);
    return registerTool(tool, options);
  }

  async getTools(options: unknown = {}): Promise<RegisteredTool[]> {
    assertUsable(this);
    return getTools(options);
  }

  async executeTool(tool: unknown, input: unknown = {}, options: unknown = {}): Promise<string | null> {
    assertUsable(this);
    return executeTool(tool, input, options);
  }

  get [Symbol.toStringTag](): string {
    return "ModelContext";
  }
}

/** Makes the one of this document, around the constructor that throws. */
export function createModelContext(): ModelContext {
  const context = Reflect.construct(EventTarget, [], ModelContext) as ModelContext;
  for (const type of ["toolchange", "toolactivated", "toolcancel"]) {
    Object.defineProperty(ModelContext.prototype, `on${type}`, handlerProperty(context, type));
  }
  return context;
}

function assertUsable(context: unknown): void {
  if (!(context instanceof ModelContext)) throw new TypeError("Illegal invocation: call it on document.modelContext.");
  // A frame that was removed, or led to another page.
  if (!document.defaultView) throw failure("InvalidStateError", "The document is not active.");
}

/** A property such as `ontoolchange`, which keeps its turn among the listeners when it is set again. */
function handlerProperty(context: EventTarget, type: string): PropertyDescriptor {
  let handler: unknown = null;
  const listener = (event: Event) => {
    if (typeof handler === "function") Reflect.apply(handler, context, [event]);
  };
  return {
    configurable: true,
    enumerable: true,
    get: () => handler,
    set(value: unknown) {
      handler = Object(value) === value ? value : null;
      if (handler === null) context.removeEventListener(type, listener);
      else context.addEventListener(type, listener);
    },
  };
}

// `document.modelContext` as in Chromium 156. Nothing here throws synchronously: every error is a rejection.
import type { RegisteredTool } from "../model-context.ts";
import { failure } from "./failure.ts";
import { registerTool } from "./register-tool.ts";
import { nativeTools, neighbourAt, pageWindows, nativeAt } from "./page-windows.ts";
import type { ListedTool } from "./page-windows.ts";
import { readOrigins, parseUrl, readAddress, readInput, readSignal } from "./read-arguments.ts";
import type { ToolAddress } from "./read-arguments.ts";

export class ModelContext extends EventTarget {
  constructor() {
    super();
    throw new TypeError("Illegal constructor");
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

const contexts = new WeakMap<Document, ModelContext>();

/** A document's model context. Its methods reject, unless it is this window's document. */
export function modelContextOf(owner: Document): ModelContext {
  const known = contexts.get(owner);
  if (known) return known;
  const context = Reflect.construct(EventTarget, [], ModelContext) as ModelContext;
  contexts.set(owner, context);
  for (const type of ["toolchange", "toolactivated", "toolcancel"]) {
    const holder = owner === document ? ModelContext.prototype : context;
    Object.defineProperty(holder, `on${type}`, handlerProperty(context, type));
  }
  return context;
}

function assertUsable(context: unknown): void {
  if (!(context instanceof ModelContext)) throw new TypeError("Illegal invocation");
  // Made by a script, or of a frame that was removed or has navigated.
  if (context !== contexts.get(document) || !document.defaultView) {
    throw failure("InvalidStateError", "The document is not active.");
  }
}

/** A property such as `ontoolchange`, which keeps its position among the listeners when it is set again. */
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

/** The current tools of all documents of this origin in the page, by name. */
async function getTools(options: unknown): Promise<RegisteredTool[]> {
  readOrigins(options, "fromOrigins")();
  const found = await Promise.all(pageWindows().map(toolsOf));
  return found.flat().sort((one, other) => Number(one.name > other.name) - Number(one.name < other.name));
}

async function toolsOf(there: Window): Promise<RegisteredTool[]> {
  const neighbour = neighbourAt(there);
  return neighbour ? neighbour.list().map((tool) => registeredTool(tool, there)) : nativeTools(there);
}

/** Plain objects of this window, even for tools of another. */
function registeredTool({ name, title, description, schema, annotations }: ListedTool, window: Window): RegisteredTool {
  return {
    ...(annotations && { annotations: { ...annotations } }),
    description,
    ...(schema !== undefined && { inputSchema: JSON.parse(schema) as NonNullable<RegisteredTool["inputSchema"]> }),
    name,
    origin,
    title,
    window,
  };
}

/** Calls a tool of any document of this origin in the page. */
function executeTool(tool: unknown, input: unknown, options: unknown): Promise<string | null> {
  const address = readAddress(tool);
  const json = readInput(input);
  const signal = readSignal(options);
  signal?.throwIfAborted();
  const run = findTool(address);
  return new Promise((resolve, reject) => {
    const calling = new AbortController();
    const over = new AbortController();
    const giveUp = () => {
      reject(signal?.reason);
      calling.abort();
    };
    const gone = () =>
      reject(failure("UnknownError", `The frame of the tool "${address.name}" was removed or navigated.`));
    signal?.addEventListener("abort", giveUp, { signal: over.signal });
    // A document that is gone runs no promises: it would never answer.
    if (address.window !== window) address.window.addEventListener("pagehide", gone, { signal: over.signal });
    run(json, calling.signal)
      .then(resolve, (error: unknown) => reject(asOwn(error)))
      .finally(() => over.abort());
  });
}

type Run = (input: string, signal: AbortSignal) => Promise<string | null>;

function findTool({ name, origin: from, window: there }: ToolAddress): Run {
  const url = parseUrl(from);
  if (!url) throw failure("NotSupportedError", `"${from}" is not a valid origin.`);
  if (there.closed) throw failure("InvalidStateError", `The frame of the tool "${name}" was removed or navigated.`);
  const isHere = pageWindows().includes(there) && url.origin === origin;
  const neighbour = isHere ? neighbourAt(there) : undefined;
  if (neighbour?.list().some((tool) => tool.name === name)) return (...call) => neighbour.run(name, ...call);
  const native = isHere && !neighbour ? nativeAt(there) : undefined;
  if (native) {
    const tool: RegisteredTool = { name, description: "", origin: from, window: there };
    return (input, signal) => native.executeTool(tool, JSON.parse(input) as object, { signal });
  }
  throw failure("UnknownError", `There is no tool "${name}": list the tools again.`);
}

/** An error from another window is not an instance of this window's classes. */
function asOwn(error: unknown): unknown {
  const { name, message, cause } = Object(error) as Partial<Error>;
  return error instanceof DOMException || name === undefined ? error : failure(name, message ?? "", cause);
}

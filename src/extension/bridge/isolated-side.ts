// The page's model context as the extension has it, over the bridge. The other side may be any script of the page: what it
// sends is checked, is bounded, and answers nothing but what was asked.
import type { ToMainWorld } from "./bridge-messages.ts";

/** A tool as `getTools` lists it. One without a window is the document's own. */
export interface BridgedTool {
  readonly key: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  /** JSON. */
  readonly inputSchema: string | undefined;
  readonly annotations: Readonly<Record<string, boolean>> | undefined;
  readonly window: Window | undefined;
  readonly origin: string;
}

interface Waiting {
  readonly type: "list" | "execute";
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The most tools of a listing that are read. Far fewer may join. */
export const mostTools = 1000;
/** The most characters of a listing's texts. */
export const mostText = 4_000_000;
/** The most questions for the list that wait; the oldest is given up. */
const mostLists = 32;
const mostMessage = 10_000;

/** A model context that asks the page's own by a port. */
export class BridgedContext extends EventTarget {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#receive(data);
  }

  getTools(): Promise<readonly BridgedTool[]> {
    const lists = [...this.#waiting].filter(([, { type }]) => type === "list");
    if (lists.length >= mostLists) {
      this.#take(lists[0]?.[0])?.reject(new Error("The page does not answer when it is asked for its tools."));
    }
    return this.#ask("list", (id) => ({ type: "list", id })) as Promise<readonly BridgedTool[]>;
  }

  executeTool(
    { key }: Pick<BridgedTool, "key">,
    input: object,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<unknown> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const asked = this.#ask("execute", (id) => ({ type: "execute", id, tool: key, input: JSON.stringify(input) }));
    const id = this.#last;
    const cancel = () => {
      this.#take(id)?.reject(signal.reason);
      this.#port.postMessage({ type: "cancel", id } satisfies ToMainWorld);
    };
    signal.addEventListener("abort", cancel);
    return asked.finally(() => signal.removeEventListener("abort", cancel));
  }

  #ask(type: Waiting["type"], message: (id: number) => ToMainWorld): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { type, resolve, reject });
      this.#port.postMessage(message(id));
    });
  }

  #take(id: unknown): Waiting | undefined {
    const found = this.#waiting.get(id as number);
    this.#waiting.delete(id as number);
    return found;
  }

  #receive(data: unknown): void {
    const { type, id, ...rest } = Object(data) as Record<string, unknown>;
    if (type === "change") return void this.dispatchEvent(new Event("toolchange"));
    const isAnswer =
      type === "error" || type === (this.#waiting.get(id as number)?.type === "list" ? "tools" : "result");
    const waiting = isAnswer ? this.#take(id) : undefined;
    if (type === "tools") waiting?.resolve(readTools(rest["tools"]));
    if (type === "result") waiting?.resolve(rest["result"]);
    if (type === "error") waiting?.reject(readError(rest));
  }
}

function readError({ name, message }: Record<string, unknown>): Error {
  const error = new Error(textOf(message).slice(0, mostMessage));
  return Object.defineProperty(error, "name", { value: textOf(name).slice(0, 100) || "Error" });
}

function readTools(sent: unknown): readonly BridgedTool[] {
  const tools: BridgedTool[] = [];
  let left = mostText;
  for (const each of Array.isArray(sent) ? (sent.slice(0, mostTools) as unknown[]) : []) {
    const tool = readTool(Object(each) as Record<string, unknown>);
    if (!tool) continue;
    const { name, title = "", description, inputSchema = "" } = tool;
    left -= name.length + title.length + description.length + inputSchema.length;
    if (left < 0) break;
    tools.push(tool);
  }
  return tools;
}

function readTool(sent: Record<string, unknown>): BridgedTool | undefined {
  const { key, name, title, description, inputSchema, annotations, frame } = sent;
  const there = windowAt(frame);
  if (typeof key !== "string" || typeof name !== "string" || !there) return undefined;
  const hints = Object.entries(Object(annotations) as object).filter(([, hint]) => typeof hint === "boolean");
  return {
    key,
    name,
    title: typeof title === "string" ? title : undefined,
    description: textOf(description),
    inputSchema: typeof inputSchema === "string" ? inputSchema : undefined,
    annotations: annotations ? Object.fromEntries(hints.slice(0, 20)) : undefined,
    window: there === window ? undefined : there,
    origin: location.origin,
  };
}

/** A frame of this origin, by its way from here. The page cannot speak for another's. */
function windowAt(frame: unknown): Window | undefined {
  const way = Array.isArray(frame) ? (frame.slice(0, 20) as unknown[]) : [];
  try {
    const there = way.reduce<Window | undefined>((at, number) => at?.[Number(number)], window);
    return there && (there as typeof globalThis & Window).origin === location.origin ? there : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

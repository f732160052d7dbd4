// Serves the page's model context to the extension, over a port. It runs in the page's own world: scripts that come later may
// change every prototype, and so it uses none of the port's and its messages' after it has begun.
import { readableAsJson } from "../../webmcp/index.ts";
import { messageOf } from "../../wire/index.ts";
import type { FromMainWorld, SentTool, ToMainWorld } from "./bridge-messages.ts";

/** A model context by whomever: nothing of it is certain. */
interface AnyContext {
  addEventListener?(type: "toolchange", listener: () => void): void;
  getTools(): unknown;
  executeTool(tool: unknown, input: object, options: { readonly signal: AbortSignal }): unknown;
}

type Given = Readonly<Record<string, unknown>>;

/** Serves the model context that the document has at the time of each request. */
export function serveBridge(port: MessagePort): void {
  const { apply } = Reflect;
  const dataOf = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data")?.get;
  const post = port.postMessage.bind(port) as (message: FromMainWorld) => void;
  const running = new Map<number, AbortController>();
  /** The latest listing, by key. */
  let listed = new Map<string, unknown>();
  const numbers = new WeakMap<object, number>();
  let lastNumber = 0;
  const followed = new WeakSet();

  function contextNow(): AnyContext | undefined {
    const context = (document as { readonly modelContext?: AnyContext | null }).modelContext ?? undefined;
    // Another project's script may replace it, and keep the one before for what was registered there.
    if (context && !followed.has(context)) {
      followed.add(context);
      context.addEventListener?.("toolchange", changed);
    }
    return context;
  }

  function changed(): void {
    post({ type: "change" });
  }

  function numberOf(there: object): number {
    const number = numbers.get(there) ?? ++lastNumber;
    numbers.set(there, number);
    return number;
  }

  /** Undefined for a tool that cannot be read. */
  function read(given: Given): SentTool | undefined {
    try {
      const there = (given["window"] ?? window) as Window;
      const frame = frameOf(there);
      const name = `${given["name"] as string}`;
      return frame && { key: `${numberOf(there)}:${name}`, frame, name, ...fieldsOf(given) };
    } catch {
      return undefined;
    }
  }

  async function list(): Promise<SentTool[]> {
    const given = ((await contextNow()?.getTools()) ?? []) as readonly Given[];
    const next = new Map<string, unknown>();
    const tools: SentTool[] = [];
    for (const each of given) {
      const tool = read(each);
      if (!tool) continue;
      next.set(tool.key, each);
      tools.push(tool);
    }
    listed = next;
    return tools;
  }

  async function execute(tool: string, input: string, signal: AbortSignal): Promise<unknown> {
    if (!listed.has(tool)) await list();
    const given = listed.get(tool);
    if (!given) throw new DOMException("The tool is not there any more.", "UnknownError");
    return contextNow()?.executeTool(given, readableAsJson(JSON.parse(input) as object), { signal });
  }

  async function answer(message: ToMainWorld): Promise<void> {
    const { id } = message;
    if (message.type === "cancel") return running.get(id)?.abort();
    try {
      if (message.type === "list") return post({ type: "tools", id, tools: await list() });
      const calling = new AbortController();
      running.set(id, calling);
      // Another project's result may be anything: what cannot be sent is an error, which says why.
      post({ type: "result", id, result: await execute(message.tool, message.input, calling.signal) });
    } catch (error) {
      const { name } = Object(error) as { readonly name?: unknown };
      post({ type: "error", id, name: typeof name === "string" ? name : "Error", message: messageOf(error) });
    } finally {
      running.delete(id);
    }
  }

  port.onmessage = (event) => void answer(apply(dataOf as () => unknown, event, []) as ToMainWorld);
  // A script that loads with the document may replace the model context, which tells nothing.
  document.addEventListener("readystatechange", () => contextNow() && changed());
  contextNow();
}

function fieldsOf({ title, description, inputSchema, annotations }: Given) {
  const hints = Object.entries(Object(annotations) as object).filter(([, hint]) => typeof hint === "boolean");
  return {
    title: typeof title === "string" ? title : undefined,
    description: typeof description === "string" ? description : "",
    inputSchema: typeof inputSchema === "string" ? inputSchema : JSON.stringify(inputSchema),
    annotations: annotations ? (Object.fromEntries(hints) as Record<string, boolean>) : undefined,
  };
}

/** The way from this window to one below it; undefined if there is none. */
function frameOf(there: Window): readonly number[] | undefined {
  if (there === window) return [];
  const { parent } = there;
  if (!parent || parent === there) return undefined;
  const number = Array.from({ length: parent.length }, (_, index) => parent[index]).indexOf(there);
  const way = number < 0 ? undefined : frameOf(parent);
  return way && [...way, number];
}

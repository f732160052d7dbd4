// Holds a set of tools in the browser's model context. Each registration is awaited, and a new set replaces the
// previous one by its differences: an unchanged tool is never unregistered.
import { unlessAborted } from "../toolbox/index.ts";
import { messageOf } from "../wire/index.ts";
import type { Tool } from "../wire/index.ts";
import { annotationsForBrowser } from "./browser-annotations.ts";
import type { FoundContext, ModelContextTool } from "./model-context.ts";
import { markOwnTool } from "./own-tools.ts";
import type { OwnToolMark } from "./own-tools.ts";
import { whyRefused } from "./why-refused.ts";
import { failedResult } from "./browser-result.ts";

export interface MirroredTool {
  readonly tool: Tool;
  /** Returns the result for the browser: text, or an object that JSON can represent. */
  run(input: object, signal: AbortSignal): Promise<string | object>;
}

/** A tool that the browser refused, and its reason. */
export interface RefusedTool {
  readonly name: string;
  readonly message: string;
}

export interface MirrorOptions {
  readonly found: FoundContext;
  /** Origins whose documents may see the tools, in addition to this one's. */
  readonly exposedTo?: readonly string[] | undefined;
  /** Receives each tool that the browser refuses: once, until its definition or the refusal changes. */
  onRefused(refused: RefusedTool): void;
}

export interface Mirror {
  /** The registered tools, in the order given. */
  names(): readonly string[];
  refused(): readonly RefusedTool[];
  /** Resolves when the browser has answered for every tool. Calls run one after the other. */
  sync(tools: readonly MirroredTool[]): Promise<void>;
  /** Removes everything at once. Can be called twice. */
  close(): void;
}

type Definition = Omit<ModelContextTool, "execute">;

/** A tool that is registered, being registered, or refused. */
interface Held {
  readonly name: string;
  /** Missing if the browser was not asked: `refusal` has the reason. */
  readonly definition?: Definition;
  /** The newest handler: calls run this one. */
  run: MirroredTool["run"];
  /** Unregisters it. Set from the registration until a refusal. */
  removal?: AbortController | undefined;
  /** Marks the name as Pagewire's own while `removal` is set. */
  mark?: OwnToolMark;
  isTaken?: boolean;
  refusal?: string | undefined;
  /** The refusal that was reported last. */
  reported?: string | undefined;
}

export function createMirror({ found, exposedTo, onRefused }: MirrorOptions): Mirror {
  /** Keyed by definition: a changed definition makes another tool. */
  let held: ReadonlyMap<string, Held> = new Map();
  let last = Promise.resolve();
  let isClosed = false;

  function remove(item: Held): void {
    const { name, removal, mark } = item;
    if (!removal) return;
    item.removal = undefined;
    // Chromium 156 crashes if a registration ends after its document is gone, which removed the tool anyway.
    if (globalThis.document?.defaultView !== null) removal.abort();
    mark?.remove();
    if (found.at === "document") return;
    // For browsers that ignore the signal; in others the tool is already gone.
    const unregister = async () => found.context.unregisterTool?.(name);
    unregister().catch(() => {});
  }

  /** Registers a tool with the browser and remembers the outcome. */
  async function register(item: Held, definition: Definition): Promise<void> {
    const { name } = item;
    const removal = (item.removal = new AbortController());
    const { signal } = removal;
    const mark = (item.mark = markOwnTool(name));
    const execute = executeSafely((input, ending) => item.run(input, ending));
    try {
      const options = { signal, ...(exposedTo && { exposedTo }) };
      // A registration that is never answered must not keep the mirror from closing.
      await unlessAborted(Promise.resolve(found.context.registerTool({ ...definition, execute }, options)), signal);
      item.isTaken = true;
      mark.taken();
      item.refusal = undefined;
    } catch (error) {
      // A tool that was removed in the meantime does not count as refused.
      if (signal.aborted) return;
      item.removal = undefined;
      mark.remove();
      item.refusal = whyRefused(error);
    }
  }

  async function replace(tools: readonly MirroredTool[]): Promise<void> {
    if (isClosed) return;
    const next = readTools(tools, held);
    for (const [key, item] of held) if (!next.has(key)) remove(item);
    held = next;
    await Promise.all(
      // A refused tool is tried again: its name may be free by now.
      [...next.values()].map(async (item) => {
        if (item.definition && !item.removal) await register(item, item.definition);
      }),
    );
    if (isClosed) return;
    for (const item of next.values()) {
      const { name, refusal } = item;
      if (refusal !== undefined && refusal !== item.reported) onRefused({ name, message: refusal });
      item.reported = refusal;
    }
  }

  return {
    names: () => [...held.values()].filter(({ isTaken }) => isTaken).map(({ name }) => name),
    refused: () =>
      [...held.values()].flatMap(({ name, refusal }) => (refusal === undefined ? [] : [{ name, message: refusal }])),
    sync(tools) {
      const done = last.then(() => replace(tools));
      last = done.catch(() => {});
      return done;
    },
    close() {
      isClosed = true;
      for (const item of held.values()) remove(item);
      held = new Map();
    },
  };
}

/** The tools to register, in the order given: a registered one stays, with its newest `run`. */
function readTools(tools: readonly MirroredTool[], held: ReadonlyMap<string, Held>): ReadonlyMap<string, Held> {
  const next = new Map<string, Held>();
  const names = new Set<string>();
  for (const { tool, run } of tools) {
    const { name } = tool;
    const { key, ...read } = readTool(tool, names);
    const item = held.get(key) ?? { name, run, ...read };
    item.run = run;
    next.set(key, item);
    names.add(name);
  }
  return next;
}

function readTool(tool: Tool, names: ReadonlySet<string>): Pick<Held, "definition" | "refusal"> & { key: string } {
  const { name } = tool;
  if (names.has(name)) return { key: `again ${name}`, refusal: "An earlier tool has this name. Rename one of them." };
  try {
    const definition = definitionOf(tool);
    return { key: JSON.stringify(definition), definition };
  } catch (error) {
    return { key: `not JSON ${name}`, refusal: `Its definition is not JSON: ${messageOf(error)}` };
  }
}

function definitionOf(tool: Tool): Definition {
  const { name, title = tool.annotations?.title, description, inputSchema, outputSchema } = tool;
  const annotations = annotationsForBrowser(tool.annotations);
  return {
    name,
    ...(title && { title }),
    // Browsers refuse a tool without one.
    description: description || name,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
  };
}

/**
 * The tool's `execute` for the browser. It never throws, only rejects with an Error, and resolves with text or plain data
 * only: some values crash the tab when a tool returns them to the browser.
 */
export function executeSafely(
  run: (input: object, signal: AbortSignal) => Promise<string | object>,
): ModelContextTool["execute"] {
  return async (input: object | undefined, options) => {
    // Older browsers do not report a call's end, and may omit an empty input.
    const signal = options?.signal ?? new AbortController().signal;
    try {
      signal.throwIfAborted();
      return plain(await unlessAborted(run(input ?? {}, signal), signal));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof Error ? error : new Error(messageOf(error));
    }
  };
}

function plain(answer: unknown): string | object {
  if (typeof answer === "string") return answer;
  if (typeof answer !== "object" || answer === null) {
    const kind = answer === null ? "null" : typeof answer;
    return failedResult(`The tool's answer is neither text nor an object, but ${kind}.`, "result-unsendable");
  }
  try {
    return JSON.parse(JSON.stringify(answer)) as object;
  } catch (error) {
    return failedResult(`The tool's answer cannot be sent: ${messageOf(error)}`, "result-unsendable");
  }
}

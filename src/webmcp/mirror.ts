// Holds a set of tools in the browser's model context. Each registration is awaited, and a set is put in the place of the
// one before by its differences: what did not change is never unregistered.
import { unlessAborted } from "../toolbox/index.ts";
import { messageOf } from "../wire/index.ts";
import type { Tool } from "../wire/index.ts";
import { annotationsForBrowser } from "./browser-annotations.ts";
import { executeSafely } from "./execute-safely.ts";
import type { FoundContext, ModelContextTool } from "./model-context.ts";
import { markOwnTool } from "./own-tools.ts";
import type { OwnToolMark } from "./own-tools.ts";
import { whyRefused } from "./why-refused.ts";

/** A tool to be offered to the browser. */
export interface MirroredTool {
  /** By the name that the browser shall know it by. */
  readonly tool: Tool;
  /** Gives what the browser is to be answered: text, or an object that JSON can hold. */
  run(input: object, signal: AbortSignal): Promise<string | object>;
}

/** A tool that the browser did not take, and what it said. */
export interface RefusedTool {
  readonly name: string;
  readonly message: string;
}

export interface MirrorOptions {
  readonly found: FoundContext;
  /** Origins whose documents may see the tools beside this one's. */
  readonly exposedTo?: readonly string[] | undefined;
  /** Hears of each tool that the browser refuses: once, until its definition or the refusal changes. */
  onRefused(refused: RefusedTool): void;
}

export interface Mirror {
  /** What the browser has of it now, in the order given. */
  names(): readonly string[];
  refused(): readonly RefusedTool[];
  /** Resolves when the browser has answered for every tool. One after the other, in the order of the calls. */
  sync(tools: readonly MirroredTool[]): Promise<void>;
  /** Takes everything away at once. Can be called twice. */
  close(): void;
}

type Definition = Omit<ModelContextTool, "execute">;

/** A tool that the browser has, is asked to take, or did not take. */
interface Held {
  readonly name: string;
  /** Missing where the browser need not be asked: `refusal` says why. */
  readonly definition?: Definition;
  /** What calls reach: the newest. */
  run: MirroredTool["run"];
  /** Takes it away. Set from when the browser is asked until it refuses. */
  removal?: AbortController | undefined;
  /** Says that its name is Pagewire's own, as long as `removal` is set. */
  mark?: OwnToolMark;
  isTaken?: boolean;
  refusal?: string | undefined;
  /** The refusal that was told last. */
  told?: string | undefined;
}

/** Makes a mirror that holds nothing yet. */
export function createMirror({ found, exposedTo, onRefused }: MirrorOptions): Mirror {
  /** By what makes each another tool: its definition. */
  let held: ReadonlyMap<string, Held> = new Map();
  let last = Promise.resolve();
  let isClosed = false;

  function remove(item: Held): void {
    const { name, removal, mark } = item;
    if (!removal) return;
    item.removal = undefined;
    // Chromium 156 crashes where a registration ends after its document is gone, which took the tool along.
    if (globalThis.document?.defaultView !== null) removal.abort();
    mark?.remove();
    if (found.at === "document") return;
    // Where signals are passed over, this is the way; where they are not, it is gone already.
    const unregister = async () => found.context.unregisterTool?.(name);
    unregister().catch(() => {});
  }

  /** Asks the browser to take a tool, and remembers what it says. */
  async function register(item: Held, definition: Definition): Promise<void> {
    const { name } = item;
    const removal = (item.removal = new AbortController());
    const { signal } = removal;
    const mark = (item.mark = markOwnTool(name));
    const execute = executeSafely((input, ending) => item.run(input, ending));
    try {
      const options = { signal, ...(exposedTo && { exposedTo }) };
      // One that never answers must not keep the mirror from closing.
      await unlessAborted(Promise.resolve(found.context.registerTool({ ...definition, execute }, options)), signal);
      item.isTaken = true;
      mark.taken();
      item.refusal = undefined;
    } catch (error) {
      // What was taken away meanwhile was not refused.
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
      // One that was refused is tried again: its name may be free by now.
      [...next.values()].map(async (item) => {
        if (item.definition && !item.removal) await register(item, item.definition);
      }),
    );
    if (isClosed) return;
    for (const item of next.values()) {
      const { name, refusal } = item;
      if (refusal !== undefined && refusal !== item.told) onRefused({ name, message: refusal });
      item.told = refusal;
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

/** What is to be held, in the order given: what is held already goes on, with its newest `run`. */
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

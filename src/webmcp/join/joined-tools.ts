import type { CallContext, LocalToolbox, Registration, ToolDefinition } from "../../toolbox/index.ts";
import { PagewireError, messageOf, fromBrowser } from "../../wire/index.ts";
import { isSameTool, nameTools } from "./name-tools.ts";
import type { NamedTool } from "./name-tools.ts";
import type { ListedTool } from "./read-model-context.ts";
import { runBrowserTool } from "./run-browser-tool.ts";
import { annotationsFromBrowser } from "../browser-annotations.ts";
import { pathOf } from "./windows.ts";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";

/** The definition of a browser's tool without its handler. */
type JoinedDefinition = Omit<ToolDefinition, "execute">;

/** Whether a window is an inaccessible frame of another origin. */
function isOtherOrigin(window: Window): boolean {
  return pathOf(window) === undefined;
}

/** The max length of a text of another origin's tool. */
const maxForeignText = 2000;

/** The definition of a browser's tool, for the document of a window. */
function joinedDefinition({ name, listed }: NamedTool, own: Window): JoinedDefinition {
  const { inputSchema } = listed;
  const { title, description, annotations, _meta } =
    listed.window === own ? { ...listed, _meta: {} } : fromFrame(listed);
  const hints = annotationsFromBrowser(annotations);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== "" && { description }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as object }),
    ...(hints && { annotations: hints }),
    _meta: { ...fromBrowser, ..._meta },
  };
}

/** A frame's tool with its origin. The text of a cross-origin frame is shortened, and marked as untrusted. */
function fromFrame({ title, description, annotations, window, origin }: ListedTool) {
  const isOther = isOtherOrigin(window);
  const max = isOther ? maxForeignText : Infinity;
  const frame = `${origin}${pathOf(window) ?? ""}`;
  return {
    title: title?.slice(0, max),
    description: `${description.slice(0, max)}\n(From a frame of this page: ${frame})`,
    annotations: { ...annotations, ...(isOther && { untrustedContentHint: true }) },
    _meta: { "pagewire/frame": frame },
  };
}

/** A call of a joined tool, with the tool's fields as agents see them. */
export interface GuardedCall {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly annotations?: ToolDefinition["annotations"] | undefined;
  readonly inputSchema?: object | undefined;
  readonly _meta?: object | undefined;
  readonly input: object;
  readonly context: CallContext;
  /** The browser's listing that was joined; missing for a tool that is not the browser's. */
  readonly listed?: ListedTool;
  /** The browser's listing of a tool now: a page may replace it at any time. */
  find(listed: ListedTool): Promise<ListedTool | undefined>;
}

/** Decides about a call: it may run it once, with a signal of its own, or refuse it by an error. */
export type Guard = (call: GuardedCall, run: (signal: AbortSignal) => Promise<unknown>) => Promise<unknown>;

/** The browser's tools that are in a toolbox. */
export interface JoinedTools {
  has(tool: ListedTool): boolean;
  /** Replaces the current tools by these, changing only the differences; returns why some could not be added. */
  set(tools: readonly ListedTool[]): readonly Error[];
  close(): void;
}

export interface JoinedToolsOptions {
  /** The window of the toolbox's document. */
  readonly own: Window;
  /** The toolbox's limit. */
  readonly offersPerPage: number;
  /** Whether the browser has refused the page's own tool of this name. */
  isRefused(name: string): boolean;
  /** The browser's listing of a tool now. */
  find(listed: ListedTool): Promise<ListedTool | undefined>;
  readonly guard: Guard;
  /** Whether a tool joins, by its name and hints as agents see them. */
  offers(tool: Pick<ToolDefinition, "name" | "annotations">): boolean;
}

/** A tool that has joined, was refused, or waits for room. */
interface Joined extends NamedTool {
  /** The browser's latest listing. */
  listed: ListedTool;
  readonly json: string;
  readonly definition: ToolDefinition;
  registration?: Registration | undefined;
  /** Why it was refused. The same definition will always be refused. */
  refusal?: Error;
}

/** The max number of tools of other origins' frames, so that they cannot crowd out the page's own. */
const maxForeignTools = 64;
/** A page's own tool that gives way to it is there again when it goes. */
const covering = { signal: undefined, covers: true } as const;
/** The part of the page's free room that may be used. */
const mostOfRoom = 3 / 4;

export function createJoined(toolbox: LocalToolbox, options: JoinedToolsOptions): JoinedTools {
  const { own, offersPerPage, isRefused, find, guard, offers } = options;
  let joined: ReadonlyMap<string, Joined> = new Map();
  const reserved = new Set<string>();
  /** Reported for the first tool without room, until all have room again. */
  let tooMany: Error | undefined;

  function named(tools: readonly ListedTool[], present: ReadonlySet<ToolDefinition>): readonly NamedTool[] {
    const before = [...joined.values()];
    const ours = new Set(before.map(({ definition }) => definition));
    const pages = [...present].filter((each) => !ours.has(each)).map(({ name }) => name);
    const ofScripts = tools.filter(({ window }) => window === own);
    // One name is one tool for every agent: where the browser gave it to a script, the page's own gives way; never to a frame's.
    const taken = new Set(pages.filter((name) => !isRefused(name)));
    for (const name of [...pages, ...ofScripts.map((tool) => tool.name)]) reserved.add(name);
    return nameTools(tools, { own, taken, reserved, before });
  }

  function prepare({ name, listed }: NamedTool): Joined {
    const definition = joinedDefinition({ name, listed }, own);
    const { inputSchema } = definition;
    const item: Joined = {
      name,
      listed,
      json: JSON.stringify(definition),
      definition: {
        ...definition,
        ...(inputSchema && isOtherOrigin(listed.window) && { inputSchema: uncheckedSchema(inputSchema) }),
        execute(given, context) {
          const input = given as object;
          // The listing may be newer when the tool is called.
          const call = { ...definition, listed: item.listed, find, input, context };
          return guard(call, (signal) => runBrowserTool(item, { input, signal, find }));
        },
      },
    };
    return item;
  }

  function set(tools: readonly ListedTool[]): readonly Error[] {
    const present = new Set(toolbox.list());
    const { admitted, problems } = admit(tools);
    const next = new Map<string, Joined>();
    for (const tool of named(admitted, present)) {
      try {
        const item = prepare(tool);
        if (!offers(item.definition)) continue;
        const before = joined.get(item.name);
        const isSame = before?.json === item.json && (!before.registration || present.has(before.definition));
        if (isSame) before.listed = item.listed;
        next.set(item.name, isSame ? before : item);
      } catch (error) {
        problems.push(refused(tool.name, error));
      }
    }
    for (const [name, { registration }] of joined) {
      if (next.get(name)?.registration !== registration) registration?.remove();
    }
    joined = next;
    return [...problems, ...register([...next.values()])];
  }

  /** Removes tools that no longer fit, and registers new ones; returns why some are missing. */
  function register(items: readonly Joined[]): readonly Error[] {
    const max = roomIn(toolbox, [...joined.values()], offersPerPage);
    const able = items.filter(({ refusal }) => !refusal);
    const passing: Error[] = [];
    const without = able.slice(max);
    for (const item of without) {
      item.registration?.remove();
      item.registration = undefined;
    }
    for (const item of able.slice(0, max)) {
      try {
        item.registration ??= toolbox.registerTool(item.definition, covering);
      } catch (error) {
        const refusal = refused(item.name, error);
        // There may be room later.
        if ((refusal as { code?: unknown }).code === "offers-too-many") passing.push(refusal);
        else item.refusal = refusal;
      }
    }
    tooMany = without[0] && (tooMany ?? refused(without[0].name, hasNoRoom(offersPerPage)));
    return [...items.flatMap(({ refusal }) => refusal ?? []), ...passing, ...(tooMany ? [tooMany] : [])];
  }

  return {
    has: (tool) => [...joined.values()].some(({ listed, registration }) => registration && isSameTool(listed, tool)),
    set,
    close() {
      for (const { registration } of joined.values()) registration?.remove();
      joined = new Map();
    },
  };
}

/** The number of tools that may join: part of the room stays free for the page's next registrations. */
function roomIn(toolbox: LocalToolbox, joined: readonly Joined[], offersPerPage: number): number {
  const { tools, ...others } = toolbox.offer();
  const ours = new Set(joined.filter(({ registration }) => registration).map(({ name }) => name));
  const pages = [tools.filter(({ name }) => !ours.has(name)), ...Object.values(others)];
  return Math.max(0, Math.floor((offersPerPage - pages.flat().length) * mostOfRoom));
}

/** Drops the tools beyond the limit for other origins. */
function admit(tools: readonly ListedTool[]): { readonly admitted: readonly ListedTool[]; readonly problems: Error[] } {
  const foreign = tools.filter(({ window }) => isOtherOrigin(window));
  const tooMany = new Set(foreign.slice(maxForeignTools));
  if (tooMany.size === 0) return { admitted: tools, problems: [] };
  const problem = `${tooMany.size} tools of other origins' frames do not join: ${maxForeignTools} is the most.`;
  return { admitted: tools.filter((tool) => !tooMany.has(tool)), problems: [new Error(problem)] };
}

function hasNoRoom(max: number): PagewireError {
  const message = `a page may offer ${max}, its own come first, and of the rest a quarter is kept free. A higher limit offersPerPage makes room.`;
  return new PagewireError("offers-too-many", message);
}

function refused(name: string, error: unknown): Error {
  const message = `The browser's tool "${name.slice(0, 128)}" does not join this page's tools: ${messageOf(error)}`;
  return PagewireError.isInstance(error)
    ? new PagewireError(error.code, message, { cause: error })
    : new Error(message);
}

/**
 * Shows a JSON Schema to agents but accepts every input: another origin's schema could take forever to validate against.
 */
function uncheckedSchema(schema: object): StandardJSONSchemaV1<object> & StandardSchemaV1<object> {
  const json = () => schema as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "pagewire",
      validate: (value) => ({ value: value as object }),
      jsonSchema: { input: json, output: json },
    },
  };
}

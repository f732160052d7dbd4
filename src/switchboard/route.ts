// Chooses the tab for a call: the one that it names, else the one that its agent is bound to, else the best one with the tool.
import { PagewireError, isBuiltInTool, isJsonObject, parseJsonObject, textOf } from "../wire/index.ts";
import type { BuiltInToolName, CallMethod, Json, JsonObject, Outcome, Payload, Tool } from "../wire/index.ts";
import { resultText } from "./built-in-tools.ts";
import { isBetter, listOf, offerOf, toolOf } from "./directory.ts";
import type { Directory } from "./directory.ts";
import type { Exposed } from "./exposure.ts";
import { takesTabId } from "./exposure.ts";
import type { CallRequest, Caller, Group, Route, Tab } from "./types.ts";
import { rejection } from "./call-life.ts";
import type { PolicyGate } from "./policy-gate.ts";
import type { ResultParts } from "./result-parts.ts";

/** Returns the function that maps a call to its tab, or to an outcome that needs no tab. */
export function createRoute({
  directory,
  otherRoutes,
  parts,
  gate,
}: RouteOptions): (request: CallRequest, caller: RoutedCaller) => Route {
  return function route(request, caller) {
    try {
      const boundTab = caller.boundTab?.();
      const named = request.tab === undefined ? undefined : directory.find(request.tab);
      const bound = boundTab === undefined ? undefined : directory.tabs.get(boundTab);
      const run = request.method === "tools/call" ? routeTool : otherRoutes[request.method];
      if (!run) throw new PagewireError("offer-not-found", "There are only tools here.");
      const going = run({ directory, request, caller, named, bound });
      const found = gate ? gate.judge(going, request, caller) : going;
      if ("tool" in found) caller.checkTool?.(found.tool);
      // A tool that gives its results in parts has that in its `_meta`.
      return parts && "tool" in found && found.tool?._meta ? parts.answer(found) : found;
    } catch (error) {
      if (PagewireError.isInstance(error)) return { outcome: rejection(error.code, error.message) };
      throw error;
    }
  };
}

interface RouteOptions {
  readonly directory: Directory;
  /** Routes of prompts, resources and completions; without them agents call only tools. */
  readonly otherRoutes: OtherRoutes;
  readonly parts: Pick<ResultParts, "answer"> | undefined;
  readonly gate?: Pick<PolicyGate, "judge"> | undefined;
}

export type OtherRoutes = Partial<Record<Exclude<CallMethod, "tools/call">, (call: RoutedCall) => Route>>;

type RoutedCaller = Pick<Caller, "boundTab" | "isTerminal" | "checkTool" | "principal" | "name" | "door">;

export interface RoutedCall {
  readonly directory: Directory;
  readonly request: CallRequest;
  readonly caller: RoutedCaller;
  readonly named: Tab | undefined;
  readonly bound: Tab | undefined;
}

function routeTool(call: RoutedCall): Route {
  const { directory, request, caller, named } = call;
  const exposed = directory.exposure().tools.get(request.name);
  // No page can offer a tool of such a name.
  if (!exposed && isBuiltInTool(request.name)) return runBuiltIn(call, request.name);
  if (named) {
    const tool = inTab(call, exposed, toolOf(named.offer, request.name, caller));
    if (!tool) {
      const names = offerOf(named, caller).tools.map(({ name }) => name);
      throw missing("tool", request.name, `Tab ${named.tabId} offers: ${listOf(names)}`);
    }
    // The listed tool has a tabId that the tab's own tool does not have.
    const given = request.isOwnName ? request.arguments : takeTabId(tool, request.arguments).rest;
    return { tab: named, name: tool.name, arguments: given, tool };
  }
  const { tabId, rest } = takeTabId(exposed?.item, request.arguments);
  // The tab decides also between tools of one name.
  if (tabId) return routeTool({ ...call, named: directory.find(tabId) });
  if (!exposed) throw notExposed("tool", request.name, directory.exposure().tools);
  return { tab: choose(exposed.groups, call.bound), name: exposed.name, arguments: rest, tool: exposed.item };
}

/** The meaning of a name in the tab that the call names: a listed name, or the tab's own. */
export function inTab<Item>(
  { request, named }: RoutedCall,
  exposed: Exposed<Item> | undefined,
  own: Item | undefined,
): Item | undefined {
  const listed = exposed && named && has(exposed.groups, named) ? exposed.item : undefined;
  if (request.isOwnName || !own || !listed || own === listed) return (request.isOwnName && own) || (listed ?? own);
  throw new PagewireError(
    "tool-ambiguous",
    `"${request.name}" is one thing in the list and another in the tab ${named?.tabId}. Call the tab's own with call_tab_tool.`,
  );
}

export function choose(groups: readonly Group[], bound: Tab | undefined): Tab {
  if (bound && has(groups, bound)) return bound;
  let best: Tab | undefined;
  for (const group of groups) {
    const tab = group.best();
    if (tab && (!best || isBetter(tab, best))) best = tab;
  }
  if (!best) throw new PagewireError("tab-gone", "The last tab that offered this has closed.");
  return best;
}

export function has(groups: readonly Group[], tab: Tab): boolean {
  return groups.some((group) => group.has(tab));
}

const tabIdMark = '"tabId"';
const tabIdBytes = new TextEncoder().encode(tabIdMark);

/**
 * Takes the tabId out of the arguments of a tool without one of its own. They are parsed only if they may have one. Null and
 * an empty text are none: some models have to give every argument.
 */
function takeTabId(tool: Tool | undefined, given: Payload): { readonly tabId?: string | null; readonly rest: Payload } {
  const mayName = typeof given === "string" ? given.includes(tabIdMark) : mentionsTabId(given);
  if (!mayName || (tool && !takesTabId(tool))) return { rest: given };
  const parsed = parseJsonObject(textOf(given), 64);
  if (!parsed || !("tabId" in parsed)) return { rest: given };
  const { tabId, ...rest } = parsed;
  // Any other value finds no tab.
  return {
    tabId: tabId === null || typeof tabId === "string" ? tabId : JSON.stringify(tabId),
    rest: JSON.stringify(rest),
  };
}

function mentionsTabId(given: Uint8Array): boolean {
  const [quote = 0] = tabIdBytes;
  let at = -1;
  do at = given.indexOf(quote, at + 1);
  while (at >= 0 && !tabIdBytes.every((byte, offset) => given[at + offset] === byte));
  return at >= 0;
}

function runBuiltIn(call: RoutedCall, name: BuiltInToolName): Route {
  const { directory, request, caller } = call;
  // These tools list and reach all tabs, but a program in a terminal belongs to its own tab.
  if (caller.isTerminal) throw missing("tool", name, "Programs in a terminal call the tools of their own tab.");
  const given = parseJsonObject(textOf(request.arguments) || "{}", 64);
  if (!given) throw new PagewireError("arguments-malformed", `The arguments of ${name} must be a JSON object.`);
  const { tabId, name: tool, arguments: inner = {} } = given;
  switch (name) {
    case "list_browser_tabs": {
      const { tabs, more } = directory.describe(given);
      const listed = tabs as unknown as Json;
      return { outcome: answer({ tabs: listed, ...more }, more ? undefined : listed) };
    }
    case "list_tab_tools": {
      if (tabId !== undefined && typeof tabId !== "string") throw wrongInput(name, "/tabId must be a string");
      const { tabs: shown, more } = tabId === undefined ? directory.describe(given) : { tabs: [{ tabId }] };
      const tabs = shown.map((tab) => toolsOf(directory.find(tab.tabId)));
      return { outcome: answer({ tabs: directory.parts?.offers(tabs) ?? tabs, ...more }) };
    }
    case "call_tab_tool": {
      if (typeof tabId !== "string") throw wrongInput(name, "/tabId is required and must be a string");
      if (typeof tool !== "string") throw wrongInput(name, "/name is required and must be a string");
      if (!isJsonObject(inner)) throw wrongInput(name, "/arguments must be an object");
      if (isBuiltInTool(tool)) throw missing("tool", tool, "A built-in tool belongs to no tab.");
      return routeTool({
        ...call,
        named: directory.find(tabId),
        request: { ...request, name: tool, arguments: JSON.stringify(inner), isOwnName: true },
      });
    }
  }
}

/** Only the fields that a model needs to call the tool: it reads all of this. */
function toolsOf(tab: Tab): JsonObject {
  const tools = offerOf(tab).tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { tabId: tab.tabId, app: tab.app, origin: tab.origin, tools: tools as unknown as Json };
}

function answer(value: JsonObject, shown?: Json): Outcome {
  return { outcome: "ok", ran: "yes", payload: resultText(value, shown) };
}

function wrongInput(tool: string, problem: string): PagewireError {
  return new PagewireError("input-invalid", `Tool "${tool}" refused its input: ${problem}.`);
}

export function missing(kind: string, name: string, next: string): PagewireError {
  return new PagewireError("tool-not-found", `There is no ${kind} "${name}". ${next}`);
}

export function notExposed(kind: string, name: string, exposed: ReadonlyMap<string, Exposed<object>>): PagewireError {
  const alike = [...exposed].filter(([, variant]) => variant.name === name).map(([full]) => full);
  if (alike.length === 0) return missing(kind, name, `Open tabs offer: ${listOf(exposed.keys())}`);
  return new PagewireError(
    "tool-ambiguous",
    `Several apps have a ${kind} "${name}". Call one of: ${alike.join(", ")}.`,
  );
}

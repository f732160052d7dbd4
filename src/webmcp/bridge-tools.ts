import { isJsonObject, itemProblem, messageOf, pageLimits, typedSchema, itemNamePattern } from "../wire/index.ts";
import type { Json, JsonObject, Tool } from "../wire/index.ts";
import { shownUrl } from "./bridge-errors.ts";
import type { ServerSetting } from "./bridge-settings.ts";
import type { MirroredTool, RefusedTool } from "./mirror.ts";

export interface ServerBridge {
  readonly setting: ServerSetting;
  offered(): readonly Tool[];
  /** The tools of the server's list that are not offered. */
  leftOut(): readonly RefusedTool[];
  /** Returns the result for the browser. */
  call(tool: BridgedTool, input: object, signal: AbortSignal): Promise<string | JsonObject>;
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface BridgedTool {
  readonly atServer: string;
  readonly inBrowser: string;
}

const longest = 128;

/**
 * A valid and unique browser name for each of these, in order. A tool whose own name is valid and unique keeps it, so
 * that a server cannot take another tool's name by adding a tool.
 */
export function safeNames(wanted: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  const kept = wanted.map((name) => {
    if (!itemNamePattern.test(name) || taken.has(name)) return undefined;
    taken.add(name);
    return name;
  });
  return kept.map((name, at) => name ?? free(safeName(wanted[at] ?? ""), taken));
}

function safeName(name: string): string {
  const safe = name.replace(/[^\w.-]/gu, "_") || "_";
  if (safe.length <= longest) return safe;
  const hash = `_${shortHash(name)}`;
  return safe.slice(0, longest - hash.length) + hash;
}

function free(name: string, taken: Set<string>): string {
  let next = name;
  for (let count = 2; taken.has(next); count++) {
    const ending = `_${count}`;
    next = name.slice(0, longest - ending.length) + ending;
  }
  taken.add(next);
  return next;
}

/** FNV-1a: the hash only has to distinguish names, not to hide them. */
function shortHash(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}

export interface BridgedTools {
  /** By the servers' own names. */
  readonly offered: readonly Tool[];
  readonly mirrored: readonly MirroredTool[];
  /** Tools that are left out. */
  readonly refused: readonly RefusedTool[];
}

interface Presented {
  readonly bridge: ServerBridge;
  readonly atServer: string;
  readonly tool: Tool;
  /** The tool's name in the browser. */
  readonly wanted: string;
}

/** The servers' tools by their names in the browser. If two have the same name, the first wins. */
export function gatherTools(bridges: readonly ServerBridge[], areNamesChanged: boolean): BridgedTools {
  const refused: RefusedTool[] = [];
  const presented = bridges.flatMap((bridge) => presentAll(bridge, refused));
  const wanted = presented.map((one) => one.wanted);
  const names = areNamesChanged ? safeNames(wanted) : wanted;
  const taken = new Map<string, Presented>();
  for (const [at, one] of presented.entries()) {
    const name = names[at] ?? one.wanted;
    const other = taken.get(name);
    if (other) refused.push({ name, message: takenBy(other) });
    else taken.set(name, one);
  }
  const mirrored = Array.from(taken, ([inBrowser, { bridge, atServer, tool }]): MirroredTool => {
    const names = { atServer, inBrowser };
    // Browsers require a description.
    const described = { ...tool, name: inBrowser, description: tool.description || tool.name };
    return { tool: described, run: (input, signal) => bridge.call(names, input, signal) };
  });
  return { offered: presented.map(({ tool }) => tool), mirrored, refused };
}

function presentAll(bridge: ServerBridge, refused: RefusedTool[]): readonly Presented[] {
  const { setting } = bridge;
  return bridge.offered().flatMap((offered) => {
    try {
      const tool = present(offered, setting);
      return tool ? [{ bridge, atServer: offered.name, tool, wanted: `${setting.prefix}${tool.name}` }] : [];
    } catch (error) {
      refused.push({ name: `${setting.prefix}${offered.name}`, message: messageOf(error) });
      return [];
    }
  });
}

/** A tool after the options were applied; undefined if they exclude it. */
function present(offered: Tool, { filter, mapTool, limits }: ServerSetting): Tool | undefined {
  if (filter && !filter(structuredClone(offered))) return undefined;
  const copy = structuredClone(offered);
  if (!mapTool) return copy;
  // A copy as JSON, which the browser makes too; throws for a value that JSON cannot represent.
  const mapped = JSON.parse(JSON.stringify(mapTool(copy)) ?? "null") as Json;
  if (!isJsonObject(mapped)) throw new Error("mapTool gave no tool.");
  const tool = { ...mapped, inputSchema: typedSchema(mapped["inputSchema"] ?? null) };
  const schemaBytes = limits?.schemaBytes ?? pageLimits.schemaBytes;
  const wrong = itemProblem("tools", tool, { schemaBytes, anyNames: true });
  if (wrong) throw new Error(`mapTool gave no tool: it ${wrong.problem}.`);
  return tool as JsonObject as unknown as Tool;
}

function takenBy({ bridge }: Presented): string {
  return `The MCP server at ${shownUrl(bridge.setting.url)} has a tool of this name, too. Give one of them a prefix, or set safeNames.`;
}

import { isJsonObject, itemProblem, messageOf, pageLimits, typedSchema } from "../wire/index.ts";
import type { Json, JsonObject, Tool } from "../wire/index.ts";
import { shownUrl } from "./bridge-errors.ts";
import { safeNames } from "./bridge-names.ts";
import type { ServerBridge } from "./bridge-server.ts";
import type { ServerSetting } from "./bridge-settings.ts";
import type { MirroredTool, RefusedTool } from "./mirror.ts";

export interface BridgedTools {
  /** As the servers name them. */
  readonly offered: readonly Tool[];
  readonly mirrored: readonly MirroredTool[];
  /** What the browser is not asked to take. */
  readonly refused: readonly RefusedTool[];
}

interface Presented {
  readonly bridge: ServerBridge;
  readonly atServer: string;
  readonly tool: Tool;
  /** By which it shall go in the browser. */
  readonly wanted: string;
}

/** What these servers offer now, by the names that it shall have in the browser. Of one name the first is taken. */
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
    // Browsers want a description.
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

/** A tool as the options want it: undefined where they do not. */
function present(offered: Tool, { filter, mapTool, limits }: ServerSetting): Tool | undefined {
  if (filter && !filter(structuredClone(offered))) return undefined;
  const copy = structuredClone(offered);
  if (!mapTool) return copy;
  // As JSON, which it is to the browser, too; what cannot be JSON throws.
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

// The offer for the agents of one principal: the offers of all its tabs as one, each item under a unique name.
import type { JsonObject, Offer, Prompt, Tool } from "../wire/index.ts";
import { isJsonObject } from "../wire/index.ts";
import { builtInTools } from "./built-in-tools.ts";
import type { ExposedResources } from "./exposed-resources.ts";
import type { Group } from "./types.ts";
import type { SharedOffer } from "./offers.ts";
import { tellApart } from "./tell-apart.ts";
import type { Variant } from "./tell-apart.ts";

/** An item as agents see it, and the groups of tabs that have it. */
export interface Exposed<Item> extends Variant<Item> {
  readonly groups: readonly Group[];
}

export interface Exposure extends Pick<ExposedResources, "findResource" | "listedUri"> {
  readonly tools: ReadonlyMap<string, Exposed<Tool>>;
  readonly prompts: ReadonlyMap<string, Exposed<Prompt>>;
  /** The list for agents: built-in tools first, in an order that does not depend on the order of arrival. */
  readonly offer: Offer;
}

/** The combined offer of these groups of tabs. */
export function expose(
  groups: readonly Group[],
  exposed: ExposedResources,
  builtIn: readonly Tool[] = builtInTools,
): Exposure {
  const tools = tellApart(variants(groups, (offer) => offer.tools));
  const prompts = tellApart(variants(groups, (offer) => offer.prompts));
  const { resources, resourceTemplates, findResource, listedUri } = exposed;
  return {
    tools,
    prompts,
    findResource,
    listedUri,
    offer: {
      tools: [...builtIn, ...sorted(tools).map(([name, tool]) => ({ ...shownTool(tool), name }))],
      prompts: sorted(prompts).map(([name, { item }]) => ({ ...item, name })),
      resources,
      resourceTemplates,
    },
  };
}

function variants<Item extends object>(
  groups: readonly Group[],
  itemsOf: (offer: SharedOffer) => ReadonlyMap<string, Item>,
): readonly Exposed<Item>[] {
  const found = new Map<string, Map<Item, Exposed<Item> & { groups: Group[] }>>();
  for (const group of groups) {
    const app = `${group.origin} ${group.app}`;
    const known = found.get(app) ?? new Map<Item, Exposed<Item> & { groups: Group[] }>();
    found.set(app, known);
    for (const [name, item] of itemsOf(group.offer)) {
      const variant = known.get(item);
      if (variant) variant.groups.push(group);
      else known.set(item, { name, origin: group.origin, app: group.app, item, groups: [group] });
    }
  }
  return [...found.values()].flatMap((known) => [...known.values()]);
}

function sorted<Value>(named: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...named].sort(([one], [other]) => (one < other ? -1 : 1));
}

const tabIdSchema = {
  type: "string",
  description: "Optional: Target specific tab by ID. If not provided, uses the currently focused tab.",
} as const;

const elsewhere = [
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "not",
  "dependentSchemas",
  "patternProperties",
];

/** Whether a call may name its tab with a `tabId` among the tool's arguments. */
export function takesTabId(tool: Tool): boolean {
  const { properties } = tool.inputSchema;
  if (isJsonObject(properties) && "tabId" in properties) return false;
  // Properties that are described elsewhere may include a tabId of the tool's own.
  return !elsewhere.some((keyword) => keyword in tool.inputSchema);
}

/** A tool of one tab does not list a tabId, but accepts it. */
function shownTool({ item: tool, groups }: Exposed<Tool>): Tool {
  const isInMany = groups.reduce((tabs, { size }) => tabs + size, 0) > 1;
  if (!isInMany || !takesTabId(tool)) return tool;
  const properties = tool.inputSchema["properties"];
  const given: JsonObject = isJsonObject(properties) ? properties : {};
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...given, tabId: tabIdSchema } } };
}

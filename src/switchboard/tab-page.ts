// Pagination of the list of tabs: a principal may have thousands.
import { PagewireError } from "../wire/index.ts";
import type { Json, JsonObject, Tool } from "../wire/index.ts";
import { builtInTools } from "./built-in-tools.ts";
import type { Tab } from "./types.ts";

export interface TabQuery {
  /** Max number of tabs; 100 by default. */
  readonly size?: number | undefined;
  /** The end of the previous page. */
  readonly cursor?: Json | undefined;
  /** A text in a tab's app, title or address, or in the name of one of its tools; not case-sensitive. */
  readonly search?: Json | undefined;
}

export interface TabPage<Item> {
  readonly tabs: readonly Item[];
  /** Set if there are more: the total on all pages, and the cursor of the next page. */
  readonly more?: { readonly total: number; readonly nextCursor: string };
}

/** Returns one page of these tabs, which are sorted by their places. */
export type PageOfTabs = (tabs: readonly Tab[], active: Tab | undefined, query: TabQuery) => TabPage<Tab>;

/** Increases with every new tab. A page ends at a place, so the cursor stays valid when tabs leave. */
const places = new WeakMap<Tab, number>();
let lastPlace = 0;

function placeOf(tab: Tab | undefined): number {
  return (tab && places.get(tab)) ?? 0;
}

export const pageOfTabs: PageOfTabs = (tabs, active, { size = 100, cursor, search = "" }) => {
  if (typeof search !== "string") throw wrong("/search must be a string");
  if (cursor !== undefined && typeof cursor !== "string") throw wrong("/cursor must be a string");
  for (const tab of tabs) if (!places.has(tab)) places.set(tab, ++lastPlace);
  const found = search === "" ? tabs : tabs.filter(matcher(search));
  const total = found.length;
  if (cursor === undefined && total <= size) return { tabs: found };
  // The active tab comes first on the first page. Later pages have its place: another tab may be active by then.
  const { after, first } = cursor === undefined ? { after: 0, first: placeOf(active) } : parseCursor(cursor);
  const head = cursor === undefined && active && found.includes(active) ? [active] : [];
  const left = found.filter((tab) => placeOf(tab) > after && placeOf(tab) !== first);
  const listed = left.slice(0, size - head.length);
  const last = placeOf(listed.at(-1)) || after;
  const isLast = listed.length === left.length;
  return { tabs: [...head, ...listed], ...(!isLast && { more: { total, nextCursor: `${last}.${first}` } }) };
};

function wrong(problem: string): PagewireError {
  return new PagewireError("input-invalid", `The list of tabs refused its input: ${problem}.`);
}

function parseCursor(cursor: string): { readonly after: number; readonly first: number } {
  const [, after, first] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (after !== undefined) return { after: Number(after), first: Number(first) };
  throw wrong("/cursor is not one of this list; ask without it, from the start");
}

function matcher(search: string): (tab: Tab) => boolean {
  const wanted = search.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  const offers = new Map<Tab["offer"], boolean>();
  const offersIt = ({ offer }: Tab) => {
    const known = offers.get(offer) ?? [...(offer?.tools.keys() ?? [])].some(has);
    offers.set(offer, known);
    return known;
  };
  return (tab) => has(tab.app) || has(tab.title) || has(tab.url) || offersIt(tab);
}

const text = { type: "string" } as const;
const asksForPages: { readonly [name: string]: JsonObject } = {
  list_browser_tabs: { search: text, cursor: text },
  list_tab_tools: { cursor: text },
};

/** The built-in tools, with the arguments for pagination. */
export const pagedTools: readonly Tool[] = builtInTools.map((tool) => {
  const properties = { ...(tool.inputSchema["properties"] as JsonObject), ...asksForPages[tool.name] };
  return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
});

/** The tools of each tab; tabs of one app with equal offers list them once. */
export function toolsOnce(listing: readonly JsonObject[]): readonly JsonObject[] {
  const firsts = new Map<string, Json>();
  return listing.map(({ tabId = "", tools = [], ...app }) => {
    const text = JSON.stringify([app, tools]);
    const sameToolsAs = firsts.get(text);
    if (sameToolsAs === undefined) firsts.set(text, tabId);
    return { tabId, ...app, ...(sameToolsAs === undefined ? { tools } : { sameToolsAs }) };
  });
}

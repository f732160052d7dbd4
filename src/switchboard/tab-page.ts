// The list of tabs, a page at a time: a principal may have thousands.
import { PagewireError, plainUrl } from "../wire/index.ts";
import type { Tab } from "./model.ts";

/** Which tabs are asked for. */
export interface TabQuery {
  /** How many at most. */
  readonly size: number;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
  /** A text in the app, title or address of each, or in the name of one of its tools; case makes no difference. */
  readonly search?: string | undefined;
}

export interface TabPage<Item> {
  readonly tabs: readonly Item[];
  /** How many there are on all pages. */
  readonly total: number;
  /** Set where there are more. */
  readonly nextCursor?: string;
}

/** One page of these tabs, which come in the order of their places. */
export function pageOfTabs(tabs: Iterable<Tab>, active: Tab | undefined, query: TabQuery): TabPage<Tab> {
  const { size, cursor, search = "" } = query;
  const found = search === "" ? [...tabs] : [...tabs].filter(matcher(search));
  const total = found.length;
  if (cursor === undefined && total <= size) return { tabs: found, total };
  // The active tab leads the first page. Later pages know it by its place: another may be active by then.
  const { after, first } = cursor === undefined ? { after: 0, first: active?.place ?? 0 } : parseCursor(cursor);
  const head = cursor === undefined && active && found.includes(active) ? [active] : [];
  const left = found.filter(({ place }) => place > after && place !== first);
  const listed = left.slice(0, size - head.length);
  const last = listed.at(-1)?.place ?? after;
  const isLast = listed.length === left.length;
  return { tabs: [...head, ...listed], total, ...(isLast ? {} : { nextCursor: `${last}.${first}` }) };
}

function parseCursor(cursor: string): { readonly after: number; readonly first: number } {
  const [, after, first] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (after !== undefined) return { after: Number(after), first: Number(first) };
  throw new PagewireError("input-invalid", "The cursor is not one of this list. Ask without it, from the start.");
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
  return (tab) => has(tab.app) || has(tab.title) || has(plainUrl(tab.url)) || offersIt(tab);
}

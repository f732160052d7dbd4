import { PagewireError, parseJson } from "../wire/index.ts";

/** One page of a list, with the cursor of the next one, if any. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

export interface ListPageOptions<Item> {
  /** The max number of items per page. */
  readonly size: number;
  /** The key of an item, unique in its list. */
  readonly nameOf: (item: Item) => string;
}

/**
 * The index at which a cursor's page starts; zero without a cursor. A list may start with a few permanent items; all
 * others are sorted by name. It may change between two pages: an item that is there all the time is listed once.
 */
export function startOf<Item>(
  list: readonly Item[],
  cursor: string | undefined,
  nameOf: (item: Item) => string,
): number {
  return cursor === undefined ? 0 : startAfter(list.map(nameOf), readCursor(cursor));
}

export function pageFrom<Item>(
  list: readonly Item[],
  start: number,
  { size, nameOf }: ListPageOptions<Item>,
): ListPage<Item> {
  const end = start + Math.max(1, size);
  const items = list.slice(start, end);
  return end < list.length ? { items, nextCursor: writeCursor(list.slice(0, end).map(nameOf)) } : { items };
}

/** The end of a page: the last listed name, and the number of names up to the last one that is out of order. */
interface Ended {
  readonly name: string;
  readonly outOfOrder: number;
}

function startAfter(names: readonly string[], { name, outOfOrder }: Ended): number {
  const at = names.indexOf(name);
  if (at >= 0) return at + 1;
  // Its item is gone, so it was a sorted one; but an item from the unsorted start may have a greater name.
  const next = names.findIndex((other, index) => index >= outOfOrder && other > name);
  return next < 0 ? names.length : next;
}

function writeCursor(listed: readonly string[]): string {
  const name = listed.at(-1) ?? "";
  const outOfOrder = listed.findLastIndex((other) => other > name) + 1;
  return toBase64Url(JSON.stringify([name, outOfOrder]));
}

/** A forged cursor is harmless: it only selects some position in the client's own list. */
function readCursor(cursor: string): Ended {
  const value = parseJson(fromBase64Url(cursor), 1);
  const [name, outOfOrder] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof name === "string" && typeof outOfOrder === "number") return { name, outOfOrder };
  throw new PagewireError(
    "request-malformed",
    "The cursor is not one that this hub gave. Ask for the list without a cursor, from its start.",
  );
}

function toBase64Url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The text of a cursor; empty if it was not written here. */
function fromBase64Url(encoded: string): string {
  try {
    const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
    return toBase64Url(text) === encoded ? text : "";
  } catch {
    // Not Base64.
    return "";
  }
}

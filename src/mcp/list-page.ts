import { PagewireError, parseJson } from "../wire/index.ts";

/** One page of a list, and where the next one begins if there is one. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

export interface ListPageOptions<Item> {
  /** How many items a page holds. */
  readonly size: number;
  /** What tells an item from all others of its list. */
  readonly nameOf: (item: Item) => string;
}

/**
 * Where the part of a list begins that a cursor stands for; without one, its start. The list may have a few items first
 * that are always there; all others come sorted by name. Between two pages it may change: what was there all the time is
 * listed once.
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

/** Where a page ended: the name that was listed last, and how many of the names before it cannot come by their order. */
interface Ended {
  readonly name: string;
  readonly outOfOrder: number;
}

function startAfter(names: readonly string[], { name, outOfOrder }: Ended): number {
  const at = names.indexOf(name);
  if (at >= 0) return at + 1;
  // Its item is gone, so it was one of the sorted ones; of those at the start, some may have a greater name all the same.
  const next = names.findIndex((other, index) => index >= outOfOrder && other > name);
  return next < 0 ? names.length : next;
}

function writeCursor(listed: readonly string[]): string {
  const name = listed.at(-1) ?? "";
  const outOfOrder = listed.findLastIndex((other) => other > name) + 1;
  return toBase64Url(JSON.stringify([name, outOfOrder]));
}

/** A cursor that was made up is harmless: whatever it says, it begins somewhere in the caller's own list. */
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

/** The text of a cursor; empty where it is none that was written here. */
function fromBase64Url(encoded: string): string {
  try {
    const bytes = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
    return toBase64Url(text) === encoded ? text : "";
  } catch {
    // Not in the alphabet of Base64.
    return "";
  }
}

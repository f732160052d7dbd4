// Lists of offered items, as JSON that is cached for all clients with the same view.
import type { AgentSession } from "../switchboard/index.ts";
import { isJsonObject, PagewireError, parseJson } from "../wire/index.ts";
import type { JsonObject, Json, Limits, Offer, Tool } from "../wire/index.ts";
import type { Exchange, Peer } from "./engine.ts";
import { readableItem } from "./readable-item.ts";
import { uncached, wrong } from "./messages.ts";
import type { ServerWords } from "./messages.ts";

export interface ListPeer {
  readonly server: ServerWords;
  readonly limits: Pick<Limits, "listItems">;
}

/** Answers a request for one page of a list. */
export function serveList(kind: keyof Offer, { request, peer, reply }: Exchange, options: ListPeer): void {
  const { cursor } = request.params;
  if (cursor !== undefined && typeof cursor !== "string") throw wrong("cursor", "a string");
  const given = offerIn(peer.agent, peer.tab);
  const offer = peer.fit?.(given) ?? given;
  const pages = pagesOf(offer);
  // Cached by position, not by cursor: clients can make up cursors of any size.
  const start = startOf<Item>(offer[kind], cursor, idOf);
  const of = peer.tab === undefined ? "" : peer.agent.originOf(peer.tab);
  // Tabs of several origins may share an offer.
  const key = `${kind} ${formOf(peer)} ${start} ${of}`;
  let page = pages.get(key);
  if (page === undefined) {
    page = encoder.encode(JSON.stringify(pageAt(kind, offer, { start, peer, ...options })));
    if (pages.size >= maxPages) pages.clear();
    pages.set(key, page);
  }
  const { lists } = peer;
  if (lists && kind === "tools" && start + options.limits.listItems >= offer.tools.length) {
    const received = lists.listed();
    reply.gone = (isRead) => isRead && received();
  }
  if (!reply.text?.(page)) reply.result(JSON.parse(decoder.decode(page)) as JsonObject);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const maxPages = 64;
const pagesOfOffer = new WeakMap<Offer, Map<string, Uint8Array>>();

function pagesOf(offer: Offer): Map<string, Uint8Array> {
  let pages = pagesOfOffer.get(offer);
  if (!pages) pagesOfOffer.set(offer, (pages = new Map()));
  return pages;
}

/** The agent's items, in order; throws a named error if its tab is gone. */
export function offerIn(agent: AgentSession, tab: string | undefined): Offer {
  if (tab === undefined) return agent.offer();
  const offer = agent.tabOffer(tab);
  let sorted = sortedOffers.get(offer);
  if (!sorted) sortedOffers.set(offer, (sorted = inOrder(offer)));
  return sorted;
}

const sortedOffers = new WeakMap<Offer, Offer>();

interface Item {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** The key that is unique in a list. */
function idOf({ uri, uriTemplate, name }: Item): string {
  return uri ?? uriTemplate ?? name;
}

function inOrder({ tools, prompts, resources, resourceTemplates }: Offer): Offer {
  const sorted = <Some extends Item>(items: readonly Some[]) =>
    items.toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return {
    tools: sorted(tools),
    prompts: sorted(prompts),
    resources: sorted(resources),
    resourceTemplates: sorted(resourceTemplates),
  };
}

interface PageOptions extends ListPeer {
  readonly start: number;
  readonly peer: Peer;
}

function pageAt(kind: keyof Offer, offer: Offer, { start, peer, server, limits }: PageOptions): JsonObject {
  const { items, nextCursor } = pageFrom<Item>(offer[kind], start, { size: limits.listItems, nameOf: idOf });
  const list = items.map((item) => inForm(kind, withOrigin(kind, readableItem(kind, item), peer), formOf(peer)));
  const page = nextCursor === undefined ? { [kind]: list } : { [kind]: list, nextCursor };
  return peer.isNewest ? uncached(page, server) : page;
}

/** The `_meta` key of a tool's origin. A page cannot set it. */
const originMark = "pagewire/origin";

/** Adds the page's origin: in `_meta`, and in the title where the tool could be mistaken for another page's. */
function withOrigin(kind: keyof Offer, item: JsonObject, { agent, tab }: Peer): JsonObject {
  const { name = "", title, annotations, _meta } = item as JsonObject & Readonly<Partial<Tool>>;
  const { [originMark]: said, ...meta } = isJsonObject(_meta) ? _meta : {};
  const found = kind === "tools" ? agent.sourceOf(name) : undefined;
  const source = tab === undefined || kind !== "tools" ? found : { origin: agent.originOf(tab), name };
  if (!source?.origin) return said === undefined ? item : { ...item, _meta: meta };
  const marked = { ...item, _meta: { ...meta, [originMark]: source.origin } };
  const called = title ?? annotations?.title ?? source.name;
  return source.name === name && !called.includes("://")
    ? marked
    : { ...marked, title: `${called} (${source.origin})` };
}

/** How tools are listed: without output schemas, with object schemas only, or as their page defines them. */
type Form = "bare" | "older" | "newest";

function formOf({ isNewest, hasOutput = true }: Peer): Form {
  if (isNewest) return "newest";
  return hasOutput ? "older" : "bare";
}

function inForm(kind: keyof Offer, item: JsonObject, form: Form): JsonObject {
  if (kind !== "tools") return item;
  const { execution, outputSchema, ...bare } = item;
  if (form === "newest") return outputSchema === undefined ? bare : { ...bare, outputSchema };
  const older = execution === undefined ? bare : { ...bare, execution };
  if (form === "bare" || outputSchema === undefined) return older;
  return { ...older, outputSchema: isWrapped(item) ? wrapped(outputSchema as JsonObject) : outputSchema };
}

/** Whether a tool's result is wrapped in an object for older clients. */
export function isWrapped(item: JsonObject): boolean {
  const { outputSchema } = item;
  return isJsonObject(outputSchema) && outputSchema["type"] !== "object";
}

function wrapped({ $schema, ...schema }: JsonObject): JsonObject {
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { result: moved($schema === undefined ? schema : { $schema, ...schema }, false) },
    required: ["result"],
  };
}

const values: readonly string[] = ["const", "enum", "default", "examples"];
const maps: readonly string[] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const references: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Moves a schema below `result`, and rewrites its local references. */
function moved(schema: Json, isMap: boolean): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => moved(one, false));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([word, value]): [string, Json] => {
    if (!isMap && values.includes(word)) return [word, value];
    const isReference = !isMap && references.includes(word) && typeof value === "string";
    if (!isReference) return [word, moved(value, !isMap && maps.includes(word))];
    const isLocal = value === "#" || value.startsWith("#/");
    return [word === "$recursiveRef" ? "$ref" : word, isLocal ? `#/properties/result${value.slice(1)}` : value];
  });
  return Object.fromEntries(entries);
}

/** One page of a list, with the cursor of the next one, if any. */
interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

interface ListPageOptions<Item> {
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

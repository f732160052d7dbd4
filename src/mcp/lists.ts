// Lists of offered items, as JSON that is cached for all clients with the same view.
import type { AgentSession } from "../switchboard/index.ts";
import type { JsonObject, Json, Limits, Offer, Tool } from "../wire/index.ts";
import { isJsonObject } from "../wire/index.ts";
import type { Exchange, Peer } from "./engine.ts";
import { pageFrom, startOf } from "./list-page.ts";
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
  const offer = offerIn(peer.agent, peer.tab);
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

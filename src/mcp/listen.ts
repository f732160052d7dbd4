// Streams of notifications: changed lists, and in a hub also updated resources.
import type { AgentSession } from "../switchboard/index.ts";
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { JsonObject, Offer } from "../wire/index.ts";
import type { Reply } from "./engine.ts";
import { complete, subscriptionMark, wrong } from "./messages.ts";
import type { Request, ServerWords } from "./messages.ts";
import { offerIn } from "./lists.ts";

/** The lists whose changes a client can subscribe to, by capability. */
const filters = {
  toolsListChanged: "tools",
  promptsListChanged: "prompts",
  resourcesListChanged: "resources",
} as const;

type ListKind = (typeof filters)[keyof typeof filters];

/** Reports which lists changed; ends when the agent is closed. */
export function watchLists(agent: AgentSession, read: () => Offer, onList: (list: ListKind) => void): void {
  let seen = read();
  let texts = textsOf(seen);
  agent.onChange(() => {
    const offer = read();
    if (offer === seen) return;
    seen = offer;
    const before = texts;
    texts = textsOf(offer);
    for (const kind of Object.values(filters)) if (texts[kind] !== before[kind]) onList(kind);
  });
}

const textsOfOffer = new WeakMap<Offer, Record<ListKind, string>>();

/** Sessions of a principal share an offer, so its JSON is cached. */
function textsOf(offer: Offer): Record<ListKind, string> {
  const { tools, prompts, resources, resourceTemplates } = offer;
  const texts = textsOfOffer.get(offer) ?? {
    tools: JSON.stringify(tools),
    prompts: JSON.stringify(prompts),
    resources: JSON.stringify([resources, resourceTemplates]),
  };
  textsOfOffer.set(offer, texts);
  return texts;
}

/** The lists that a `subscriptions/listen` asks for; throws an RpcError if it is malformed. */
export function parseListen({ notifications }: JsonObject, capabilities: JsonObject): JsonObject {
  if (!isJsonObject(notifications)) throw wrong("notifications", "an object");
  const honored: Record<string, true> = {};
  for (const [name, list] of Object.entries(filters)) {
    const { [name]: wanted = false } = notifications;
    if (typeof wanted !== "boolean") throw wrong(`notifications.${name}`, "true or false");
    if (wanted && capabilities[list]) honored[name] = true;
  }
  return honored;
}

interface ListenOptions {
  readonly honored: JsonObject;
  /** An agent for this stream only, which is closed with it. */
  readonly agent: AgentSession;
  readonly read: () => Offer;
  readonly reply: Reply;
  readonly server: ServerWords;
}

/** Serves a `subscriptions/listen`; returns a function that ends the stream with the result of its request. */
export function listen({ id }: Request, { honored, agent, read, reply, server }: ListenOptions): () => void {
  const mark = subscriptionMark(id);
  const end = () => reply.result(complete(mark, server));
  reply.notify("notifications/subscriptions/acknowledged", { notifications: honored, ...mark });
  watchLists(agent, read, (list) => {
    if (honored[`${list}ListChanged`]) reply.notify(`notifications/${list}/list_changed`, mark);
  });
  reply.gone = agent.close;
  if (Object.keys(honored).length === 0) end();
  return end;
}

/** Reads an agent's offer; of one tab, if given. */
export function readerOf(agent: AgentSession, tab: string | undefined): () => Offer {
  if (tab === undefined) return agent.offer;
  return () => {
    try {
      return offerIn(agent, tab);
    } catch (error) {
      if (PagewireError.isInstance(error)) return nothing;
      throw error;
    }
  };
}

const nothing: Offer = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

interface Followed {
  readonly uris: ReadonlySet<string>;
  readonly tab: string | undefined;
}

/** Reports updates of subscribed resources, of one tab if given; ends when the agent is closed. */
export function watchUpdates(agent: AgentSession, { uris, tab }: Followed, onUpdate: (uri: string) => void): void {
  agent.onUpdate((uri, tabId) => {
    if (uris.has(uri) && (tab === undefined || tab === tabId)) onUpdate(uri);
  });
}

/** The resources that a `subscriptions/listen` asks for; throws an RpcError if it is malformed. */
export function parseFollowed({ notifications }: JsonObject): readonly string[] {
  const { resourceSubscriptions: followed = [] } = notifications as JsonObject;
  const areUris = Array.isArray(followed) && followed.every((uri: unknown) => typeof uri === "string");
  if (!areUris) throw wrong("notifications.resourceSubscriptions", "a list of strings");
  return followed;
}

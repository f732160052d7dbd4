// Streams of news: which lists are different, and which resources have new contents.
import type { AgentSession } from "../switchboard/index.ts";
import { PagewireError, isJsonObject } from "../wire/index.ts";
import type { JsonObject, Offer } from "../wire/index.ts";
import type { Reply } from "./engine.ts";
import { complete, subscriptionMark, wrong } from "./messages.ts";
import type { Request, ServerWords } from "./messages.ts";
import { offerIn } from "./lists.ts";

export interface Watching {
  readonly agent: AgentSession;
  readonly tab: string | undefined;
  readonly onList: (list: ListKind) => void;
  readonly onUpdate: (uri: string) => void;
}

const nothing: Offer = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

/** Tells of all that is new for an agent, at a tab's address of that tab alone; ends when the agent is closed. */
export function watch({ agent, tab, onList, onUpdate }: Watching): void {
  const read = () => {
    try {
      return offerIn(agent, tab);
    } catch (error) {
      if (PagewireError.isInstance(error)) return nothing;
      throw error;
    }
  };
  watchOffer(agent, read, onList);
  agent.onUpdate((uri, tabId) => {
    if (tab === undefined || tab === tabId) onUpdate(uri);
  });
}

const filters = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const satisfies Record<ListKind, string>;

/** What a `subscriptions/listen` asks to be told of; throws where that has the wrong form. */
export function parseListen({ notifications }: JsonObject): JsonObject {
  if (!isJsonObject(notifications)) throw wrong("notifications", "an object");
  const honored: Record<string, JsonObject[string]> = {};
  for (const name of Object.values(filters)) {
    const { [name]: wanted = false } = notifications;
    if (typeof wanted !== "boolean") throw wrong(`notifications.${name}`, "true or false");
    if (wanted) honored[name] = true;
  }
  const { resourceSubscriptions: followed = [] } = notifications;
  const areUris = Array.isArray(followed) && followed.every((uri: unknown) => typeof uri === "string");
  if (!areUris) throw wrong("notifications.resourceSubscriptions", "a list of strings");
  return followed.length > 0 ? { ...honored, resourceSubscriptions: followed } : honored;
}

/** Serves a stream of news of 2026-07-28; returns a function that ends it with the result of its request. */
export function listen({ id }: Request, { honored, agent, tab, reply, server }: ListenOptions): () => void {
  const mark = subscriptionMark(id);
  const end = () => reply.result(complete(mark, server));
  reply.notify("notifications/subscriptions/acknowledged", { notifications: honored, ...mark });
  const followed = new Set((honored["resourceSubscriptions"] ?? []) as readonly string[]);
  watch({
    agent,
    tab,
    onList(list) {
      if (honored[filters[list]]) reply.notify(`notifications/${list}/list_changed`, mark);
    },
    onUpdate(uri) {
      if (followed.has(uri)) reply.notify("notifications/resources/updated", { uri, ...mark });
    },
  });
  reply.gone = agent.close;
  if (Object.keys(honored).length === 0) end();
  return end;
}

interface ListenOptions {
  readonly honored: JsonObject;
  /** An agent of its own, which is closed when the stream ends. */
  readonly agent: AgentSession;
  readonly tab: string | undefined;
  readonly reply: Reply;
  readonly server: ServerWords;
}

/** A list that MCP clients are told of when it changes. */
type ListKind = "tools" | "prompts" | "resources";

const kinds = ["tools", "prompts", "resources"] as const;

/** Tells which lists of what is read differ from before; returns a function that stops it. */
function watchOffer(agent: AgentSession, read: () => Offer, onChanged: (list: ListKind) => void): () => void {
  let seen = read();
  let texts = textsOf(seen);
  return agent.onChange(() => {
    const offer = read();
    if (offer === seen) return;
    seen = offer;
    const before = texts;
    texts = textsOf(offer);
    for (const kind of kinds) if (texts[kind] !== before[kind]) onChanged(kind);
  });
}

const textsOfOffer = new WeakMap<Offer, Record<ListKind, string>>();

/** Every session of a principal looks at the same offer, which is written out once. */
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

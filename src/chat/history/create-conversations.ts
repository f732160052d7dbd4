// Past conversations: those that a hub stores, or where the core is in the page, those that the page keeps itself.
import type { DraftStorage } from "../model/drafts.ts";
import type { TalkAgent } from "../talk-agent.ts";
import { parseConversations } from "./conversations.ts";
import type { Conversations } from "./conversations.ts";
import { configuredStorage, createLocalConversations } from "./local-conversations.ts";

export interface ConversationsOptions {
  /** Another conversation is about to be shown. */
  readonly onLeave?: () => void;
  /** For those of a core in the page; by default as the elements are configured. */
  readonly storage?: DraftStorage;
}

/** The conversations of an agent, wherever its core is. */
export function createConversations(
  agent: TalkAgent,
  { onLeave = () => {}, storage = configuredStorage() }: ConversationsOptions = {},
): Conversations & { close(): void } {
  const local = createLocalConversations(agent, storage);
  const hubs = createHubConversations(agent, storage);
  const there = () => (agent.connection === "local" ? local : hubs);
  return {
    get current() {
      return there().current;
    },
    list: () => there().list(),
    remove: (id) => there().remove(id),
    open(id) {
      onLeave();
      there().open(id);
    },
    begin() {
      onLeave();
      there().begin();
    },
    close() {
      local.close();
      hubs.close();
    },
  };
}

function createHubConversations(agent: TalkAgent, storage: DraftStorage): Conversations & { close(): void } {
  const held = createHeldIds(storage, `pagewire.held ${agent.id}`);
  const left = new AbortController();
  const hold = () => {
    const { connection, conversation, messages } = agent;
    if (connection !== "local" && conversation !== null && messages.length > 0) held.add(conversation);
  };
  for (const change of ["messages", "conversation"])
    agent.addEventListener(`ai-agent:${change}-changed`, hold, { signal: left.signal });
  return {
    close: () => left.abort(),
    get current() {
      return agent.conversation;
    },
    list: async () => parseConversations({ conversations: await agent.invoke("listConversations", held.all()) }),
    async remove(id) {
      await agent.invoke("deleteConversation", id);
    },
    open(id) {
      agent.conversation = id;
    },
    begin() {
      agent.conversation = null;
    },
  };
}

/** Max conversations that are found again: the oldest are forgotten. */
const mostHeld = 200;

/** A hub that cannot tell its pages' users apart lists only the conversations whose ids a page holds. */
function createHeldIds(storage: DraftStorage, key: string) {
  /** For a storage that is full. */
  let here: readonly string[] = [];

  /** Read each time: other tabs may have the same storage. */
  function all(): readonly string[] {
    try {
      const stored: unknown = JSON.parse(storage.getItem(key) ?? "[]");
      const read = Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
      return [...new Set([...here, ...read])].slice(0, mostHeld);
    } catch {
      return here;
    }
  }

  return {
    all,
    add(id: string) {
      if (here[0] === id) return;
      here = [...new Set([id, ...here])].slice(0, mostHeld);
      try {
        storage.setItem(key, JSON.stringify(all()));
      } catch {
        // They are found again as long as the page lasts.
      }
    },
  };
}

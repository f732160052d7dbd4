// The conversations of a core in the page. They stay for this tab, for this browser, or as long as the page, as the
// elements' `keepConversation` says. A long one that does not fit lasts as long as the page.
import { getConfig } from "../../element/index.ts";
import type { AiMessage } from "../../element/index.ts";
import { memoryStorage } from "../model/drafts.ts";
import type { DraftStorage } from "../model/drafts.ts";
import { promptOf } from "../model/prompt.ts";
import type { TalkAgent } from "../talk-agent.ts";
import type { ConversationEntry, Conversations } from "./conversations.ts";

/** Max conversations, and their max total size in characters: the oldest are forgotten. */
const mostKept = 50;
const mostCharacters = 2_000_000;
/** Max conversations that are too large for the storage. */
const mostLarge = 5;
const longestTitle = 80;

interface Kept extends ConversationEntry {
  readonly messages: readonly AiMessage[];
}

export function createLocalConversations(
  agent: TalkAgent,
  storage: DraftStorage = configuredStorage(),
): Conversations & { close(): void } {
  const shelf = createShelf(storage, `pagewire.conversations ${agent.id}`);
  const left = new AbortController();
  let current: string | null = null;
  /** The first message's id: another first message is another conversation. */
  let first: string | undefined;
  let isAnswering = false;
  /** The first message's id as the answer began: another one than `first` where the first question was edited. */
  let asked: string | undefined;
  /** The messages as they are kept. */
  let text = "";

  function become(id: string | null, messages: readonly AiMessage[]): void {
    [current, first, text] = [id, messages[0]?.id, JSON.stringify(messages)];
  }

  function keep(): void {
    const { messages } = agent;
    if (agent.connection !== "local" || messages.length === 0 || JSON.stringify(messages) === text) return;
    const id = current ?? crypto.getRandomValues(new Uint32Array(4)).join("-");
    become(id, messages);
    shelf.put({ id, title: titleOf(messages), changedAt: Date.now(), messages });
  }

  /** Between answers: what a page puts there is no conversation before it is answered. */
  function follow(): void {
    if (isAnswering) return;
    if (current !== null && agent.messages[0]?.id !== first) become(null, []);
    if (current !== null) keep();
  }

  const { signal } = left;
  agent.addEventListener("ai-agent:messages-changed", follow, { signal });
  agent.addEventListener(
    "ai-agent:loading-changed",
    () => {
      const id = agent.messages[0]?.id;
      isAnswering = agent.loading;
      if (isAnswering) asked = id;
      else {
        if (id !== asked && id !== first) become(null, []);
        keep();
      }
    },
    { signal },
  );

  return {
    get current() {
      return current;
    },
    list: async () => shelf.all().map(({ id, title, changedAt }) => ({ id, title, changedAt })),
    async remove(id) {
      // The end of an answer would be kept again.
      if (id === current) agent.abort();
      shelf.remove(id);
      if (id === current) become(null, []);
    },
    open(id) {
      const found = shelf.all().find((one) => one.id === id);
      if (!found || id === current) return;
      agent.abort();
      become(id, found.messages);
      try {
        agent.messages = [...found.messages];
      } catch {
        // Another script wrote what no conversation is.
        shelf.remove(id);
      }
    },
    begin() {
      agent.abort();
      become(null, []);
      agent.messages = [];
    },
    close: () => left.abort(),
  };
}

interface Shelf {
  /** The most recently changed first. */
  all(): readonly Kept[];
  put(one: Kept): void;
  remove(id: string): void;
}

function createShelf(storage: DraftStorage, key: string): Shelf {
  let large: readonly Kept[] = [];

  /** Read each time: other tabs and elements may have the same storage. */
  function stored(): readonly Kept[] {
    try {
      const read: unknown = JSON.parse(storage.getItem(key) ?? "[]");
      return Array.isArray(read) ? read.filter(isKept) : [];
    } catch {
      return [];
    }
  }

  function store(list: readonly Kept[]): boolean {
    try {
      if (list.length === 0) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(list));
      return true;
    } catch {
      return false;
    }
  }

  function remove(id: string): readonly Kept[] {
    large = others(large, [{ id }]);
    return others(stored(), [{ id }]);
  }

  return {
    all: () => [...large, ...others(stored(), large)].toSorted((one, other) => other.changedAt - one.changedAt),
    put(one) {
      const rest = remove(one.id);
      let list = sizeOf(one) <= mostCharacters ? fitting([one, ...rest]) : [];
      while (list.length > 0 && !store(list)) list = list.slice(0, -1);
      // Its stored version stays, for the next page.
      if (list.length === 0) large = [one, ...large].slice(0, mostLarge);
    },
    remove: (id) => void store(remove(id)),
  };
}

function others(list: readonly Kept[], without: readonly Pick<Kept, "id">[]): readonly Kept[] {
  return list.filter(({ id }) => !without.some((one) => one.id === id));
}

function fitting(list: readonly Kept[]): readonly Kept[] {
  let size = 0;
  return list.slice(0, mostKept).filter((one) => (size += sizeOf(one)) <= mostCharacters);
}

function sizeOf(one: Kept): number {
  return JSON.stringify(one).length;
}

function isKept(value: unknown): value is Kept {
  const { id, title, changedAt, messages } = Object(value) as Record<string, unknown>;
  return typeof id === "string" && typeof title === "string" && Number.isFinite(changedAt) && Array.isArray(messages);
}

function titleOf(messages: readonly AiMessage[]): string {
  const asked = messages.find(({ role }) => role === "user");
  const { text: said, files = [] } = promptOf(asked?.content ?? "");
  const text = [said, ...files.map(({ name }) => name)].join(" ").replaceAll(/\s+/g, " ").trim();
  return Array.from(text.slice(0, longestTitle * 2))
    .slice(0, longestTitle)
    .join("");
}

export function configuredStorage(): DraftStorage {
  const { keepConversation } = getConfig().remote;
  try {
    if (keepConversation === "session") return sessionStorage;
    if (keepConversation === "local") return localStorage;
  } catch {
    // The browser forbids it.
  }
  return memoryStorage();
}

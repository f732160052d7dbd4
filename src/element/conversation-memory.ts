import { getConfig } from "./config.ts";

/** Remembers which conversation an element had at an address, across reloads. */
export interface ConversationMemory {
  read(): string | undefined;
  write(conversation: string | undefined): void;
  /** Allows another element of the same name to use it. */
  release(): void;
}

/** Two elements without an id would overwrite each other's conversation. */
const taken = new Set<string>();

export function createConversationMemory(element: Element, url: URL): ConversationMemory {
  const key = `pagewire.conversation ${url.href} ${element.id}`;
  const isOurs = !taken.has(key);
  taken.add(key);

  function attempt<Value>(use: (storage: Storage) => Value): Value | undefined {
    const { keepConversation } = getConfig().remote;
    if (!isOurs || keepConversation === "none") return undefined;
    try {
      return use(keepConversation === "local" ? localStorage : sessionStorage);
    } catch {
      // Storage may be disabled: then the conversation lasts as long as the page.
      return undefined;
    }
  }

  return {
    read: () => attempt((storage) => storage.getItem(key)) ?? undefined,
    write(conversation) {
      attempt((storage) => (conversation === undefined ? storage.removeItem(key) : storage.setItem(key, conversation)));
    },
    release() {
      if (isOurs) taken.delete(key);
    },
  };
}

/** Whether the error means that the server no longer has the conversation. */
export function isForgotten(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === "conversation-not-found" || code === "PAGEWIRE_SESSION_UNKNOWN";
}

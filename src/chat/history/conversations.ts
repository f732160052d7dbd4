// Past conversations as they are listed.
/** One of them, in a list. */
export interface ConversationEntry {
  readonly id: string;
  /** The beginning of its first question. */
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** The source of a list of conversations. */
export interface ConversationSource {
  /** The id of the one that is shown; null for one without messages. */
  readonly current: string | null;
  /** The most recently changed first. */
  list(): Promise<readonly ConversationEntry[]>;
  remove(id: string): Promise<void>;
}

export interface Conversations extends ConversationSource {
  open(id: string): void;
  /** Begins one without messages. */
  begin(): void;
}

/** Parses a hub's list; entries that are not conversations are left out. */
export function parseConversations(value: unknown): readonly ConversationEntry[] {
  const { conversations } = Object(value) as { conversations?: unknown };
  return Array.isArray(conversations) ? conversations.filter(isEntry) : [];
}

function isEntry(value: unknown): value is ConversationEntry {
  const { id, title, changedAt } = Object(value) as Record<string, unknown>;
  return typeof id === "string" && id !== "" && typeof title === "string" && Number.isFinite(changedAt);
}

/** The entries whose titles have all of these words. */
export function searchTitles(entries: readonly ConversationEntry[], search: string): readonly ConversationEntry[] {
  const words = search.toLowerCase().split(/\s+/);
  return entries.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}

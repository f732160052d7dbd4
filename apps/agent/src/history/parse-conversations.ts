/** A conversation that the hub keeps. */
export interface ConversationEntry {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Reads the hub's list; what has not the form of a conversation is left out. */
export function parseConversations(value: unknown): readonly ConversationEntry[] {
  const { conversations } = Object(value) as { conversations?: unknown };
  return Array.isArray(conversations) ? conversations.filter(isEntry) : [];
}

function isEntry(value: unknown): value is ConversationEntry {
  const { id, title, changedAt } = Object(value) as Record<string, unknown>;
  return typeof id === "string" && id !== "" && typeof title === "string" && Number.isFinite(changedAt);
}

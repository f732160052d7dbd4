import type { PageTool } from "./page-tools.ts";

export interface Conversation {
  /** The origin of the page that opened the agent's window. */
  readonly parent: string | undefined;
  /** The origins whose text is in the conversation. */
  readonly writers: readonly string[];
  readonly tools: readonly Pick<PageTool, "origin">[];
}

/**
 * The origin that a conversation is about: the parent of its window; without a window, the only origin whose text it
 * contains; before it contains any, the only origin that offers tools. Undefined if there are several candidates.
 */
export function subjectOrigin({ parent, writers, tools }: Conversation): string | undefined {
  if (parent !== undefined) return parent;
  const origins = writers.length > 0 ? writers : [...new Set(tools.flatMap(({ origin }) => origin ?? []))];
  return origins.length === 1 ? origins[0] : undefined;
}

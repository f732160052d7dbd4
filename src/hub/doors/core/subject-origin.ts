import type { PageTool } from "./page-tools.ts";

export interface Conversation {
  /** The origin of the page whose agent's window it has. */
  readonly parent: string | undefined;
  /** The origins whose text it holds. */
  readonly writers: readonly string[];
  readonly tools: readonly Pick<PageTool, "origin">[];
}

/**
 * The origin that a conversation is about: its window's parent; without one, the only origin whose text it holds; before
 * it holds any, the only origin that offers it tools. Undefined where it could be several.
 */
export function subjectOrigin({ parent, writers, tools }: Conversation): string | undefined {
  if (parent !== undefined) return parent;
  const origins = writers.length > 0 ? writers : [...new Set(tools.flatMap(({ origin }) => origin ?? []))];
  return origins.length === 1 ? origins[0] : undefined;
}

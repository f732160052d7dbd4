// Which pages wrote something that a conversation's model reads: their words may be what has a tool called.
import type { AiMessage } from "../../../ai/index.ts";

/** The origin of tools whose window did not say where they come from: no page's, and not even that of another of these. */
export const unknownOrigin = "unknown";

/** What is said in place of a call's result is the hub's own text where the tool did not run. */
const unran: readonly AiMessage["toolStatus"][] = ["refused", "stopped"];

/**
 * The origins, each once, of apps' words and of what tools gave: results and errors. Descriptions of tools do not count:
 * they are there in every conversation, and hold nothing that a call brought from a page.
 */
export function writersIn(messages: readonly AiMessage[], serverTools: ReadonlySet<string>): readonly string[] {
  const writers = new Set<string>();
  const called = new Map<string, string>();
  for (const { role, from, toolCalls = [], toolCallId = "", origin, toolStatus } of messages) {
    if (from !== undefined) writers.add(from);
    for (const { id, name } of toolCalls) called.set(id, name);
    if (role !== "tool" || unran.includes(toolStatus)) continue;
    if (origin !== undefined) writers.add(origin);
    // Results that were kept before they had origins have no status either.
    else if (toolStatus === undefined && !serverTools.has(called.get(toolCallId) ?? "")) writers.add(unknownOrigin);
  }
  return [...writers];
}

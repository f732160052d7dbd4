// The pages whose text a conversation's model reads, since that text may cause tool calls.
import type { AiMessage } from "../../../ai/index.ts";

/** The origin of tools whose window did not name one. It equals no origin, not even itself. */
export const unknownOrigin = "unknown";

/** The statuses of calls that did not run: their results are the hub's own text. */
const unran: readonly AiMessage["toolStatus"][] = ["refused", "stopped"];

/**
 * The origins, without duplicates, of apps' messages and of tool results and errors. Tool descriptions do not count:
 * they are part of every conversation, and contain nothing that a call fetched from a page.
 */
export function writersIn(messages: readonly AiMessage[], serverTools: ReadonlySet<string>): readonly string[] {
  const writers = new Set<string>();
  const called = new Map<string, string>();
  for (const { role, from, toolCalls = [], toolCallId = "", origin, toolStatus } of messages) {
    if (from !== undefined) writers.add(from);
    for (const { id, name } of toolCalls) called.set(id, name);
    if (role !== "tool" || unran.includes(toolStatus)) continue;
    if (origin !== undefined) writers.add(origin);
    // Results stored before origins existed have no status either.
    else if (toolStatus === undefined && !serverTools.has(called.get(toolCallId) ?? "")) writers.add(unknownOrigin);
  }
  return [...writers];
}

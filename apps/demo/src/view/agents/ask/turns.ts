import type { AiAgent, AiMessage, AiToolCallState } from "pagewire/ai-agent";

/** One line of the conversation as the panel shows it. */
export interface Turn {
  readonly kind: "asked" | "answered" | "used" | "waiting";
  readonly text: string;
  /** The tool call that waits for the user's word. */
  readonly callId?: string;
}

/** What was said, which tools were used for it, and at the end what is going on just now. */
export function turnsOf(agent: Pick<AiAgent, "messages" | "content" | "loading" | "toolCalls">): readonly Turn[] {
  const { messages, content, loading, toolCalls } = agent;
  const said = messages.flatMap(turnsOfMessage);
  if (!loading) return said;
  const isSaid = messages.at(-1)?.role === "assistant";
  const saying: readonly Turn[] = content && !isSaid ? [{ kind: "answered", text: content }] : [];
  return [...said, ...saying, ...toolCalls.filter(({ status }) => status === "waiting").map(turnOfWaiting)];
}

function turnsOfMessage({ role, content, toolCalls = [] }: AiMessage): readonly Turn[] {
  const text = typeof content === "string" ? content : "";
  if (role === "user") return [{ kind: "asked", text }];
  if (role !== "assistant") return [];
  const used = toolCalls.map((call): Turn => ({ kind: "used", text: `Used ${call.name}` }));
  return text === "" ? used : [{ kind: "answered", text }, ...used];
}

function turnOfWaiting({ id, name, approval }: AiToolCallState): Turn {
  const what = JSON.stringify(approval?.arguments ?? {});
  return { kind: "waiting", text: `May it use ${approval?.title ?? name} with ${what}?`, callId: id };
}

import type { AiAgentValues } from "pagewire/ai-agent";

/** What a chat shows: the words of both sides, what is being said just now, and what went wrong. */
export function said({ messages = [], streaming, content, error }: Partial<AiAgentValues>) {
  return {
    messages: messages.flatMap(({ id = "", role, content }) =>
      (role === "user" || role === "assistant") && content
        ? [{ id, role, text: typeof content === "string" ? content : JSON.stringify(content) }]
        : [],
    ),
    turn: streaming ? content : "",
    problem: error ? ("message" in error ? error.message : error.body) : "",
  };
}

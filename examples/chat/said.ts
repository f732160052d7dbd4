import type { AiAgentValues } from "pagewire/ai-agent";

/** The content of a chat: all messages, the streaming answer, and the error. */
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

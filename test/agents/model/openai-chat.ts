// OpenAI's chat completions, which most programs can ask for.
import { dataEvent, readParts } from "./model-format.ts";
import type { JsonBody, ModelAnswer, ModelFormat } from "./model-format.ts";

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

export const openAiChat: ModelFormat = {
  basePath: "/v1",
  isAsked: (path) => path.endsWith("/chat/completions"),
  read({ messages, tools = [], stream = false }) {
    return {
      instructions: messages
        .filter(({ role }: JsonBody) => role === "system" || role === "user")
        .map(({ content }: JsonBody) => readParts(content).text)
        .join("\n"),
      tools: tools.map(({ function: { name, description = "", parameters } }: JsonBody) => ({
        name,
        description,
        schema: parameters,
      })),
      results: messages.flatMap(({ role, content }: JsonBody, index: number) =>
        role === "tool" ? [withImagesAfter(messages, index, content)] : [],
      ),
      isStream: stream,
    };
  },
  whole(answer, id) {
    const message = { role: "assistant", content: null, ...deltaOf(answer, id) };
    const choices = [{ index: 0, message, finish_reason: reasonOf(answer) }];
    return { id: `chat_${id}`, object: "chat.completion", model: "scripted", created: 0, choices, usage };
  },
  events(answer, id) {
    const chunk = (choices: readonly object[], more: object = {}) =>
      dataEvent({ id, object: "chat.completion.chunk", model: "scripted", created: 0, choices, ...more });
    return [
      chunk([{ index: 0, delta: { role: "assistant", ...deltaOf(answer, id) }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: reasonOf(answer) }]),
      chunk([], { usage }),
      dataEvent("[DONE]"),
    ];
  },
};

/** A tool's message has text only, so programs put its images into a user's message behind it. */
function withImagesAfter(messages: JsonBody, index: number, content: JsonBody) {
  const { text, images } = readParts(content);
  const next = messages[index + 1];
  return { text, images: images + (next?.role === "user" ? readParts(next.content).images : 0) };
}

function deltaOf(answer: ModelAnswer, id: string) {
  if ("text" in answer) return { content: answer.text };
  const { tool, input } = answer.call;
  const call = { name: tool.name, arguments: JSON.stringify(input) };
  return { tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: call }] };
}

function reasonOf(answer: ModelAnswer): string {
  return "call" in answer ? "tool_calls" : "stop";
}

// Anthropic's answers, whole and in a stream.
import type { AiProviderResponse, AiStreamReader } from "../provider.ts";
import { readAnswer, readEvent } from "./answer.ts";
import { createAnthropicEvents } from "./anthropic-events.ts";
import { jsonText, listOf, loose, textOf } from "./read.ts";

/** The tool that stands for an answer by a schema. */
export const answerTool = "__wc_bindable_structured_response__";

export function createReader(): AiStreamReader {
  const read = createAnthropicEvents();
  return {
    read: (event, data) =>
      readEvent("Anthropic", [event, data], (fields, chunk) => {
        read(fields, chunk);
        chunk.done = textOf(fields?.type ?? event) === "message_stop";
      }),
  };
}

export function readMessage(data: unknown): AiProviderResponse {
  return readAnswer("Anthropic", data, (message, chunk) => {
    const read = createAnthropicEvents();
    const blocks = listOf(message?.content);
    const structured = blocks.find((block) => textOf(block?.name) === answerTool);
    const shown = structured ? [{ text: jsonText(structured.input) }] : blocks;
    shown.forEach((content_block, index) => read(loose({ content_block, index }), chunk));
    read({ delta: message, usage: message?.usage }, chunk);
    if (structured && chunk.finishReason === "tool_use") chunk.finishReason = "stop";
    return Array.isArray(message?.content);
  });
}

// Anthropic's messages, as Claude Code asks for them.
import { readParts, typedEvent } from "./model-format.ts";
import type { JsonBody, ModelAnswer, ModelFormat } from "./model-format.ts";

const usage = { input_tokens: 7, output_tokens: 5 };

export const anthropic: ModelFormat = {
  basePath: "",
  isAsked: (path) => path.endsWith("/v1/messages"),
  count: { path: "/count_tokens", answer: { input_tokens: 7 } },
  read({ system, messages, tools = [], stream = false }) {
    const parts = messages.flatMap(({ content }: JsonBody) => (Array.isArray(content) ? content : []));
    return {
      instructions:
        readParts(system).text + messages.map(({ content }: JsonBody) => readParts(content).text).join("\n"),
      tools: tools.map(({ name, description = "", input_schema: schema }: JsonBody) => ({ name, description, schema })),
      results: parts
        .filter(({ type }: JsonBody) => type === "tool_result")
        .map(({ content }: JsonBody) => readParts(content)),
      isStream: stream,
    };
  },
  whole: (answer, id) => ({ ...message(id), content: [blockOf(answer, id)], stop_reason: stopOf(answer), usage }),
  events(answer, id) {
    const block = blockOf(answer, id);
    const [begin, delta] =
      "call" in answer
        ? [
            { ...block, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(answer.call.input) },
          ]
        : [
            { ...block, text: "" },
            { type: "text_delta", text: answer.text },
          ];
    return [
      { type: "message_start", message: { ...message(id), content: [], stop_reason: null, usage } },
      { type: "content_block_start", index: 0, content_block: begin },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: stopOf(answer) }, usage },
      { type: "message_stop" },
    ].map(typedEvent);
  },
};

function message(id: string) {
  return { id: `msg_${id}`, type: "message", role: "assistant", model: "scripted" };
}

function blockOf(answer: ModelAnswer, id: string) {
  if ("text" in answer) return { type: "text", ...answer };
  return { type: "tool_use", id: `toolu_${id}`, name: answer.call.tool.name, input: answer.call.input };
}

function stopOf(answer: ModelAnswer): string {
  return "call" in answer ? "tool_use" : "end_turn";
}

// OpenAI's responses, as Codex asks for them.
import { readParts, typedEvent } from "./model-format.ts";
import type { JsonBody, ModelAnswer, ModelFormat, OfferedTool } from "./model-format.ts";

export const openAiResponses: ModelFormat = {
  basePath: "/v1",
  isAsked: (path) => path.endsWith("/responses"),
  read({ instructions = "", input, tools = [], stream = false }) {
    const items = Array.isArray(input) ? input : [];
    return {
      instructions: [
        instructions,
        ...items.map(({ content }: JsonBody) => readParts(content).text),
        // Codex puts a server's tools into a namespace, which describes the server.
        ...tools.map(({ tools: inside, description = "" }: JsonBody) => (Array.isArray(inside) ? description : "")),
      ].join("\n"),
      tools: tools.flatMap(toolsOf),
      results: items
        .filter(({ type = "" }: JsonBody) => type.endsWith("_output"))
        .map(({ output }: JsonBody) => readParts(output)),
      isStream: stream,
    };
  },
  whole: (answer, id) => response(id, "completed", [itemOf(answer, id)]),
  events(answer, id) {
    const item = itemOf(answer, id);
    return [
      { type: "response.created", response: response(id, "in_progress", []) },
      { type: "response.output_item.added", output_index: 0, item: begun(item) },
      ...pieces(answer, item),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: response(id, "completed", [item]) },
    ].map(typedEvent);
  },
};

function begun(item: JsonBody) {
  return { ...item, status: "in_progress", ...(item.type === "message" ? { content: [] } : { arguments: "" }) };
}

function pieces(answer: ModelAnswer, { id, arguments: json }: JsonBody) {
  const at = { item_id: id, output_index: 0 };
  if (!("text" in answer))
    return [
      { type: "response.function_call_arguments.delta", ...at, delta: json },
      { type: "response.function_call_arguments.done", ...at, arguments: json },
    ];
  const { text } = answer;
  const part = { type: "output_text", text: "", annotations: [] };
  return [
    { type: "response.content_part.added", ...at, content_index: 0, part },
    { type: "response.output_text.delta", ...at, content_index: 0, delta: text },
    { type: "response.output_text.done", ...at, content_index: 0, text },
    { type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text } },
  ];
}

function toolsOf({ type, name = type, description = "", parameters, tools }: JsonBody): readonly OfferedTool[] {
  if (!Array.isArray(tools)) return [{ name, description, schema: parameters }];
  return tools.map((tool: JsonBody) => ({
    name: tool.name,
    namespace: name,
    description: tool.description ?? "",
    schema: tool.parameters,
  }));
}

function itemOf(answer: ModelAnswer, id: string) {
  if ("text" in answer) {
    const content = [{ type: "output_text", text: answer.text, annotations: [] }];
    return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
  }
  const { tool, input } = answer.call;
  const named = { name: tool.name, ...(tool.namespace === undefined ? {} : { namespace: tool.namespace }) };
  const call = { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, status: "completed" };
  return { ...call, ...named, arguments: JSON.stringify(input) };
}

function response(id: string, status: string, output: readonly object[]) {
  const usage = {
    input_tokens: 7,
    output_tokens: 5,
    total_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  return {
    ...{ id: `resp_${id}`, object: "response", created_at: 0, model: "scripted", status, output, usage },
    ...{ error: null, incomplete_details: null },
  };
}

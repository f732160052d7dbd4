// The wire formats of the vendors' models, as their documentation describes them.

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly content?: Content;
  readonly functionResponse?: { readonly response: object };
}

type Content = string | readonly Part[] | null | undefined;

interface Turn {
  readonly role?: string;
  readonly type?: string;
  readonly output?: string;
  readonly content?: Content;
  readonly parts?: readonly Part[];
}

/** The fields that are read from a request, in any of the formats. */
export interface ModelBody {
  readonly prompt?: string;
  readonly messages?: readonly Turn[];
  readonly input?: readonly Turn[];
  readonly contents?: readonly Turn[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly {
    readonly name?: string;
    readonly function?: { readonly name: string };
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
  readonly response_format?: { readonly type: string };
  readonly generationConfig?: { readonly responseMimeType?: string };
}

/** A model's text or tool call. */
export interface ModelAnswer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly input: object };
}

/** A request, independent of its format. */
export interface ModelRequest {
  /** The user's last message. */
  readonly text: string;
  readonly stream: boolean;
  /** The first declared tool. */
  readonly tool?: string | undefined;
  /** The result of the last tool, if the last message is one. */
  readonly toolResult?: string | undefined;
  readonly hasSchema: boolean;
}

export interface ModelFormat {
  read(body: ModelBody, path: string): ModelRequest;
  whole(answer: ModelAnswer): object;
  /** The events of a stream, each ready to send. */
  events(answer: ModelAnswer, body: ModelBody): readonly string[];
}

/** The format of a path. */
export function formatOf(path: string): ModelFormat | undefined {
  if (path.endsWith("/chat/completions")) return openAi;
  if (path.endsWith("/responses")) return openAiResponses;
  if (path.endsWith("/v1/messages")) return anthropic;
  if (path.endsWith("enerateContent")) return google;
  return path.endsWith("/v1/generate") ? plain : undefined;
}

const data = (value: object | string) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`;
/** A text in pieces, as models stream it. */
const pieces = (text: string) => text.match(/\s*\S+/g) ?? [];
const textOf = (content: Content): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
const lastOf = (turns: readonly Turn[], role: string) => turns.findLast((turn) => turn.role === role);

const openAiUsage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

const openAi: ModelFormat = {
  read({ messages = [], stream = false, tools, response_format: format }) {
    const last = messages.at(-1);
    return {
      text: textOf(lastOf(messages, "user")?.content),
      stream,
      tool: tools?.[0]?.function?.name,
      toolResult: last?.role === "tool" ? textOf(last.content) : undefined,
      hasSchema: format?.type === "json_schema",
    };
  },
  whole({ text, call }) {
    const message = call
      ? { role: "assistant", content: null, tool_calls: [openAiCall(call)] }
      : { role: "assistant", content: text };
    return {
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: call ? "tool_calls" : "stop" }],
      usage: openAiUsage,
    };
  },
  events({ text, call }, { stream_options: options }) {
    const choice = (delta: object, reason: string | null = null) =>
      data({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] });
    const parts = call
      ? [choice({ role: "assistant", tool_calls: [{ index: 0, ...openAiCall(call) }] })]
      : pieces(text).map((content) => choice({ content }));
    const usage = options?.include_usage ? [data({ id: "c", choices: [], usage: openAiUsage })] : [];
    return [...parts, choice({}, call ? "tool_calls" : "stop"), ...usage, data("[DONE]")];
  },
};

function openAiCall({ name, input }: { readonly name: string; readonly input: object }) {
  return { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(input) } };
}

const openAiResponses: ModelFormat = {
  read({ input = [], stream = false, tools }) {
    const last = input.at(-1);
    return {
      text: textOf(lastOf(input, "user")?.content),
      stream,
      tool: tools?.[0]?.name,
      toolResult: last?.type === "function_call_output" ? last.output : undefined,
      hasSchema: false,
    };
  },
  whole: (answer) => openAiResponse([openAiItem(answer)], "completed"),
  events(answer) {
    const item = openAiItem(answer);
    const deltas = answer.call
      ? [{ type: "response.function_call_arguments.done", output_index: 0, arguments: item["arguments"] }]
      : pieces(answer.text).map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta }));
    return [
      { type: "response.created", response: openAiResponse([], "in_progress") },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "", content: [] } },
      ...deltas,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: openAiResponse([item], "completed") },
    ].map(named);
  },
};

function openAiItem({ text, call }: ModelAnswer): Readonly<Record<string, unknown>> {
  if (call)
    return {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: call.name,
      arguments: JSON.stringify(call.input),
    };
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
}

function openAiResponse(output: readonly object[], status: string): object {
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
  return { id: "resp_1", object: "response", status, error: null, output, usage };
}

const anthropic: ModelFormat = {
  read({ messages = [], stream = false, tools }) {
    const { content } = messages.at(-1) ?? {};
    const result = Array.isArray(content) ? (content as Part[]).find(({ type }) => type === "tool_result") : undefined;
    return {
      text: textOf(lastOf(messages, "user")?.content),
      stream,
      tool: tools?.[0]?.name,
      toolResult: result && textOf(result.content),
      hasSchema: false,
    };
  },
  whole({ text, call }) {
    const content = call ? [{ type: "tool_use", id: "toolu_1", ...call }] : [{ type: "text", text }];
    const usage = { input_tokens: 7, output_tokens: 5 };
    return { id: "m", type: "message", role: "assistant", content, stop_reason: call ? "tool_use" : "end_turn", usage };
  },
  events({ text, call }) {
    const block = call ? { type: "tool_use", id: "toolu_1", name: call.name, input: {} } : { type: "text", text: "" };
    const deltas = call
      ? [{ type: "input_json_delta", partial_json: JSON.stringify(call.input) }]
      : pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
    return [
      {
        type: "message_start",
        message: { role: "assistant", content: [], usage: { input_tokens: 7, output_tokens: 0 } },
      },
      { type: "content_block_start", index: 0, content_block: block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ].map(named);
  },
};

const google: ModelFormat = {
  read({ contents = [], tools, generationConfig }, path) {
    const answered = contents.at(-1)?.parts?.find(({ functionResponse }) => functionResponse)?.functionResponse;
    return {
      text: textOf(lastOf(contents, "user")?.parts),
      stream: path.endsWith(":streamGenerateContent"),
      tool: tools?.[0]?.functionDeclarations?.[0]?.name,
      toolResult: answered && JSON.stringify(answered.response),
      hasSchema: generationConfig?.responseMimeType === "application/json",
    };
  },
  whole: (answer) => googleAnswer(answer, answer.text, "STOP"),
  events(answer) {
    const parts = answer.call ? [""] : pieces(answer.text);
    return parts.map((text, at) => data(googleAnswer(answer, text, at === parts.length - 1 ? "STOP" : undefined)));
  },
};

function googleAnswer({ call }: ModelAnswer, text: string, finishReason: string | undefined): object {
  const part = call ? { functionCall: { name: call.name, args: call.input } } : { text };
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 };
  return { candidates: [{ content: { role: "model", parts: [part] }, finishReason }], usageMetadata };
}

/** The made-up format of the sample "Custom provider". */
const plain: ModelFormat = {
  read: ({ prompt = "" }, path) => ({ text: prompt, stream: !path.includes("/whole/"), hasSchema: false }),
  whole: ({ text }) => ({ text }),
  events: ({ text }) => [...pieces(text).map((token) => data({ token })), data("[DONE]")],
};

// A model's answer as each API streams it: one event for each token, with the fields and of the length that the API sends.

export type AnswerFormat = "openai" | "anthropic" | "google";

export interface Answer {
  readonly format: AnswerFormat;
  /** The model's text. */
  readonly text: string;
  /** The stream's bytes, one event each. */
  readonly events: readonly Uint8Array<ArrayBuffer>[];
}

const words = ["The", " harbour", " lay", " still", ",", " and", " every", " boat", " was", " home", ".", " Nobody"];

/** Tokens as a model writes them, some of one character and some of many. */
export function tokensOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => words[index % words.length] ?? "");
}

export function answerOf(format: AnswerFormat, tokens: readonly string[]): Answer {
  const encoder = new TextEncoder();
  return { format, text: tokens.join(""), events: writers[format](tokens).map((event) => encoder.encode(event)) };
}

const writers: Record<AnswerFormat, (tokens: readonly string[]) => readonly string[]> = {
  openai(tokens) {
    const envelope = {
      id: "chatcmpl-CQ3kXr0Wv5yJmB1tLd8ZsUe7HfGa2",
      object: "chat.completion.chunk",
      created: 1_763_000_000,
      model: "gpt-4o-mini-2024-07-18",
      service_tier: "default",
      system_fingerprint: "fp_560af6e559",
    };
    const chunk = (delta: object, finishReason: string | null = null) =>
      dataOf({ ...envelope, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], usage: null });
    const usage = { prompt_tokens: 12, completion_tokens: tokens.length, total_tokens: 12 + tokens.length };
    return [
      chunk({ role: "assistant", content: "", refusal: null }),
      ...tokens.map((content) => chunk({ content })),
      chunk({}, "stop"),
      dataOf({ ...envelope, choices: [], usage }),
      "data: [DONE]\n\n",
    ];
  },

  anthropic(tokens) {
    const event = (type: string, fields: object = {}) => `event: ${type}\n${dataOf({ type, ...fields })}`;
    const message = {
      model: "claude-sonnet-4-5-20250929",
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 1 },
    };
    return [
      event("message_start", { message }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("ping"),
      ...tokens.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
      event("content_block_stop", { index: 0 }),
      event("message_delta", {
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: tokens.length },
      }),
      event("message_stop"),
    ];
  },

  google(tokens) {
    return tokens.map((text, index) => {
      const end = index === tokens.length - 1 ? { finishReason: "STOP" } : {};
      const chunk = {
        candidates: [{ content: { parts: [{ text }], role: "model" }, ...end, index: 0 }],
        usageMetadata: { promptTokenCount: 12, candidatesTokenCount: index + 1, totalTokenCount: 13 + index },
        modelVersion: "gemini-2.5-flash",
        responseId: "mDkYaYvZJ5uUkdUPsJ_WsAQ",
      };
      return dataOf(chunk, "\r\n\r\n");
    });
  },
};

function dataOf(value: object, end = "\n\n"): string {
  return `data: ${JSON.stringify(value)}${end}`;
}

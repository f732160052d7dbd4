// Written by hand from the vendor's reference of chat completions: every possible field of a chunk.
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_700_000_000,
  model: "gpt-4o",
  service_tier: "default",
  system_fingerprint: "fp_1",
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  usage: null,
});

const usage = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0, accepted_prediction_tokens: 0 },
};

const usageChunk = { ...chunk({}), choices: [], usage };

export const textStream = [
  chunk({ role: "assistant", content: "", refusal: null }),
  chunk({ content: "Hello" }),
  chunk({ content: " there" }),
  chunk({}, "stop"),
  usageChunk,
  "[DONE]",
];

export const callStream = [
  chunk({ role: "assistant", content: null }),
  chunk({
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } }],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] }),
  chunk({
    tool_calls: [{ index: 1, id: "call_2", type: "function", function: { name: "get_time", arguments: "{}" } }],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Tokyo"}' } }] }),
  chunk({}, "tool_calls"),
  usageChunk,
  "[DONE]",
];

export const refusalStream = [
  chunk({ role: "assistant", content: null, refusal: "" }),
  chunk({ refusal: "I cannot" }),
  chunk({ refusal: " help." }),
  chunk({}, "stop"),
  "[DONE]",
];

/** As OpenAI-compatible servers send it. */
export const thinkingStream = (field: string) => [
  chunk({ role: "assistant", content: null, [field]: "Let me" }),
  chunk({ content: null, [field]: " think." }),
  chunk({ content: "Four." }),
  chunk({}, "stop"),
  "[DONE]",
];

/** Azure starts with the results of its filters. */
export const filterChunk = { ...chunk({}), choices: [], prompt_filter_results: [{ prompt_index: 0 }] };

export const finishedBy = (reason: string) => [chunk({ content: "a" }), chunk({}, reason), "[DONE]"];

export const failure = { error: { message: "The server is busy.", type: "server_error", param: null, code: null } };

export const completion = (message: object, finish_reason: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, logprobs: null, finish_reason }],
  usage,
});

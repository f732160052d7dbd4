// Written by hand from the vendor's reference of messages: each event of a stream, and each kind of block and delta.
const usage = {
  input_tokens: 20,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 100,
  output_tokens: 1,
  service_tier: "standard",
};

export const messageStart = {
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "claude", stop_reason: null, usage },
};
const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
const stop = (index: number) => ({ type: "content_block_stop", index });
const messageDelta = (stop_reason: string | null) => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage: { input_tokens: null, output_tokens: 12, output_tokens_details: { thinking_tokens: 7 } },
});
const messageStop = { type: "message_stop" };
const ping = { type: "ping" };

export const textStream = [
  messageStart,
  start(0, { type: "text", text: "" }),
  ping,
  delta(0, { type: "text_delta", text: "Hello" }),
  delta(0, { type: "citations_delta", citation: { type: "char_location", cited_text: "Hello" } }),
  delta(0, { type: "text_delta", text: " there" }),
  stop(0),
  messageDelta("end_turn"),
  messageStop,
];

const thought = { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" };
const hidden = { type: "redacted_thinking", data: "aGlkZGVu" };
const later = { type: "thinking", thinking: "And now?", signature: "bGF0ZXI=" };

/** The blocks of the streams below, in their order. */
export const thinkingBlocks = [
  thought,
  hidden,
  { type: "text", text: "I will look." },
  later,
  { type: "tool_use", id: "toolu_1", name: "get_weather", input: { place: "Tokyo" } },
  { type: "tool_use", id: "toolu_2", name: "get_time", input: {} },
];

export const thinkingStream = [
  messageStart,
  start(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "Let me" }),
  delta(0, { type: "thinking_delta", thinking: " see." }),
  delta(0, { type: "signature_delta", signature: "c2lnbmVk" }),
  stop(0),
  start(1, hidden),
  stop(1),
  start(2, { type: "text", text: "" }),
  delta(2, { type: "text_delta", text: "I will" }),
  delta(2, { type: "text_delta", text: " look." }),
  stop(2),
  start(3, { ...later, thinking: "And" }),
  delta(3, { type: "thinking_delta", thinking: " now?" }),
  stop(3),
  start(4, { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }),
  delta(4, { type: "input_json_delta", partial_json: "" }),
  delta(4, { type: "input_json_delta", partial_json: '{"place":' }),
  delta(4, { type: "input_json_delta", partial_json: '"Tokyo"}' }),
  stop(4),
  start(5, { type: "tool_use", id: "toolu_2", name: "get_time", input: {} }),
  delta(5, { type: "input_json_delta", partial_json: "" }),
  stop(5),
  messageDelta("tool_use"),
  messageStop,
];

export const cutThoughtStream = [
  messageStart,
  start(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "Let me" }),
  stop(0),
  messageDelta("max_tokens"),
  messageStop,
];

/** Tools that Anthropic runs itself, requested through the body. */
export const serverToolStream = [
  messageStart,
  start(0, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
  delta(0, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
  stop(0),
  start(1, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
  stop(1),
  { type: "something_new", index: 1 },
  start(2, { type: "text", text: "Found." }),
  stop(2),
  messageDelta("end_turn"),
  messageStop,
];

export const finishedBy = (reason: string) => [messageStart, messageDelta(reason), messageStop];

export const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

export const message = (content: readonly object[], stop_reason: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { ...usage, output_tokens: 12, output_tokens_details: { thinking_tokens: 7 } },
});

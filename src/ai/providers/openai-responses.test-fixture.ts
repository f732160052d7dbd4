// Written by hand from the vendor's reference of responses: each event of a stream that asks for text, thoughts and
// functions.
const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 30,
};

export const response = (output: readonly object[], more: object = {}) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  error: null,
  incomplete_details: null,
  output,
  usage,
  ...more,
});

const text = (value: string) => ({ type: "output_text", text: value, annotations: [], logprobs: [] });
const said = (value: string, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [text(value)],
  ...more,
});
const thoughts = ["First.", "Second."].map((value) => ({ type: "summary_text", text: value }));
const thought = { id: "rs_1", type: "reasoning", summary: thoughts, encrypted_content: "gAAA" };
const call = (number: number, json: string) => ({
  id: `fc_${number}`,
  type: "function_call",
  status: "completed",
  call_id: `call_${number}`,
  name: "get_weather",
  arguments: json,
});

/** The result of the stream below, and the messages that are sent back. */
export const output = [
  thought,
  said("I will look.", { phase: "commentary" }),
  call(1, '{"place":"Tokyo"}'),
  call(2, "{}"),
];
export const input = [
  thought,
  { role: "assistant", content: "I will look.", phase: "commentary" },
  { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"place":"Tokyo"}' },
  { type: "function_call", call_id: "call_2", name: "get_weather", arguments: "{}" },
];

const begun = response([], { status: "in_progress", usage: null });
const item = { item_id: "msg_1", output_index: 1, content_index: 0 };
const summary = (summary_index: number) => ({ item_id: "rs_1", output_index: 0, summary_index });

export const stream = [
  { type: "response.created", response: begun },
  { type: "response.queued", response: begun },
  { type: "response.in_progress", response: begun },
  { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
  { type: "response.reasoning_summary_part.added", ...summary(0), part: { type: "summary_text", text: "" } },
  { type: "response.reasoning_summary_text.delta", ...summary(0), delta: "Fir" },
  { type: "response.reasoning_summary_text.delta", ...summary(0), delta: "st." },
  { type: "response.reasoning_summary_text.done", ...summary(0), text: "First." },
  { type: "response.reasoning_summary_part.done", ...summary(0), part: thoughts[0] },
  { type: "response.reasoning_summary_part.added", ...summary(1), part: { type: "summary_text", text: "" } },
  { type: "response.reasoning_summary_text.delta", ...summary(1), delta: "Second." },
  { type: "response.output_item.done", output_index: 0, item: thought },
  { type: "response.output_item.added", output_index: 1, item: said("") },
  { type: "response.content_part.added", ...item, part: text("") },
  { type: "response.output_text.delta", ...item, delta: "I will", logprobs: [] },
  { type: "response.output_text.delta", ...item, delta: " look.", logprobs: [] },
  { type: "response.output_text.annotation.added", ...item, annotation_index: 0, annotation: {} },
  { type: "response.output_text.done", ...item, text: "I will look.", logprobs: [] },
  { type: "response.content_part.done", ...item, part: text("I will look.") },
  { type: "response.output_item.done", output_index: 1, item: output[1] },
  { type: "response.output_item.added", output_index: 2, item: call(1, "") },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '{"place":' },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '"Tokyo"}' },
  { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 2, arguments: '{"place":"Tokyo"}' },
  { type: "response.output_item.done", output_index: 2, item: output[2] },
  { type: "response.output_item.added", output_index: 3, item: call(2, "") },
  { type: "response.function_call_arguments.delta", item_id: "fc_2", output_index: 3, delta: "{}" },
  { type: "response.output_item.done", output_index: 3, item: output[3] },
  { type: "response.completed", response: response(output) },
];

const refusal = { ...said(""), content: [{ type: "refusal", refusal: "I cannot help." }] };

export const refusalStream = [
  { type: "response.created", response: begun },
  { type: "response.output_item.added", output_index: 0, item: said("") },
  { type: "response.refusal.delta", ...item, delta: "I cannot" },
  { type: "response.refusal.delta", ...item, delta: " help." },
  { type: "response.refusal.done", ...item, refusal: "I cannot help." },
  { type: "response.completed", response: response([refusal]) },
];

/** For tools that OpenAI runs itself, requested through the body. */
export const hostedStream = [
  "response.web_search_call.in_progress",
  "response.web_search_call.searching",
  "response.web_search_call.completed",
  "response.file_search_call.in_progress",
  "response.file_search_call.searching",
  "response.file_search_call.completed",
  "response.code_interpreter_call.in_progress",
  "response.code_interpreter_call.interpreting",
  "response.code_interpreter_call.completed",
  "response.code_interpreter_call_code.delta",
  "response.code_interpreter_call_code.done",
  "response.image_generation_call.in_progress",
  "response.image_generation_call.generating",
  "response.image_generation_call.partial_image",
  "response.image_generation_call.completed",
  "response.mcp_call.in_progress",
  "response.mcp_call.completed",
  "response.mcp_call.failed",
  "response.mcp_call_arguments.delta",
  "response.mcp_call_arguments.done",
  "response.mcp_list_tools.in_progress",
  "response.mcp_list_tools.completed",
  "response.mcp_list_tools.failed",
  "response.custom_tool_call_input.delta",
  "response.custom_tool_call_input.done",
  "response.audio.delta",
  "response.audio.done",
  "response.audio.transcript.delta",
  "response.audio.transcript.done",
].map((type) => ({ type, output_index: 0, item_id: "x", delta: "not text" }));

/** Open models show their whole thoughts. */
export const openThoughtStream = [
  { type: "response.reasoning_text.delta", item_id: "rs_1", output_index: 0, content_index: 0, delta: "Hm." },
  { type: "response.reasoning_text.done", item_id: "rs_1", output_index: 0, content_index: 0, text: "Hm." },
  { type: "response.completed", response: response([{ ...thought, encrypted_content: null }, said("")]) },
];

export const cutBy = (reason: string) =>
  response([said("a")], { status: "incomplete", incomplete_details: { reason } });

export const failed = response([], { status: "failed", error: { code: "server_error", message: "Something broke." } });

// Streams in the manner of each vendor's servers: what each sends beside OpenAI's format, and in another order.
import { chunkStreamOf, converseStreamOf } from "./event-stream.test-helper.ts";
import type { OddStream } from "./odd-streams.test-fixture.ts";
import { BedrockProvider } from "./providers/bedrock.ts";
import { OpenAiProvider } from "./providers/openai.ts";
import { createPreset } from "./providers/presets.ts";
import { namedStreamOf, streamOf } from "./providers/read-stream.test-helper.ts";
import { VertexProvider } from "./providers/vertex.ts";

const rome = { city: "Rome" };
const oslo = { city: "Oslo" };
const json = '{"city":"Rome"}';

const chunk = (delta: object, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "a-model",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const last = (finish_reason: string, delta: object = {}) => chunk(delta, { finish_reason });
const look = (args: unknown, more: object = {}) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look", arguments: args }, ...more }],
});
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
const counted = (more: object = {}) => ({ id: "chatcmpl-1", choices: [], usage: { ...usage, ...more } });
const comment = (text: string) => `: ${text}\n\n`;
const called = { runs: [rome], finishReason: "tool_use" } as const;
const openai = new OpenAiProvider();

const compatible: readonly OddStream[] = [
  {
    title: "Ollama's whole calls, with an empty text and a reason to stop",
    provider: createPreset("ollama"),
    text: streamOf([
      chunk({ role: "assistant", content: "", ...look(json) }),
      last("stop", { content: "" }),
      counted(),
      "[DONE]",
    ]),
    ...called,
  },
  {
    title: "arguments that are an object",
    provider: createPreset("ollama"),
    text: streamOf([chunk({ content: null, ...look(rome, { id: undefined }) }), last("tool_calls"), "[DONE]"]),
    ...called,
  },
  {
    title: "two calls without a number or an id",
    provider: createPreset("ollama"),
    text: streamOf([
      chunk(look(rome, { id: undefined, index: undefined })),
      chunk(look(oslo, { id: undefined, index: undefined })),
      last("stop"),
      "[DONE]",
    ]),
    runs: [rome, oslo],
    finishReason: "tool_use",
  },
  {
    title: "LM Studio's parts, the name again in each",
    provider: createPreset("lmstudio"),
    text: streamOf([
      chunk({ role: "assistant", ...look("") }),
      chunk(look('{"city":', { id: null })),
      chunk(look('"Rome"}')),
      last("tool_calls"),
      "[DONE]",
    ]),
    ...called,
  },
  {
    title: "a name in parts",
    provider: openai,
    text: streamOf([
      chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "lo", arguments: "" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: "ok" } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
      last("tool_calls"),
      "[DONE]",
    ]),
    ...called,
  },
  {
    title: "an id that comes with the arguments",
    provider: openai,
    text: streamOf([
      chunk({ tool_calls: [{ index: 0, function: { name: "look" } }] }),
      chunk({ tool_calls: [{ index: 0, id: "call_1", function: { arguments: json } }] }),
      last("tool_calls"),
      "[DONE]",
    ]),
    ...called,
  },
  {
    title: "OpenRouter's comments, its provider and its thoughts",
    provider: createPreset("openrouter"),
    text:
      comment("OPENROUTER PROCESSING").repeat(3) +
      streamOf([
        {
          provider: "A",
          ...chunk({ role: "assistant", content: "", reasoning: "Rome it is.", reasoning_details: [] }),
        },
        { provider: "A", ...chunk({ content: "", ...look(json) }) },
      ]) +
      comment("OPENROUTER PROCESSING") +
      streamOf([{ ...last("tool_calls"), native_finish_reason: "tool_calls" }, counted({ cost: 0.0001 }), "[DONE]"]),
    ...called,
    reasoning: "Rome it is.",
  },
  {
    title: "OpenRouter's failure after the first words",
    provider: createPreset("openrouter"),
    text: streamOf([
      chunk({ content: "I " }),
      { ...last("error"), error: { code: 502, message: "Provider disconnected" } },
      "[DONE]",
    ]),
    runs: [],
    error: "HTTP 502",
  },
  {
    title: "a reason to finish that says only that it failed",
    provider: createPreset("openrouter"),
    text: streamOf([chunk(look(json)), last("error"), "[DONE]"]),
    runs: [],
    error: "OpenRouter failed: it gave up the answer (error).",
  },
  {
    title: "Mistral's thoughts as parts of the content, and the usage beside the reason",
    provider: createPreset("mistral"),
    text: streamOf([
      chunk({ role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: "Rome " }] }] }),
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "it is." }] }] }),
      chunk({ content: [{ type: "text", text: "I " }] }),
      chunk({ content: "look." }),
      { ...last("tool_calls", { content: "", ...look(json, { id: "D681PevKs" }) }), usage },
      "[DONE]",
    ]),
    ...called,
    content: "I look.",
    reasoning: "Rome it is.",
  },
  {
    title: "Mistral's own word for a cut",
    provider: createPreset("mistral"),
    text: streamOf([chunk(look("")), last("model_length"), "[DONE]"]),
    runs: [],
    refusals: ['The model was cut off before it gave the arguments of the tool "look".'],
    finishReason: "length",
  },
  {
    title: "Groq's x_groq, which has the usage",
    provider: createPreset("groq"),
    text: streamOf([
      { ...chunk({ role: "assistant", content: null, reasoning: "Rome." }), x_groq: { id: "req_1" } },
      chunk({ channel: "analysis", ...look(json) }),
      { ...last("tool_calls"), x_groq: { id: "req_1", usage: { queue_time: 0.1, ...usage } } },
      "[DONE]",
    ]),
    ...called,
    reasoning: "Rome.",
    tokens: 30,
  },
  {
    title: "DeepSeek's keep-alive, thoughts and cache",
    provider: createPreset("deepseek"),
    text:
      comment("keep-alive").repeat(2) +
      streamOf([
        chunk({ role: "assistant", content: null, reasoning_content: "Rome." }),
        chunk({ ...look(""), content: null, reasoning_content: null }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
        {
          ...last("tool_calls", { content: "" }),
          usage: { ...usage, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 12 },
        },
        "[DONE]",
      ]),
    ...called,
    reasoning: "Rome.",
    tokens: 30,
  },
  {
    title: "DeepSeek's lack of resources",
    provider: createPreset("deepseek"),
    text: streamOf([chunk({ content: "I" }), last("insufficient_system_resource"), "[DONE]"]),
    runs: [],
    error: "DeepSeek failed: it gave up the answer (insufficient_system_resource).",
  },
  {
    title: "xAI's usage in each event",
    provider: createPreset("xai"),
    text: streamOf([
      { ...chunk({ role: "assistant", reasoning_content: "Rome." }), usage },
      { ...last("tool_calls", look(json)), usage, system_fingerprint: "fp" },
      counted({ num_sources_used: 0 }),
      "[DONE]",
    ]),
    ...called,
    reasoning: "Rome.",
    tokens: 30,
  },
  {
    title: "Together's end of a sequence",
    provider: createPreset("together"),
    text: streamOf([
      { ...chunk({ token_id: 1, role: "assistant", content: "Ro" }), usage: null },
      { ...chunk({ token_id: 2, content: "me." }, { text: "me." }), usage: null },
      { ...last("eos", { content: "" }), usage },
      "[DONE]",
    ]),
    runs: [],
    content: "Rome.",
    finishReason: "stop",
    tokens: 30,
  },
  {
    title: "Azure's first event without a choice, and its filters",
    provider: createPreset("azure"),
    text: streamOf([
      { choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [{ prompt_index: 0 }] },
      { ...chunk({ role: "assistant", content: null, refusal: null }), content_filter_results: {} },
      chunk(look(""), { content_filter_results: {} }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
      last("tool_calls"),
      { choices: [{ content_filter_offsets: {}, content_filter_results: {}, finish_reason: null, index: 0 }] },
      counted(),
      "[DONE]",
    ]),
    ...called,
    tokens: 30,
  },
  {
    title: "a byte order mark, lines that end with a carriage return alone, and no line at the end",
    provider: openai,
    text: `\uFEFF${streamOf([chunk(look(json)), last("tool_calls")])}data: [DONE]`.replaceAll("\n", "\r"),
    ...called,
  },
];

const part = (functionCall: object) => ({ candidates: [{ content: { role: "model", parts: [{ functionCall }] } }] });
const vertex = new VertexProvider();

const google: readonly OddStream[] = [
  {
    title: "Vertex's call in parts, each with the path of an argument",
    provider: vertex,
    text: streamOf([
      part({ name: "look", willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "Ro", willContinue: true }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "me", willContinue: false }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.days[0].hot", boolValue: true }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.days[1]['the degrees']", numberValue: 0 }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.rain", nullValue: null }], willContinue: true }),
      part({}),
      { ...part({ name: "look", args: oslo }), usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10 } },
      { candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }] },
    ]),
    runs: [{ city: "Rome", days: [{ hot: true }, { "the degrees": 0 }], rain: null }, oslo],
    finishReason: "tool_use",
    tokens: 30,
  },
  {
    title: "Vertex's call in parts without an argument",
    provider: vertex,
    text: streamOf([
      part({ name: "look", willContinue: true }),
      part({}),
      { candidates: [{ content: { role: "model", parts: [] }, finishReason: "STOP" }] },
    ]),
    runs: [{}],
    finishReason: "tool_use",
  },
  {
    title: "Vertex's call that was cut off between its parts",
    provider: vertex,
    text: streamOf([
      part({ name: "look", willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "Ro", willContinue: true }], willContinue: true }),
      { candidates: [{ content: { role: "model", parts: [] }, finishReason: "MAX_TOKENS" }] },
    ]),
    runs: [],
    refusals: ['The model was cut off before it gave the arguments of the tool "look".'],
    finishReason: "length",
  },
  {
    title: "paths that would reach another object's prototype",
    provider: vertex,
    text: streamOf([
      part({ name: "look", partialArgs: [{ jsonPath: "$.__proto__.polluted", boolValue: true }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$['__proto__']", stringValue: "x" }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.constructor.prototype.polluted", boolValue: true }] }),
      { candidates: [{ content: { parts: [] }, finishReason: "STOP" }] },
    ]),
    runs: [{ constructor: { prototype: { polluted: true } } }],
    finishReason: "tool_use",
  },
  {
    title: "Claude at Vertex",
    provider: vertex,
    text: namedStreamOf([
      { type: "message_start", message: { id: "msg_vrtx_1", content: [], usage: { input_tokens: 20 } } },
      { type: "ping" },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: json } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 10 } },
      { type: "message_stop" },
    ]),
    ...called,
    tokens: 30,
  },
];

const eventStream = "application/vnd.amazon.eventstream";
const bedrock = new BedrockProvider();
const block = (contentBlockIndex: number, delta: object) =>
  ["contentBlockDelta", { contentBlockIndex, delta }] as const;
const opened = (contentBlockIndex: number) =>
  [
    "contentBlockStart",
    { contentBlockIndex, start: { toolUse: { toolUseId: `tooluse_${contentBlockIndex}`, name: "look" } } },
  ] as const;
const stopped = (stopReason: string) => ["messageStop", { stopReason }] as const;
const metadata = [
  "metadata",
  { usage: { inputTokens: 12, outputTokens: 10, totalTokens: 30, cacheReadInputTokens: 8 }, metrics: { latencyMs: 1 } },
] as const;
const begun = ["messageStart", { role: "assistant" }] as const;

const amazon: readonly OddStream[] = [
  {
    title: "Bedrock's Converse in its binary frames",
    provider: bedrock,
    contentType: eventStream,
    text: converseStreamOf([
      begun,
      block(0, { reasoningContent: { text: "Ro" } }),
      block(0, { reasoningContent: { text: "me." } }),
      block(0, { reasoningContent: { signature: "c2ln" } }),
      ["contentBlockStop", { contentBlockIndex: 0 }],
      block(1, { text: "I löok 🎈." }),
      opened(2),
      block(2, { toolUse: { input: '{"city":' } }),
      block(2, { toolUse: { input: '"Rome"}' } }),
      opened(3),
      block(3, { toolUse: { input: '{"city":"Oslo"}' } }),
      stopped("tool_use"),
      metadata,
    ]),
    runs: [rome, oslo],
    content: "I löok 🎈.",
    reasoning: "Rome.",
    finishReason: "tool_use",
    tokens: 30,
  },
  {
    title: "Bedrock's Converse that was cut off before the input",
    provider: bedrock,
    contentType: eventStream,
    text: converseStreamOf([begun, opened(0), stopped("max_tokens"), metadata]),
    runs: [],
    refusals: ['The model was cut off before it gave the arguments of the tool "look".'],
    finishReason: "length",
  },
  {
    title: "Claude at Bedrock, each event in base64 in a frame",
    provider: bedrock,
    contentType: eventStream,
    text: chunkStreamOf([
      { type: "message_start", message: { id: "msg_bdrk_1", content: [], usage: { input_tokens: 20 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I löok." } },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: json } },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 10 } },
      { type: "message_stop", "amazon-bedrock-invocationMetrics": { inputTokenCount: 20 } },
    ]),
    ...called,
    content: "I löok.",
    tokens: 30,
  },
];

export const vendorStreams: readonly OddStream[] = [...compatible, ...google, ...amazon];

// Streams of real servers that differ from the vendor's own: the calls that each contains, and how it ends.
import { converseStreamOf } from "./event-stream.test-helper.ts";
import { AnthropicProvider } from "./providers/anthropic.ts";
import { BedrockProvider } from "./providers/bedrock.ts";
import { GoogleProvider } from "./providers/google.ts";
import { OpenAiResponsesProvider } from "./providers/openai-responses.ts";
import { OpenAiProvider } from "./providers/openai.ts";
import { namedStreamOf, streamOf } from "./providers/read-stream.test-helper.ts";
import { VertexProvider } from "./providers/vertex.ts";
import type { IAiProvider } from "./provider.ts";
import type { AiFinishReason } from "./types.ts";

export interface OddStream {
  readonly title: string;
  readonly provider: IAiProvider;
  /** The stream: server-sent events, or bytes of another type. */
  readonly text: string | Uint8Array;
  readonly contentType?: string;
  /** The arguments that handlers run with. */
  readonly runs: readonly object[];
  /** The errors that the model receives in place of results. */
  readonly refusals?: readonly string[];
  readonly content?: string;
  readonly reasoning?: string;
  /** The total of its usage, where that counts. */
  readonly tokens?: number;
  readonly finishReason?: AiFinishReason;
  /** Why there is no answer. */
  readonly error?: string;
}

const rome = { city: "Rome" };
const oslo = { city: "Oslo" };

const item = (call: number, json: string) => ({
  type: "function_call",
  id: `fc_${call}`,
  call_id: `call_${call}`,
  name: "look",
  arguments: json,
});
const response = (type: string, fields: object) => ({ type: `response.${type}`, ...fields });
const added = (output_index: number) => response("output_item.added", { output_index, item: item(output_index, "") });
const part = (output_index: number, delta: string) =>
  response("function_call_arguments.delta", { output_index, item_id: `fc_${output_index}`, delta });
const whole = (output_index: number, json: string) =>
  response("function_call_arguments.done", { output_index, item_id: `fc_${output_index}`, arguments: json });
const itemDone = (output_index: number, json: string) =>
  response("output_item.done", { output_index, item: item(output_index, json) });
const completed = (...output: object[]) => response("completed", { response: { status: "completed", output } });
const incomplete = response("incomplete", {
  response: { status: "incomplete", output: [], incomplete_details: { reason: "max_output_tokens" } },
});

const choice = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] });
const begun = (index: number, more: object = {}) =>
  choice({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "look", ...more } }] });
const numbered = (id: string, args: string) =>
  choice({ tool_calls: [{ index: 0, id, type: "function", function: { name: "look", arguments: args } }] });

const block = (index: number) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id: `toolu_${index}`, name: "look", input: {} },
});
const json = (index: number, partial_json: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const messageStart = { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } };
const messageEnd = (stop_reason: string) => [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason } },
  { type: "message_stop" },
];

const called = (functionCall: object, finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts: [{ functionCall }] }, ...(finishReason && { finishReason }) }],
});

const anthropic = new AnthropicProvider();
const google = new GoogleProvider();
const openai = new OpenAiProvider();
const responses = new OpenAiResponsesProvider();
const noArguments = 'The model was cut off before it gave the arguments of the tool "look".';

export const oddStreams: readonly OddStream[] = [
  {
    title: "arguments only where they are done",
    provider: responses,
    text: namedStreamOf([added(0), whole(0, '{"city":"Rome"}'), completed(item(0, '{"city":"Rome"}'))]),
    runs: [rome],
    finishReason: "tool_use",
  },
  {
    title: "arguments only where the item is done, and calls that nothing opened",
    provider: responses,
    text: namedStreamOf([added(0), itemDone(0, '{"city":"Rome"}'), itemDone(1, '{"city":"Oslo"}'), completed()]),
    runs: [rome, oslo],
    finishReason: "tool_use",
  },
  {
    title: "arguments in parts, where they are done, and where the item is done",
    provider: responses,
    text: namedStreamOf([
      added(0),
      part(0, '{"city":'),
      part(0, '"Rome"}'),
      whole(0, '{"city":"Rome"}'),
      itemDone(0, '{"city":"Rome"}'),
      completed(),
    ]),
    runs: [rome],
    finishReason: "tool_use",
  },
  {
    title: "a beginning of the arguments, and all of them where they are done",
    provider: responses,
    text: namedStreamOf([added(0), part(0, '{"ci'), whole(0, '{"city":"Rome"}'), completed()]),
    runs: [rome],
    finishReason: "tool_use",
  },
  {
    title: "a call without arguments that is done",
    provider: responses,
    text: namedStreamOf([added(0), whole(0, ""), itemDone(0, ""), completed()]),
    runs: [{}],
    finishReason: "tool_use",
  },
  {
    title: "a response that was cut off before the arguments",
    provider: responses,
    text: namedStreamOf([added(0), whole(0, ""), itemDone(0, ""), incomplete]),
    runs: [],
    refusals: [noArguments],
    finishReason: "length",
  },
  {
    title: "a completion that was cut off before the arguments",
    provider: openai,
    text: streamOf([begun(0), choice({}, "length"), "[DONE]"]),
    runs: [],
    refusals: [noArguments],
    finishReason: "length",
  },
  {
    title: "a completion that was cut off after one call's arguments and before the next one's",
    provider: openai,
    text: streamOf([begun(0, { arguments: '{"city":"Rome"}' }), begun(1), choice({}, "length"), "[DONE]"]),
    runs: [rome],
    refusals: [noArguments],
    finishReason: "length",
  },
  {
    title: "a completion that a server gave up before the arguments",
    provider: openai,
    text: streamOf([begun(0), choice({}, "abort"), "[DONE]"]),
    runs: [],
    refusals: [noArguments],
    finishReason: "other",
  },
  {
    title: "a call without arguments in a completion that says only that it stops",
    provider: openai,
    text: streamOf([begun(0), choice({}, "stop"), "[DONE]"]),
    runs: [{}],
    finishReason: "tool_use",
  },
  {
    title: "a call that comes whole once more at its end",
    provider: openai,
    text: streamOf([
      begun(0, { arguments: '{"city":' }),
      begun(0, { arguments: '"Rome"}' }),
      begun(0, { arguments: '{ "city": "Rome" }' }),
      choice({}, "tool_calls"),
      "[DONE]",
    ]),
    runs: [rome],
    finishReason: "tool_use",
  },
  {
    title: "a line end behind a call's arguments, with its name",
    provider: openai,
    text: streamOf([
      begun(0, { arguments: '{"city":"Rome"}' }),
      begun(0, { arguments: "\n" }),
      choice({ tool_calls: [{ index: 0, function: { name: "look", arguments: " " } }] }),
      choice({}, "tool_calls"),
      "[DONE]",
    ]),
    runs: [rome],
    finishReason: "tool_use",
  },
  {
    title: "two whole calls of one number, and the second once more",
    provider: openai,
    text: streamOf([
      numbered("call_a", '{"city":"Rome"}'),
      numbered("call_b", '{"city":"Oslo"}'),
      numbered("call_b", '{"city":"Oslo"}'),
      choice({}, "tool_calls"),
      "[DONE]",
    ]),
    runs: [rome, oslo],
    finishReason: "tool_use",
  },
  {
    title: "more after the end",
    provider: openai,
    text: streamOf([
      begun(0, { arguments: '{"city":"Rome"}' }),
      choice({ content: "I look." }, "tool_calls"),
      "[DONE]",
      choice({ content: " And more." }),
      begun(1, { arguments: '{"city":"Oslo"}' }),
      "no JSON",
    ]),
    runs: [rome],
    content: "I look.",
    finishReason: "tool_use",
  },
  {
    title: "a message that was cut off before a call's input",
    provider: anthropic,
    text: namedStreamOf([messageStart, block(0), ...messageEnd("max_tokens")]),
    runs: [],
    refusals: [noArguments],
    finishReason: "length",
  },
  {
    title: "a second message in the stream of the first",
    provider: anthropic,
    text: namedStreamOf([
      messageStart,
      block(0),
      json(0, '{"city":"Rome"}'),
      messageStart,
      block(0),
      json(0, '{"city":'),
      json(0, '"Oslo"}'),
      ...messageEnd("tool_use"),
    ]),
    runs: [rome, oslo],
    finishReason: "tool_use",
  },
  {
    title: "a call that comes in parts, as only a body asks for",
    provider: google,
    text: streamOf([
      called({ name: "look", willContinue: true }),
      called({ partialArgs: [{ jsonPath: "$.city", stringValue: "Rome" }], willContinue: true }),
      called({}, "STOP"),
    ]),
    runs: [],
    error: "Google sent a call in parts: leave out streamFunctionCallArguments.",
  },
  {
    title: "a whole call of Vertex's while another is open",
    provider: new VertexProvider(),
    text: streamOf([
      called({ name: "look", willContinue: true }),
      called({ partialArgs: [{ jsonPath: "$.city", stringValue: "Ro", willContinue: true }], willContinue: true }),
      called({ name: "look", args: oslo }, "STOP"),
    ]),
    runs: [oslo],
    refusals: [noArguments],
    finishReason: "other",
  },
  {
    title: "calls in parts of Vertex's, each begun while the one before is open",
    provider: new VertexProvider(),
    text: streamOf([
      called({ id: "a", name: "look", willContinue: true }),
      called({ id: "a", partialArgs: [{ jsonPath: "$.city", stringValue: "Ro" }], willContinue: true }),
      called({ id: "b", name: "look", partialArgs: [{ jsonPath: "$.city", stringValue: "Pa" }], willContinue: true }),
      called({ name: "look", willContinue: true }),
      called({ name: "look", partialArgs: [{ jsonPath: "$.city", stringValue: "Oslo" }], willContinue: true }),
      called({}, "STOP"),
    ]),
    runs: [oslo],
    refusals: [noArguments, noArguments],
    finishReason: "other",
  },
  {
    title: "a call without arguments",
    provider: google,
    text: streamOf([called({ name: "look" }, "STOP")]),
    runs: [{}],
    finishReason: "tool_use",
  },
];

/** Streams with one call, whose arguments end somewhere: with a word that the model was cut off, or as if they were complete. */
export const cutCalls: readonly { readonly title: string; streamOf(json: string, isCut: boolean): OddStream }[] = [
  {
    title: "chat completions",
    streamOf: (args, isCut) => ({
      ...{ title: "", provider: openai, runs: [] },
      text: streamOf([begun(0), begun(0, { arguments: args }), choice({}, isCut ? "length" : "tool_calls"), "[DONE]"]),
    }),
  },
  {
    title: "responses",
    streamOf: (args, isCut) => ({
      ...{ title: "", provider: responses, runs: [] },
      text: namedStreamOf([added(0), part(0, args), isCut ? incomplete : completed()]),
    }),
  },
  {
    title: "messages",
    streamOf: (args, isCut) => ({
      ...{ title: "", provider: anthropic, runs: [] },
      text: namedStreamOf([messageStart, block(0), json(0, args), ...messageEnd(isCut ? "max_tokens" : "tool_use")]),
    }),
  },
  {
    title: "Converse",
    streamOf: (args, isCut) => ({
      ...{ title: "", provider: new BedrockProvider(), runs: [], contentType: "application/vnd.amazon.eventstream" },
      text: converseStreamOf([
        ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "tooluse_1", name: "look" } } }],
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: args } } }],
        ["messageStop", { stopReason: isCut ? "max_tokens" : "tool_use" }],
        ["metadata", { usage: { inputTokens: 1, outputTokens: 1 } }],
      ]),
    }),
  },
];

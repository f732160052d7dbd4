import { expect, test } from "vitest";
import type { AiMessage } from "../types.ts";
import { AnthropicProvider } from "./anthropic.ts";
import * as anthropic from "./anthropic.test-fixture.ts";
import { namedStreamOf, readStream, streamOf } from "./read-stream.test-helper.ts";

const provider = new AnthropicProvider();
const usage = { promptTokens: 125, completionTokens: 12, totalTokens: 137, cachedTokens: 100, reasoningTokens: 7 };
const hello: AiMessage[] = [{ role: "user", content: "Hello" }];
const helloTurns = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

function turnsFor(messages: AiMessage[]) {
  return JSON.parse(provider.buildRequest(messages, { model: "claude" }).body).messages;
}

test("a stream gives its text and its usage; pings, citations and events to come are passed over", () => {
  const answer = { content: "Hello there", reasoning: "", toolCalls: [], usage, finishReason: "stop", done: true };
  expect(readStream(provider, namedStreamOf(anthropic.textStream))).toEqual(answer);
  expect(readStream(provider, streamOf(anthropic.textStream))).toEqual(answer);
  expect(readStream(provider, "event: message_stop\ndata: {}\n\n").done).toBe(true);
});

test("thoughts are reasoning, and go back with their signatures and in their places, streamed or not", () => {
  const expected = {
    content: "I will look.",
    reasoning: "Let me see.\n\nAnd now?",
    finishReason: "tool_use",
    usage,
  };
  const toolCalls = [
    { id: "toolu_1", name: "get_weather", arguments: '{"place":"Tokyo"}' },
    { id: "toolu_2", name: "get_time", arguments: "{}" },
  ];
  const streamed = readStream(provider, namedStreamOf(anthropic.thinkingStream));
  expect(streamed).toMatchObject(expected);
  expect(streamed.toolCalls.filter(Boolean).map((call) => ({ ...call, arguments: call.arguments || "{}" }))).toEqual(
    toolCalls,
  );
  const whole = provider.parseResponse(anthropic.message(anthropic.thinkingBlocks, "tool_use"));
  const emptied = toolCalls.map((call) => ({ ...call, arguments: call.arguments === "{}" ? "" : call.arguments }));
  expect(whole).toMatchObject({ ...expected, toolCalls: emptied });
  expect(whole.providerHints).toEqual(streamed.providerHints);
  const restored = JSON.parse(JSON.stringify({ ...whole, role: "assistant" })) as AiMessage;
  expect(turnsFor([...hello, restored])[1].content).toEqual(anthropic.thinkingBlocks);
});

test("a thought that was cut off before its signature is not sent back", () => {
  const { reasoning, content, finishReason, providerHints } = readStream(
    provider,
    namedStreamOf(anthropic.cutThoughtStream),
  );
  expect([reasoning, finishReason]).toEqual(["Let me", "length"]);
  const answer: AiMessage = { role: "assistant", content, reasoning, providerHints: { ...(providerHints as object) } };
  expect(turnsFor([...hello, answer])).toEqual(helloTurns);
});

test("what tools that Anthropic runs itself are given is no call", () => {
  expect(readStream(provider, namedStreamOf(anthropic.serverToolStream))).toMatchObject({
    content: "Found.",
    toolCalls: [],
  });
});

test.each([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_use"],
  ["refusal", "safety"],
  ["pause_turn", "other"],
  ["toString", "other"],
])("%s finishes as %s", (reason, finishReason) => {
  expect(readStream(provider, namedStreamOf(anthropic.finishedBy(reason))).finishReason).toBe(finishReason);
  expect(provider.parseResponse(anthropic.message([], reason)).finishReason).toBe(finishReason);
});

test("an error inside a stream is the HTTP error that it would have been before it", () => {
  const body = JSON.stringify(anthropic.overloaded);
  expect(readStream(provider, namedStreamOf([anthropic.messageStart, anthropic.overloaded]))).toMatchObject({
    error: { status: 529, statusText: "overloaded_error", body },
    done: false,
  });
  const timeout = { type: "error", error: { type: "timeout_error", message: "Too slow." } };
  expect(readStream(provider, namedStreamOf([timeout])).error).toMatchObject({ status: 504 });
  const invalid = { type: "error", error: { type: "invalid_request_error", message: "Too long." } };
  expect(readStream(provider, namedStreamOf([invalid])).error).toEqual(new Error("Anthropic failed: Too long."));
  expect(readStream(provider, "event: error\ndata: down\n\n").error).toEqual(
    new Error("Anthropic sent an event that is not JSON: down"),
  );
});

test("an error with status 200, and an answer that holds none, throw", () => {
  expect(() => provider.parseResponse(anthropic.overloaded)).toThrow(expect.objectContaining({ status: 529 }));
  for (const data of [undefined, [], { content: "text" }]) {
    expect(() => provider.parseResponse(data)).toThrow("Anthropic failed: its answer holds none");
  }
});

test("events whose fields hold anything else are passed over", () => {
  const odd = [
    { type: 3 },
    { type: "content_block_delta", delta: "x" },
    { type: "content_block_start" },
    { type: "message_start" },
  ];
  const read = readStream(provider, streamOf([...odd, null, 7, []]));
  expect(read).toMatchObject({ content: "", toolCalls: [], done: false });
  expect(read.error).toBeUndefined();
});

test("each event can be read alone: calls keep their number, and no count is lost", () => {
  const results = anthropic.thinkingStream.map((event) => provider.parseStreamChunk(event.type, JSON.stringify(event)));
  const deltas = results.flatMap((result) => result?.toolCallDeltas ?? []);
  const json = deltas.filter(({ index }) => index === 4).map(({ argumentsDelta = "" }) => argumentsDelta);
  expect(json.join("")).toBe('{"place":"Tokyo"}');
  expect(Object.assign({}, ...results.map((result) => result?.usage))).toMatchObject({
    promptTokens: 125,
    completionTokens: 12,
  });
});

test("a prompt that was all in the cache counts, and a zero at the end takes nothing back", () => {
  const cached = { input_tokens: 0, cache_read_input_tokens: 90, cache_creation_input_tokens: 10, output_tokens: 1 };
  const end = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 12 };
  const events = [
    { type: "message_start", message: { usage: cached } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: end },
  ];
  const expected = { promptTokens: 100, completionTokens: 12, totalTokens: 112, cachedTokens: 90 };
  expect(readStream(provider, namedStreamOf(events)).usage).toEqual(expected);
});

import { expect, test } from "vitest";
import type { AiMessage } from "../types.ts";
import { OpenAiProvider } from "./openai.ts";
import * as openai from "./openai.test-fixture.ts";
import { readStream, streamOf } from "./read-stream.test-helper.ts";

const provider = new OpenAiProvider();
const usage = { promptTokens: 20, completionTokens: 10, totalTokens: 30, cachedTokens: 8, reasoningTokens: 4 };

function messagesFor(messages: AiMessage[]) {
  return JSON.parse(provider.buildRequest(messages, { model: "a-model" }).body).messages;
}

test("a stream gives its text, and the usage that comes after the reason to finish", () => {
  expect(readStream(provider, streamOf(openai.textStream))).toEqual({
    content: "Hello there",
    reasoning: "",
    toolCalls: [],
    usage,
    finishReason: "stop",
    done: true,
  });
});

test("calls are put together from their parts by their numbers", () => {
  expect(readStream(provider, streamOf(openai.callStream))).toMatchObject({
    toolCalls: [
      { id: "call_1", name: "get_weather", arguments: '{"place":"Tokyo"}' },
      { id: "call_2", name: "get_time", arguments: "{}" },
    ],
    usage,
    finishReason: "tool_use",
    done: true,
  });
});

test("a call that begins under the number of another is another call, and goes on under it", () => {
  const part = (fields: object) => ({ choices: [{ delta: { tool_calls: [{ index: 0, ...fields }] } }] });
  const events = [
    part({ id: "call_1", function: { name: "get_weather", arguments: '{"place":' } }),
    // Some servers make up another id for every part.
    part({ id: "call_1b", function: { arguments: '"Tokyo"}' } }),
    part({ id: "call_2", function: { name: "get_time", arguments: "{" } }),
    part({ function: { arguments: "}" } }),
  ];
  expect(readStream(provider, streamOf(events)).toolCalls.map(({ name, arguments: json }) => [name, json])).toEqual([
    ["get_weather", '{"place":"Tokyo"}'],
    ["get_time", "{}"],
  ]);
});

test("a refusal is the content, and finishes as safety, streamed or not", () => {
  expect(readStream(provider, streamOf(openai.refusalStream))).toMatchObject({
    content: "I cannot help.",
    finishReason: "safety",
    done: true,
  });
  expect(provider.parseResponse(openai.completion({ content: null, refusal: "No." }, "stop"))).toMatchObject({
    content: "No.",
    finishReason: "safety",
  });
});

test.each(["reasoning_content", "reasoning"])(
  "thoughts in %s are reasoning, and go back with the calls that they led to",
  (field) => {
    const read = readStream(provider, streamOf(openai.thinkingStream(field)));
    expect(read).toMatchObject({ content: "Four.", reasoning: "Let me think." });
    const whole = provider.parseResponse(openai.completion({ content: "Four.", [field]: "Let me think." }, "stop"));
    expect(whole).toMatchObject({ content: "Four.", reasoning: "Let me think.", providerHints: read.providerHints });
    const answer = {
      role: "assistant" as const,
      content: "",
      reasoning: "Let me think.",
      providerHints: whole.providerHints ?? {},
    };
    const toolCalls = [{ id: "1", name: "get_weather", arguments: "{}" }];
    expect(messagesFor([{ ...answer, toolCalls }, answer])).toMatchObject([
      { content: null, [field]: "Let me think." },
      { role: "assistant", content: "" },
    ]);
    expect(messagesFor([answer])[0]).not.toHaveProperty(field);
  },
);

test("no other field is written from what a message says its thoughts came in", () => {
  const providerHints = { openai: { thoughts: "role" } };
  const toolCalls = [{ id: "1", name: "get_weather", arguments: "{}" }];
  const message: AiMessage = { role: "assistant", content: "", reasoning: "system", providerHints, toolCalls };
  expect(messagesFor([message])[0].role).toBe("assistant");
});

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "safety"],
  ["constructor", "other"],
  ["eos", "other"],
])("%s finishes as %s", (reason, finishReason) => {
  expect(readStream(provider, streamOf(openai.finishedBy(reason))).finishReason).toBe(finishReason);
  expect(provider.parseResponse(openai.completion({ content: "a" }, reason)).finishReason).toBe(finishReason);
});

test("a whole answer gives its text, calls that have an id and a name, usage and reason", () => {
  const tool_calls = [
    { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"place":"Tokyo"}' } },
    { id: "call_2", type: "custom", custom: { name: "other", input: "" } },
    null,
  ];
  expect(provider.parseResponse(openai.completion({ content: null, tool_calls }, "tool_calls"))).toEqual({
    content: "",
    toolCalls: [{ id: "call_1", name: "get_weather", arguments: '{"place":"Tokyo"}' }],
    usage,
    finishReason: "tool_use",
  });
  const parts = [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  expect(provider.parseResponse(openai.completion({ content: parts }, "stop")).content).toBe("ab");
});

test("chunks that say nothing are passed over, whatever their fields hold", () => {
  for (const chunk of [
    openai.filterChunk,
    {},
    null,
    [],
    5,
    { choices: [null], error: null },
    { choices: {}, usage: 0 },
    { choices: [{ delta: 3 }] },
  ]) {
    const read = readStream(provider, streamOf([chunk]));
    expect(read).toEqual({ content: "", reasoning: "", toolCalls: [], done: false });
  }
});

test("an event that is not JSON is an error that names the provider", () => {
  expect(readStream(provider, 'data: {"choices":\n\n').error).toEqual(
    new Error('OpenAI sent an event that is not JSON: {"choices":'),
  );
});

test("an error inside a stream is the answer's error, an HTTP error where it names one", () => {
  const body = JSON.stringify(openai.failure);
  expect(readStream(provider, streamOf([openai.failure]))).toMatchObject({
    error: { status: 500, statusText: "server_error", body },
    done: false,
  });
  expect(readStream(provider, streamOf([{ error: { code: 429, message: "Slow down" } }])).error).toMatchObject({
    status: 429,
  });
  expect(readStream(provider, streamOf([{ error: { code: "rate_limit_exceeded" } }])).error).toMatchObject({
    status: 429,
  });
  expect(
    readStream(provider, streamOf([{ error: { message: "No quota.", code: "insufficient_quota" } }])).error,
  ).toEqual(new Error("OpenAI failed: No quota."));
  expect(readStream(provider, streamOf([{ error: "down" }])).error).toEqual(new Error("OpenAI failed: down"));
  expect(readStream(provider, 'event: error\ndata: {"message":"Overloaded"}\n\n').error).toEqual(
    new Error("OpenAI failed: Overloaded"),
  );
});

test("an error with status 200, and an answer that holds none, throw", () => {
  expect(() => provider.parseResponse({ error: { message: "No." } })).toThrow("OpenAI failed: No.");
  for (const data of [null, "hello", {}, { choices: [] }]) {
    expect(() => provider.parseResponse(data)).toThrow("OpenAI failed: its answer holds none");
  }
});

test("a provider that extends OpenAI's and reads its own chunks is given them in a stream too", () => {
  class Own extends OpenAiProvider {
    override parseStreamChunk(event: string | undefined, data: string) {
      const result = super.parseStreamChunk(event, data);
      return result?.delta ? { ...result, delta: result.delta.toUpperCase() } : result;
    }
  }
  expect(readStream(new Own(), streamOf(openai.textStream)).content).toBe("HELLO THERE");
});

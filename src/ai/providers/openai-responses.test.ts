import { expect, test } from "vitest";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { conversation, options, pixel, schema, weather } from "./conversation.test-fixture.ts";
import { OpenAiResponsesProvider } from "./openai-responses.ts";
import * as responses from "./openai-responses.test-fixture.ts";
import { namedStreamOf, readStream, streamOf } from "./read-stream.test-helper.ts";

const provider = new OpenAiResponsesProvider();
const usage = { promptTokens: 20, completionTokens: 10, totalTokens: 30, cachedTokens: 8, reasoningTokens: 4 };
const hello: AiMessage[] = [{ role: "user", content: "Hello" }];

function bodyFor(more: Partial<AiRequestOptions>, messages = hello) {
  return JSON.parse(provider.buildRequest(messages, { model: "gpt-4o", ...more }).body);
}

test("a request goes to /v1/responses, and asks that nothing be kept", () => {
  const request = provider.buildRequest(hello, { model: "gpt-4o", apiKey: "sk-1" });
  expect(request.url).toBe("https://api.openai.com/v1/responses");
  expect(request.headers).toEqual({ "Content-Type": "application/json", Authorization: "Bearer sk-1" });
  expect(JSON.parse(request.body)).toEqual({ model: "gpt-4o", input: hello, stream: true, store: false });
});

test("a conversation becomes items: calls and their results beside what was said", () => {
  const called = (id: string, json: string) => ({
    type: "function_call",
    call_id: id,
    name: "get_weather",
    arguments: json,
  });
  const result = (id: string, output: string) => ({ type: "function_call_output", call_id: id, output });
  expect(bodyFor({ system: "You are a guide." }, conversation).input).toEqual([
    { role: "system", content: "You are a guide." },
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "input_text", text: "Where is this, and how is the weather there?" },
        { type: "input_image", image_url: pixel, detail: "low" },
      ],
    },
    called("call_1", '{"place":"Tokyo"}'),
    called("call_2", '{"place":"Kyoto"}'),
    result("call_1", '{"temperature":18}'),
    result("call_2", '{"error":"No such place."}'),
    { role: "assistant", content: "Once more." },
    called("call_3", "{}"),
    result("call_3", "[1,2]"),
    { role: "user", content: "Well?" },
  ]);
});

test("the options become fields of the body", () => {
  expect(bodyFor({ ...options, system: "", stream: false })).toEqual({
    model: "a-model",
    input: hello,
    stream: false,
    store: false,
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 500,
    tools: [{ type: "function", ...weather, strict: false }],
    tool_choice: "required",
  });
  expect(bodyFor({ tools: [weather], toolChoice: { name: "a" } }).tool_choice).toEqual({ type: "function", name: "a" });
  expect(bodyFor({ toolChoice: "auto" })).not.toHaveProperty("tool_choice");
  expect(bodyFor({ responseSchema: schema }).text).toEqual({
    format: { type: "json_schema", name: "response", schema, strict: true },
  });
});

test("thoughts are asked for, encrypted, of models that think, and shown where reasoning is asked for", () => {
  const include = ["reasoning.encrypted_content"];
  expect(bodyFor({ model: "o4-mini" })).toMatchObject({ include });
  expect(bodyFor({ model: "o4-mini" })).not.toHaveProperty("reasoning");
  expect(bodyFor({ reasoning: { effort: "low" } })).toMatchObject({
    include,
    reasoning: { effort: "low", summary: "auto" },
  });
});

test.each([{ stop: ["END"] }, { seed: 7 }])(
  "an option that the API does not have is refused by its name: %o",
  (more) => {
    expect(() => bodyFor(more)).toThrow(`The provider openai-responses has no ${Object.keys(more)[0]}; leave it out.`);
  },
);

test("a stream gives text, thoughts, calls and usage; what repeats them adds nothing", () => {
  const streamed = readStream(provider, namedStreamOf(responses.stream));
  expect(streamed).toMatchObject({
    content: "I will look.",
    reasoning: "First.\n\nSecond.",
    usage,
    finishReason: "tool_use",
    done: true,
  });
  expect(streamed.toolCalls.filter(Boolean)).toEqual([
    { id: "call_1", name: "get_weather", arguments: '{"place":"Tokyo"}' },
    { id: "call_2", name: "get_weather", arguments: "{}" },
  ]);
  expect(streamed.error).toBeUndefined();
});

test("encrypted thoughts go back with what followed them, in their order, streamed or not", () => {
  const whole = provider.parseResponse(responses.response(responses.output));
  expect(whole).toMatchObject({
    content: "I will look.",
    reasoning: "First.\n\nSecond.",
    usage,
    finishReason: "tool_use",
  });
  expect(whole.providerHints).toEqual(readStream(provider, namedStreamOf(responses.stream)).providerHints);
  const restored = JSON.parse(JSON.stringify({ ...whole, role: "assistant" })) as AiMessage;
  expect(bodyFor({}, [...hello, restored]).input.slice(1)).toEqual(responses.input);
});

test("thoughts that are not encrypted are reasoning, and are not sent back", () => {
  const { reasoning, providerHints } = readStream(provider, namedStreamOf(responses.openThoughtStream));
  expect(reasoning).toBe("Hm.");
  expect(providerHints).toBeUndefined();
});

test("a refusal is the content, and finishes as safety, streamed or not", () => {
  const expected = { content: "I cannot help.", finishReason: "safety" };
  expect(readStream(provider, namedStreamOf(responses.refusalStream))).toMatchObject(expected);
  expect(provider.parseResponse(responses.refusalStream.at(-1)?.response)).toMatchObject(expected);
});

test.each([
  ["max_output_tokens", "length"],
  ["content_filter", "safety"],
  ["valueOf", "other"],
])("a response that %s left incomplete finishes as %s", (reason, finishReason) => {
  const response = responses.cutBy(reason);
  expect(readStream(provider, namedStreamOf([{ type: "response.incomplete", response }]))).toMatchObject({
    finishReason,
    done: true,
  });
  expect(provider.parseResponse(response)).toMatchObject({ content: "a", finishReason });
});

test("a response that failed is an error, an HTTP error where OpenAI names one, streamed or not", () => {
  const failed = { type: "response.failed", response: responses.failed };
  expect(readStream(provider, namedStreamOf([failed]))).toMatchObject({ error: { status: 500 }, done: false });
  expect(() => provider.parseResponse(responses.failed)).toThrow(
    expect.objectContaining({ status: 500, statusText: "server_error" }),
  );
  const event = { type: "error", code: "ERR", message: "Something broke.", param: null, sequence_number: 1 };
  expect(readStream(provider, namedStreamOf([event])).error).toEqual(new Error("OpenAI failed: Something broke."));
  expect(() => provider.parseResponse({ output: [], status: "cancelled" })).toThrow(
    "OpenAI failed: its answer holds none",
  );
  expect(() => provider.parseResponse({ error: null })).toThrow("OpenAI failed: its answer holds none");
});

test("events of tools that OpenAI runs itself, and fields that hold anything else, are passed over", () => {
  const odd = [
    { type: "response.output_item.added" },
    { type: "response.output_text.delta", delta: 5 },
    null,
    { type: 5 },
  ];
  const read = readStream(provider, namedStreamOf(responses.hostedStream) + streamOf(odd));
  expect(read).toEqual({ content: "", reasoning: "", toolCalls: [], done: false });
});

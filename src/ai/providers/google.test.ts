import { expect, test } from "vitest";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { conversation, options, pixel, schema, weather } from "./conversation.test-fixture.ts";
import { GoogleProvider } from "./google.ts";
import * as google from "./google.test-fixture.ts";
import { readStream, streamOf } from "./read-stream.test-helper.ts";

const provider = new GoogleProvider();
const usage = { promptTokens: 20, completionTokens: 10, totalTokens: 30, cachedTokens: 8, reasoningTokens: 4 };
const hello: AiMessage[] = [{ role: "user", content: "Hello" }];
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];

function bodyFor(more: Partial<AiRequestOptions>, messages = hello) {
  return JSON.parse(provider.buildRequest(messages, { model: "gemini", ...more }).body);
}

test("a request goes to its model, escaped, and its method, with the key as a header", () => {
  const request = provider.buildRequest(hello, { model: "gemini/2 x", apiKey: "k" });
  const model = "https://generativelanguage.googleapis.com/v1beta/models/gemini%2F2%20x";
  expect(request.url).toBe(`${model}:streamGenerateContent?alt=sse`);
  expect(request.headers).toEqual({ "Content-Type": "application/json", "x-goog-api-key": "k" });
  expect(provider.buildRequest(hello, { model: "gemini/2 x", stream: false }).url).toBe(`${model}:generateContent`);
});

test("a model may be named as Google's own lists name it", () => {
  const urlOf = (model: string) => provider.buildRequest(hello, { model }).url;
  expect(urlOf("models/gemini-2.5-pro")).toBe(urlOf("gemini-2.5-pro"));
});

test("a conversation becomes contents: the results of a turn in one, each an object", () => {
  const call = (place?: string) => ({ name: "get_weather", args: place ? { place } : {} });
  const result = (id: string, response: object) => ({ functionResponse: { id, name: "get_weather", response } });
  const body = bodyFor({ system: "You are a guide." }, conversation);
  expect(body.systemInstruction).toEqual({ parts: [{ text: "You are a guide." }, { text: "Be brief." }] });
  expect(body.contents).toEqual([
    {
      role: "user",
      parts: [
        { text: "Where is this, and how is the weather there?" },
        { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    {
      role: "model",
      parts: [
        { functionCall: { id: "call_1", ...call("Tokyo") } },
        { functionCall: { id: "call_2", ...call("Kyoto") } },
      ],
    },
    {
      role: "user",
      parts: [result("call_1", { temperature: 18 }), result("call_2", { error: "No such place." })],
    },
    { role: "model", parts: [{ text: "Once more." }, { functionCall: { id: "call_3", ...call() } }] },
    { role: "user", parts: [result("call_3", { content: [1, 2] })] },
    { role: "user", parts: [{ text: "Well?" }] },
  ]);
});

test.each([
  ["sunny", { content: "sunny" }],
  ["18", { content: 18 }],
  ["null", { content: "null" }],
  ['{"a":1}', { a: 1 }],
])("the result %s is given as %o", (content, response) => {
  const message: AiMessage = { role: "tool", content, toolCallId: "x" };
  expect(bodyFor({}, [message]).contents[0].parts[0].functionResponse.response).toEqual(response);
});

test("an image that is not in a data: URL is refused with what to do", () => {
  const ask = (url: string) => () => bodyFor({}, [{ role: "user", content: [{ type: "image", url }] }]);
  expect(ask("https://example.com/cat.jpg")).toThrow(
    "Gemini takes an image as a data: URL only; fetch and encode https://example.com/cat.jpg first.",
  );
  expect(ask("data:image/png;charset=utf-8;base64,AAAA")().contents[0].parts).toEqual([
    { inlineData: { mimeType: "image/png", data: "AAAA" } },
  ]);
  expect(ask(pixel)).not.toThrow();
});

test("the options become fields of the body", () => {
  expect(bodyFor({})).toEqual({ contents, generationConfig: {} });
  expect(bodyFor({ ...options, system: "", stop: ["END"], seed: 7, body: { generationConfig: { topK: 3 } } })).toEqual({
    contents,
    generationConfig: { temperature: 0.5, topP: 0.9, maxOutputTokens: 500, stopSequences: ["END"], seed: 7, topK: 3 },
    tools: [{ functionDeclarations: [weather] }],
    toolConfig: { functionCallingConfig: { mode: "ANY" } },
  });
  const choice = (toolChoice: AiRequestOptions["toolChoice"]) =>
    bodyFor({ tools: [weather], ...(toolChoice && { toolChoice }) }).toolConfig?.functionCallingConfig;
  expect([choice("auto"), choice("none"), choice({ name: "a" }), choice(undefined)]).toEqual([
    { mode: "AUTO" },
    { mode: "NONE" },
    { mode: "ANY", allowedFunctionNames: ["a"] },
    undefined,
  ]);
});

test("thoughts are asked for by budget or by level", () => {
  expect(bodyFor({ reasoning: { budgetTokens: 1024 } }).generationConfig.thinkingConfig).toEqual({
    includeThoughts: true,
    thinkingBudget: 1024,
  });
  expect(bodyFor({ reasoning: { effort: "low" } }).generationConfig.thinkingConfig).toEqual({
    includeThoughts: true,
    thinkingLevel: "LOW",
  });
  expect(bodyFor({ reasoning: { budgetTokens: 0 } }).generationConfig.thinkingConfig).toEqual({
    includeThoughts: false,
    thinkingBudget: 0,
  });
});

test("an answer by a schema is JSON by responseSchema, or by responseJsonSchema where that cannot hold it", () => {
  const responseMimeType = "application/json";
  const { additionalProperties: _, ...plain } = schema;
  expect(bodyFor({ responseSchema: plain }).generationConfig).toEqual({ responseMimeType, responseSchema: plain });
  expect(bodyFor({ responseSchema: schema }).generationConfig).toEqual({
    responseMimeType,
    responseJsonSchema: schema,
  });
});

test("a tool's schema that parameters cannot hold, or that has no properties, goes as parametersJsonSchema", () => {
  const declared = (parameters: object) =>
    bodyFor({ tools: [{ name: "a", description: "b", parameters }] }).tools[0].functionDeclarations[0];
  expect(declared(schema)).toEqual({ name: "a", description: "b", parametersJsonSchema: schema });
  const empty = { type: "object", properties: {} };
  expect(declared(empty)).toEqual({ name: "a", description: "b", parametersJsonSchema: empty });
  expect(declared(weather.parameters)).toEqual({ name: "a", description: "b", parameters: weather.parameters });
});

test.each([
  { type: ["string", "null"] },
  { enum: [1, 2] },
  { type: "string", format: "email" },
  { type: "number", exclusiveMinimum: 0 },
  { type: "object" },
  { type: "array", items: { const: 1 } },
  { anyOf: [{ type: "string" }, { $ref: "#" }] },
  { type: "array", prefixItems: [{ type: "string" }] },
  true,
])("%o is in no schema that goes as parameters", (property) => {
  const parameters = { type: "object", properties: { place: { type: "string" }, property } };
  const [declared] = bodyFor({ tools: [{ name: "a", description: "b", parameters }] }).tools[0].functionDeclarations;
  expect(declared.parametersJsonSchema).toEqual(parameters);
});

test("a property may have the name of a keyword", () => {
  const parameters = {
    type: "object",
    properties: {
      not: { type: "string", enum: ["a"] },
      const: { type: "array", items: { type: "integer", minimum: 1 } },
    },
    required: ["not"],
  };
  const [declared] = bodyFor({ tools: [{ name: "a", description: "b", parameters }] }).tools[0].functionDeclarations;
  expect(declared.parameters).toEqual(parameters);
});

test("a stream gives its text and its usage, and the reason to finish without an end of its own", () => {
  const answer = { content: "Hello there", reasoning: "", toolCalls: [], usage, finishReason: "stop", done: false };
  expect(readStream(provider, streamOf(google.textStream))).toEqual(answer);
  expect(provider.parseResponse(google.chunk([{ text: "Hello there" }], "STOP"))).toEqual({
    content: "Hello there",
    usage,
    finishReason: "stop",
  });
});

test("thoughts are reasoning; signatures go back on the parts that they came on, streamed or not", () => {
  const expected = {
    content: "I will look.",
    reasoning: "Let me see.Sure?",
    toolCalls: [
      { id: "srv-1", name: "Tokyo", arguments: '{"place":"Tokyo"}' },
      { id: "srv-2", name: "Kyoto", arguments: '{"place":"Kyoto"}' },
    ],
    finishReason: "tool_use",
  };
  const streamed = readStream(provider, streamOf(google.signedStream));
  expect(streamed).toMatchObject(expected);
  const parts = google.signedStream.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
  const whole = provider.parseResponse(google.chunk(parts, "STOP"));
  expect(whole).toMatchObject({ ...expected, providerHints: streamed.providerHints });
  const restored = JSON.parse(JSON.stringify({ ...whole, role: "assistant" })) as AiMessage;
  expect(bodyFor({}, [...hello, restored]).contents[1]).toEqual({ role: "model", parts: google.signedParts });
  const late = readStream(provider, streamOf(google.lateSignatureStream));
  const answer: AiMessage = {
    role: "assistant",
    content: late.content,
    providerHints: { ...(late.providerHints as object) },
  };
  expect(bodyFor({}, [answer]).contents[0].parts).toEqual([
    { text: "Four." },
    { text: "", thoughtSignature: "bGF0ZQ==" },
  ]);
});

test("a call without an id gets one of its own kind, unlike every other, which is never sent", () => {
  const [first, second] = [1, 2].map(() => readStream(provider, streamOf(google.callWithoutId)).toolCalls[0]);
  expect(first).toMatchObject({
    id: expect.stringMatching(/^gemini:get_weather:\d+$/),
    name: "get_weather",
    arguments: "{}",
  });
  expect(second?.id).not.toBe(first?.id);
  const toolCalls = first ? [first] : [];
  const body = bodyFor({}, [
    { role: "assistant", content: "", toolCalls },
    { role: "tool", content: "18", toolCallId: first?.id ?? "" },
  ]);
  expect(body.contents).toEqual([
    { role: "model", parts: [{ functionCall: { name: "get_weather", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { content: 18 } } }] },
  ]);
});

test("a blocked prompt finishes as safety, with what Google says of it", () => {
  const expected = { content: "The prompt was blocked.", finishReason: "safety" };
  expect(readStream(provider, streamOf([google.blocked]))).toMatchObject(expected);
  expect(provider.parseResponse(google.blocked)).toMatchObject(expected);
});

test.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "safety"],
  ["RECITATION", "safety"],
  ["BLOCKLIST", "safety"],
  ["PROHIBITED_CONTENT", "safety"],
  ["SPII", "safety"],
  ["LANGUAGE", "safety"],
  ["IMAGE_SAFETY", "safety"],
  ["MALFORMED_FUNCTION_CALL", "other"],
  ["OTHER", "other"],
])("%s finishes as %s", (reason, finishReason) => {
  expect(readStream(provider, streamOf([google.chunk([{ text: "a" }], reason)])).finishReason).toBe(finishReason);
});

test("an error inside a stream, or with status 200, has the status that Google names", () => {
  expect(readStream(provider, streamOf([google.failure])).error).toMatchObject({
    status: 503,
    statusText: "UNAVAILABLE",
  });
  expect(() => provider.parseResponse(google.failure)).toThrow(expect.objectContaining({ status: 503 }));
  expect(() => provider.parseResponse({ usageMetadata: {} })).toThrow("Google failed: its answer holds none");
});

test("parts of other kinds, and fields that hold anything else, are passed over", () => {
  const odd = [
    { candidates: [null] },
    { candidates: [{ content: { parts: [1, null, { text: 5 }] } }] },
    { candidates: 1 },
  ];
  const read = readStream(provider, streamOf([google.chunk(google.otherParts), ...odd]));
  expect(read).toEqual({ content: "", reasoning: "", toolCalls: [], usage, done: false });
});

test("each chunk can be read alone: no two calls have the same number", () => {
  const results = google.signedStream.map((chunk) => provider.parseStreamChunk(undefined, JSON.stringify(chunk)));
  const numbers = results.flatMap((result) => result?.toolCallDeltas ?? []).map(({ index }) => index);
  expect(new Set(numbers).size).toBe(2);
});

import { expect, test } from "vitest";
import { conversation, options, pixel, schema, weather } from "./conversation.test-fixture.ts";
import { OpenAiProvider } from "./openai.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";

const provider = new OpenAiProvider();
const hello: AiMessage[] = [{ role: "user", content: "Hello" }];

function bodyFor(more: Partial<AiRequestOptions>, messages = hello) {
  return JSON.parse(provider.buildRequest(messages, { model: "gpt-4o", ...more }).body);
}

test("a request goes to /v1/chat/completions of the base URL, with the key as a bearer token", () => {
  const request = provider.buildRequest(hello, { model: "gpt-4o", apiKey: "sk-1" });
  expect(request.url).toBe("https://api.openai.com/v1/chat/completions");
  expect(request.headers).toEqual({ "Content-Type": "application/json", Authorization: "Bearer sk-1" });
  const proxied = provider.buildRequest(hello, { model: "gpt-4o", baseUrl: "/api/ai/" });
  expect(proxied.url).toBe("/api/ai/v1/chat/completions");
  expect(proxied.headers).toEqual({ "Content-Type": "application/json" });
});

test("a conversation becomes messages: parts of the user, calls and results of tools", () => {
  const arguments_ = (place: string) => JSON.stringify({ place });
  const call = (id: string, json: string) => ({
    id,
    type: "function",
    function: { name: "get_weather", arguments: json },
  });
  expect(bodyFor({ system: "You are a guide." }, conversation).messages).toEqual([
    { role: "system", content: "You are a guide." },
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Where is this, and how is the weather there?" },
        { type: "image_url", image_url: { url: pixel, detail: "low" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [call("call_1", arguments_("Tokyo")), call("call_2", arguments_("Kyoto"))],
    },
    { role: "tool", content: '{"temperature":18}', tool_call_id: "call_1" },
    { role: "tool", content: '{"error":"No such place."}', tool_call_id: "call_2" },
    { role: "assistant", content: "Once more.", tool_calls: [call("call_3", "{}")] },
    { role: "tool", content: "[1,2]", tool_call_id: "call_3" },
    { role: "assistant", content: "" },
    { role: "user", content: "Well?" },
  ]);
});

test("content in parts becomes text everywhere but in a user's message", () => {
  const content = [
    { type: "text" as const, text: "a" },
    { type: "image" as const, url: pixel },
    { type: "text" as const, text: "b" },
  ];
  expect(
    bodyFor({}, [
      { role: "assistant", content },
      { role: "system", content },
    ]).messages,
  ).toEqual([
    { role: "assistant", content: "ab" },
    { role: "system", content: "ab" },
  ]);
});

test("the options become fields of the body; what was not asked for is not in it", () => {
  expect(bodyFor({})).toEqual({
    model: "gpt-4o",
    messages: hello,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(bodyFor({ ...options, stream: false, stop: ["END"], seed: 7, reasoning: { effort: "low" } }, [])).toEqual({
    model: "a-model",
    messages: [{ role: "system", content: "You are a guide." }],
    stream: false,
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 500,
    stop: ["END"],
    seed: 7,
    reasoning_effort: "low",
    tools: [{ type: "function", function: weather }],
    tool_choice: "required",
  });
  expect(bodyFor({ tools: [weather], toolChoice: { name: "get_weather" } }).tool_choice).toEqual({
    type: "function",
    function: { name: "get_weather" },
  });
  expect(bodyFor({ toolChoice: "auto" })).not.toHaveProperty("tool_choice");
});

test("an answer by a schema is asked for strictly, by the name given or as response", () => {
  const json_schema = { name: "response", schema, strict: true };
  expect(bodyFor({ responseSchema: schema }).response_format).toEqual({ type: "json_schema", json_schema });
  expect(bodyFor({ responseSchema: schema, responseSchemaName: "review" }).response_format.json_schema.name).toBe(
    "review",
  );
});

test.each([
  "o1",
  "o3-mini",
  "o4-mini-2025-04-16",
  "gpt-5",
  "gpt-5.1-codex",
  "ft:o4-mini:mine",
  "openai/gpt-5",
  "a-router/openai/o3",
])("%s is given max_completion_tokens", (model) => {
  const body = bodyFor({ model, maxTokens: 5 });
  expect(body.max_completion_tokens).toBe(5);
  expect(body).not.toHaveProperty("max_tokens");
});

test.each(["gpt-4o", "gpt-4.1", "chatgpt-4o-latest", "gpt-5-chat-latest", "llama3", "gpt-oss:20b", "olmo"])(
  "%s is given max_tokens",
  (model) => expect(bodyFor({ model, maxTokens: 5 }).max_tokens).toBe(5),
);

test.each([
  [{}, true],
  [{ baseUrl: "https://api.openai.com/" }, true],
  [{ baseUrl: "/api/ai" }, false],
  [{ baseUrl: "/api/ai", streamOptions: "always" }, true],
  [{ streamOptions: "never" }, false],
  [{ stream: false, streamOptions: "always" }, false],
] as const)("with %o usage is asked for in the stream: %s", (more, asked) => {
  expect("stream_options" in bodyFor(more)).toBe(asked);
});

test("headers and body of the options are merged over the request's, however their names are written", () => {
  const request = provider.buildRequest(hello, {
    model: "o3",
    apiKey: "sk-1",
    maxTokens: 5,
    headers: { authorization: "Token t", "X-Trace": "1", "content-type": "" },
    body: { max_completion_tokens: undefined, max_tokens: 6, stream_options: { include_obfuscation: false } },
  });
  expect(request.headers).toEqual({ authorization: "Token t", "X-Trace": "1" });
  expect(JSON.parse(request.body)).toEqual({
    model: "o3",
    messages: hello,
    stream: true,
    stream_options: { include_usage: true, include_obfuscation: false },
    max_tokens: 6,
  });
});

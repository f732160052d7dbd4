import { afterEach, expect, test, vi } from "vitest";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { AnthropicProvider } from "./anthropic.ts";
import * as anthropic from "./anthropic.test-fixture.ts";
import { conversation, options, pixel, schema, weather } from "./conversation.test-fixture.ts";

const provider = new AnthropicProvider();
const usage = { promptTokens: 125, completionTokens: 12, totalTokens: 137, cachedTokens: 100, reasoningTokens: 7 };
const hello: AiMessage[] = [{ role: "user", content: "Hello" }];
const helloTurns = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
const answerTool = "__wc_bindable_structured_response__";

afterEach(() => {
  vi.unstubAllGlobals();
});

function bodyFor(more: Partial<AiRequestOptions>, messages = hello) {
  return JSON.parse(provider.buildRequest(messages, { model: "claude", ...more }).body);
}

test("a request goes to /v1/messages, with the key and the version as headers", () => {
  const request = provider.buildRequest(hello, { model: "claude", apiKey: "sk-1" });
  expect(request.url).toBe("https://api.anthropic.com/v1/messages");
  expect(request.headers).toEqual({
    "Content-Type": "application/json",
    "x-api-key": "sk-1",
    "anthropic-version": "2023-06-01",
  });
});

test.each([
  { where: "a page with a key", global: "document", options: { apiKey: "sk-1" }, sent: "true" },
  { where: "a browser's worker with a key", global: "importScripts", options: { apiKey: "sk-1" }, sent: "true" },
  { where: "a page with a proxy", global: "document", options: { apiKey: "sk-1", baseUrl: "/api/ai" } },
  { where: "a page without a key", global: "document", options: {} },
  { where: "a server", options: { apiKey: "sk-1" } },
])("direct access is declared only where a browser sends a key to Anthropic itself: $where", (asked) => {
  if (asked.global) vi.stubGlobal(asked.global, {});
  const { headers } = provider.buildRequest(hello, { model: "claude", ...asked.options });
  expect(headers["anthropic-dangerous-direct-browser-access"]).toBe(asked.sent);
});

test("a conversation becomes turns: one for all results of a turn, none for an answer that says nothing", () => {
  const used = (id: string, input: object) => ({ type: "tool_use", id, name: "get_weather", input });
  const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
  const body = bodyFor({ system: "You are a guide." }, conversation);
  expect(body.system).toBe("You are a guide.\n\nBe brief.");
  expect(body.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Where is this, and how is the weather there?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      ],
    },
    { role: "assistant", content: [used("call_1", { place: "Tokyo" }), used("call_2", { place: "Kyoto" })] },
    {
      role: "user",
      content: [
        result("call_1", '{"temperature":18}'),
        { ...result("call_2", '{"error":"No such place."}'), is_error: true },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "Once more." }, used("call_3", {})] },
    { role: "user", content: [result("call_3", "[1,2]")] },
    { role: "user", content: [{ type: "text", text: "Well?" }] },
  ]);
});

test("text that shows nothing is left out; a result has failed where its error is a text", () => {
  const toolCalls = [{ id: "call_1", name: "get_weather", arguments: "{}" }];
  const { messages } = bodyFor({}, [
    { role: "assistant", content: "\n\n", toolCalls },
    { role: "tool", content: '{"data":[1],"error":null}', toolCallId: "call_1" },
    { role: "tool", content: '{"error":0.02}', toolCallId: "call_2" },
    { role: "tool", content: '{"error":"No such place."}', toolCallId: "call_3" },
  ]);
  expect(messages[0].content).toEqual([{ type: "tool_use", id: "call_1", name: "get_weather", input: {} }]);
  expect(messages[1].content.map((result: { is_error?: boolean }) => result.is_error)).toEqual([
    undefined,
    undefined,
    true,
  ]);
});

test("an image is given by its URL, or as its bytes with their type, whatever parameters the URL has", () => {
  const sourceOf = (image: object) =>
    bodyFor({}, [{ role: "user", content: [{ type: "image", url: "", ...image }] }]).messages[0].content[0].source;
  const url = "https://example.com/cat.jpg";
  expect(sourceOf({ url })).toEqual({ type: "url", url });
  expect(sourceOf({ url: "data:image/png;charset=utf-8;base64,AAAA" })).toEqual({
    type: "base64",
    media_type: "image/png",
    data: "AAAA",
  });
  expect(sourceOf({ url: pixel, mediaType: "image/webp" }).media_type).toBe("image/webp");
  for (const bad of ["data:image/svg+xml,<svg/>", "data:;base64,AAAA", "data:image/png;base64"]) {
    expect(() => sourceOf({ url: bad })).toThrow("An image needs data:<type>;base64,<bytes>");
  }
});

test("a URL of a megabyte that is no image is refused at once", () => {
  for (const url of [`data:${"a".repeat(1e6)}`, `data:${";a".repeat(5e5)}`, `data:a${";base64".repeat(1e5)}`]) {
    expect(() => bodyFor({}, [{ role: "user", content: [{ type: "image", url }] }])).toThrow("An image needs data:");
  }
});

test("the options become fields of the body; max_tokens is 4096 unless given", () => {
  expect(bodyFor({})).toEqual({ model: "claude", max_tokens: 4096, messages: helloTurns, stream: true });
  expect(bodyFor({ ...options, system: "", stream: false, stop: ["END"] })).toEqual({
    model: "a-model",
    max_tokens: 500,
    messages: helloTurns,
    stream: false,
    temperature: 0.5,
    top_p: 0.9,
    stop_sequences: ["END"],
    tools: [{ name: "get_weather", description: weather.description, input_schema: weather.parameters }],
    tool_choice: { type: "any" },
  });
  const choice = (toolChoice: AiRequestOptions["toolChoice"]) =>
    bodyFor({ tools: [weather], ...(toolChoice && { toolChoice }) }).tool_choice;
  expect([choice("auto"), choice("none"), choice({ name: "a" }), choice(undefined)]).toEqual([
    { type: "auto" },
    { type: "none" },
    { type: "tool", name: "a" },
    undefined,
  ]);
});

test("reasoning is a budget, with room for the answer, or an effort", () => {
  expect(bodyFor({ reasoning: { budgetTokens: 2000 } })).toMatchObject({
    max_tokens: 6096,
    thinking: { type: "enabled", budget_tokens: 2000 },
  });
  expect(bodyFor({ reasoning: { effort: "minimal" } })).toMatchObject({
    max_tokens: 4096,
    thinking: { type: "adaptive" },
    output_config: { effort: "low" },
  });
  expect(bodyFor({ reasoning: { budgetTokens: 0 } })).toMatchObject({
    max_tokens: 4096,
    thinking: { type: "disabled" },
  });
});

test("thinking beside a forced tool is refused, with what to leave out", () => {
  const tools = [weather];
  for (const reasoning of [{}, { effort: "low" as const }, { budgetTokens: 2000 }]) {
    expect(() => bodyFor({ reasoning, responseSchema: schema })).toThrow(
      "The provider anthropic has no reasoning beside a responseSchema; leave one of the two out.",
    );
    for (const toolChoice of ["required", { name: weather.name }] as const) {
      expect(() => bodyFor({ reasoning, tools, toolChoice })).toThrow(
        "has no reasoning beside a toolChoice that forces a call;",
      );
    }
    for (const toolChoice of ["auto", "none"] as const) {
      expect(bodyFor({ reasoning, tools, toolChoice })).toMatchObject({
        thinking: {},
        tool_choice: { type: toolChoice },
      });
    }
    expect(bodyFor({ reasoning, toolChoice: "required" })).not.toHaveProperty("tool_choice");
  }
});

test("thinking that is switched off goes with a forced tool", () => {
  const reasoning = { budgetTokens: 0 };
  const off = { thinking: { type: "disabled" } };
  expect(bodyFor({ reasoning, responseSchema: schema })).toMatchObject({ ...off, tool_choice: { type: "tool" } });
  expect(bodyFor({ reasoning, tools: [weather], toolChoice: "required" })).toMatchObject({
    ...off,
    tool_choice: { type: "any" },
  });
});

test("an option that the API does not have is refused by its name", () => {
  expect(() => bodyFor({ seed: 1 })).toThrow("The provider anthropic has no seed; leave it out.");
});

test("marks for the cache stand where their messages are, and make blocks of the system text", () => {
  const marked = (cacheControl: unknown) => ({ providerHints: { anthropic: { cacheControl } } });
  const body = bodyFor({ system: "First." }, [
    { role: "system", content: "Long.", ...marked(true) },
    { role: "user", content: "Hello", ...marked({ type: "ephemeral", ttl: "1h" }) },
    { role: "assistant", content: "Hi." },
  ]);
  expect(body.system).toEqual([
    { type: "text", text: "First." },
    { type: "text", text: "Long.", cache_control: { type: "ephemeral" } },
  ]);
  expect(body.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    { role: "assistant", content: [{ type: "text", text: "Hi." }] },
  ]);
});

test("an answer by a schema is a tool that the model must use, and does not stream", () => {
  expect(bodyFor({ responseSchema: schema })).toMatchObject({
    stream: false,
    tools: [{ name: answerTool, input_schema: schema }],
    tool_choice: { type: "tool", name: answerTool },
  });
  const block = { type: "tool_use", id: "toolu_1", name: answerTool, input: { rating: 5 } };
  expect(provider.parseResponse(anthropic.message([block], "tool_use"))).toEqual({
    content: '{"rating":5}',
    usage,
    finishReason: "stop",
  });
  expect(provider.parseResponse(anthropic.message([block], "max_tokens")).finishReason).toBe("length");
});

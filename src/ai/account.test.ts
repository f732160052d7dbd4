import { expect, test } from "vitest";
import { createConversation, withoutIds } from "./model.test-helper.ts";
import type { ModelRequest } from "./model.test-helper.ts";
import {
  AnthropicProvider,
  AzureOpenAiProvider,
  GoogleProvider,
  OpenAiProvider,
  OpenAiResponsesProvider,
} from "./index.ts";
import type { AiRequestOptions } from "./index.ts";

const usage = { promptTokens: 1_000_000, completionTokens: 100_000, totalTokens: 1_100_000 };
const table = { m: { input: 1, output: 10, cached: 0.1 }, "gpt-4o": { input: 2, output: 8 } };

async function ask(given: Partial<AiRequestOptions>, ...said: Parameters<ModelRequest["finish"]>) {
  const { core, model, send } = createConversation({ model: "m", ...given });
  const answer = send();
  (await model.next()).finish(...said);
  await answer;
  return core;
}

test("an answer's cost is of the tokens read, read from the cache and written, by the given table", async () => {
  const core = await ask({ prices: table }, { delta: "Blue.", finishReason: "stop", usage });
  expect(core.usage).toEqual({ ...usage, cost: 2 });
  const cached = { ...usage, cachedTokens: 500_000 };
  expect((await ask({ prices: table }, { delta: "x", usage: cached })).usage?.cost).toBe(1.55);
  const free = { m: { input: 0, output: 0 } };
  expect((await ask({ prices: free }, { delta: "x", usage })).usage?.cost).toBe(0);
});

test("without the option there is no cost, and nothing more is stored with the answer", async () => {
  const core = await ask({ model: "gpt-4o" }, { delta: "Blue.", finishReason: "stop", usage });
  expect(core.usage).toEqual(usage);
  expect(withoutIds(core.messages).at(-1)).toEqual({ role: "assistant", content: "Blue.", finishReason: "stop" });
});

test.each<[string, Partial<AiRequestOptions>, Partial<typeof usage> & { cachedTokens?: number }]>([
  ["a model that the table does not have", { model: "other", prices: table }, {}],
  ["a name that only begins like one", { model: "m-large", prices: table }, {}],
  ["a name that every object has", { model: "constructor", prices: table }, {}],
  ["cached tokens without a price", { model: "gpt-4o", prices: table }, { cachedTokens: 1 }],
  ["a prompt beyond the price's", { prices: { m: { input: 1, output: 1, upTo: 999_999 } } }, {}],
  ["an empty table", { model: "gpt-4o", prices: {} }, {}],
])("no cost is guessed: %s", async (_, given, more) => {
  const core = await ask(given, { delta: "x", usage: { ...usage, ...more } });
  expect(core.usage).toEqual({ ...usage, ...more });
});

test("the built-in table knows models by name, with a date behind it too, and a function extends it", async () => {
  const costOf = async (model: string, prices: AiRequestOptions["prices"] = true) =>
    (await ask({ model, prices }, { delta: "x", usage: { promptTokens: 1000, completionTokens: 100 } })).usage?.cost;
  expect(await costOf("gpt-4o-mini")).toBe(0.00021);
  expect(await costOf("gpt-4o-mini-2024-07-18")).toBe(0.00021);
  expect(await costOf("claude-haiku-4-5-20251001")).toBe(0.0015);
  expect(await costOf("models/gemini-2.5-flash")).toBe(0.00055);
  expect(await costOf("mine", (builtIn) => ({ ...builtIn, mine: { input: 1, output: 1 } }))).toBe(0.0011);
  expect(await costOf("gpt-4o-mini", (builtIn) => ({ ...builtIn, mine: { input: 1, output: 1 } }))).toBe(0.00021);
});

test("the cost of an answer with tool rounds is that of all of them, and it is stored with the answer's message", async () => {
  const tools = [{ name: "look", description: "", parameters: {}, handler: () => "blue" }];
  const { core, model, send } = createConversation({ model: "m", prices: table, tools, keepModel: true });
  const answer = send();
  const call = { index: 0, id: "1", name: "look", argumentsDelta: "{}" };
  (await model.next()).finish({ toolCallDeltas: [call], finishReason: "tool_use", usage });
  (await model.next()).finish({ delta: "Blue.", finishReason: "stop", usage });
  await answer;
  const sum = { promptTokens: 2_000_000, completionTokens: 200_000, totalTokens: 2_200_000, cost: 4 };
  expect(core.usage).toEqual(sum);
  expect(core.messages.at(-1)).toMatchObject({ content: "Blue.", model: "m", chosenModel: "m", usage: sum });
  expect(core.messages[1]).not.toHaveProperty("usage");
});

test("an answer that is stopped keeps what it took until then", async () => {
  const { core, model, send } = createConversation({ model: "m", prices: table, onFailure: "keep" });
  const answer = send();
  (await model.next()).stream({ delta: "Bl", usage });
  await expect.poll(() => core.content).toBe("Bl");
  core.abort();
  await answer;
  expect(core.messages.at(-1)).toMatchObject({ content: "Bl", partial: true, model: "m", usage: { cost: 2 } });
});

const providers = {
  openai: new OpenAiProvider(),
  azure: new AzureOpenAiProvider(),
  responses: new OpenAiResponsesProvider(),
  anthropic: new AnthropicProvider(),
  google: new GoogleProvider(),
};

const chat = { model: "gpt-4o-2024-08-06", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] };
const chatUsage = { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } };
const claude = (more: object) => [
  {
    type: "message_start",
    message: { model: "claude-haiku-4-5-20251001", usage: { input_tokens: 1000, output_tokens: 1, ...more } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } },
  { type: "message_stop" },
];

test.each<[name: keyof typeof providers, asked: string, events: object[], model: string, cost: number | undefined]>([
  ["openai", "router/auto", [chat, chatUsage], "gpt-4o-2024-08-06", 0.0035],
  ["azure", "my-deployment", [chat, chatUsage], "gpt-4o-2024-08-06", 0.0035],
  ["openai", "gpt-4o", [{ ...chat, model: "llama-9" }, chatUsage], "llama-9", undefined],
  ["anthropic", "global.anthropic.claude-haiku-4-5-20251001-v1:0", claude({}), "claude-haiku-4-5-20251001", 0.0015],
  ["anthropic", "eu.anthropic.claude-haiku-4-5-20251001-v1:0", claude({}), "claude-haiku-4-5-20251001", undefined],
  ["anthropic", "anthropic.claude-haiku-4-5-20251001-v1:0", claude({}), "claude-haiku-4-5-20251001", undefined],
  ["openai", "gpt-4o", [{ ...chat, service_tier: "flex" }, chatUsage], "gpt-4o-2024-08-06", undefined],
  ["openai", "gpt-4o", [{ ...chat, model: undefined }, chatUsage], "gpt-4o", 0.0035],
  ["anthropic", "claude-haiku-4-5", claude({}), "claude-haiku-4-5-20251001", 0.0015],
  [
    "anthropic",
    "claude-haiku-4-5",
    claude({ cache_creation_input_tokens: 1000 }),
    "claude-haiku-4-5-20251001",
    0.00275,
  ],
  [
    "anthropic",
    "claude-haiku-4-5",
    claude({ cache_creation_input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 9 } }),
    "claude-haiku-4-5-20251001",
    undefined,
  ],
  [
    "google",
    "gemini-flash-latest",
    [
      {
        candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100 },
        modelVersion: "gemini-2.5-flash",
      },
    ],
    "gemini-2.5-flash",
    0.00055,
  ],
  [
    "responses",
    "gpt-5.4-mini",
    [
      { type: "response.created", response: { model: "gpt-5.4-mini-2026-03-17", output: [] } },
      { type: "response.output_text.delta", output_index: 0, delta: "Hi" },
      {
        type: "response.completed",
        response: {
          model: "gpt-5.4-mini-2026-03-17",
          output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
          usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
        },
      },
    ],
    "gpt-5.4-mini-2026-03-17",
    0.0012,
  ],
])("%s, asked for %s, says which model answered", async (...row) => {
  const [name, asked, events, model, cost] = row;
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { core, send } = createConversation({
    model: asked,
    baseUrl: "https://model.test",
    prices: true,
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  core.provider = providers[name];
  expect(await send()).toBe("Hi");
  expect([core.messages.at(-1)?.model, core.usage?.cost]).toEqual([model, cost]);
});

test("an answer that does not stream says its model, too", async () => {
  const { core, send } = createConversation({
    model: "gpt-4o",
    stream: false,
    prices: true,
    fetch: async () =>
      Response.json({ ...chat, ...chatUsage, choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] }),
  });
  core.provider = "openai";
  await send();
  expect(core.messages.at(-1)).toMatchObject({ model: "gpt-4o-2024-08-06", usage: { cost: 0.0035 } });
});

test.each<[unknown, string]>([
  ["much", "prices must be"],
  [{ m: 1 }, "prices.m"],
  [{ m: { input: 1 } }, "prices.m.output"],
  [{ m: { input: -1, output: 1 } }, "prices.m.input"],
  [{ m: { input: 1, output: 1, cached: "0" } }, "prices.m.cached"],
])("prices that are none fail with their name: %j", async (prices, name) => {
  const { core, send } = createConversation({ prices: prices as AiRequestOptions["prices"] & object });
  expect(await send()).toBeNull();
  expect((core.error as Error).message).toContain(name);
});

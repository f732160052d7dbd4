import { afterEach, expect, test, vi } from "vitest";
import { AiCore } from "./index.ts";
import type { AiRequestOptions, IAiProvider } from "./index.ts";
import { plainProvider } from "./model.test-helper.ts";

afterEach(() => vi.restoreAllMocks());

interface Asked {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

function listOf(provider: string | IAiProvider, respond: () => Response, options: Partial<AiRequestOptions> = {}) {
  const asked: Asked[] = [];
  const core = new AiCore();
  core.provider = provider;
  const send: typeof fetch = async (url, { method = "GET", headers } = {}) => {
    asked.push({ url: url as string, method, headers: headers as Record<string, string> });
    return respond();
  };
  return { asked, models: core.models({ apiKey: "sk-1", fetch: send, ...options }) };
}

const openAi = {
  object: "list",
  data: [
    { id: "gpt-old", object: "model", created: 1, owned_by: "openai" },
    { id: "text-embedding-3-small", object: "model", created: 5, owned_by: "system" },
    { id: "gpt-new", object: "model", created: 9, owned_by: "system" },
  ],
};
const anthropic = {
  data: [
    {
      type: "model",
      id: "claude-haiku-4-5-20251001",
      display_name: "Claude Haiku 4.5",
      created_at: "2025-10-15T00:00:00Z",
      max_input_tokens: 200_000,
    },
    { type: "model", id: "claude-opus-4-8", display_name: "Claude Opus 4.8", created_at: "2026-08-01T00:00:00Z" },
  ],
  has_more: false,
};
const google = {
  models: [
    {
      name: "models/gemini-2.5-flash",
      displayName: "Gemini 2.5 Flash",
      inputTokenLimit: 1_048_576,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    },
    { name: "models/text-embedding-004", displayName: "Embedding", supportedGenerationMethods: ["embedContent"] },
  ],
};
const azure = {
  data: [
    {
      id: "gpt-4o-2024-08-06",
      created_at: 2,
      capabilities: { chat_completion: true, inference: true },
      object: "model",
    },
    { id: "curie", capabilities: { chat_completion: false, inference: true }, object: "model" },
  ],
  object: "list",
};
const openRouter = {
  data: [
    {
      id: "openai/gpt-4o",
      name: "OpenAI: GPT-4o",
      context_length: 128_000,
      architecture: { output_modalities: ["text"] },
    },
    { id: "painter/one", name: "Painter", architecture: { output_modalities: ["image"] } },
  ],
};

test.each([
  {
    provider: "openai",
    body: openAi,
    url: "https://api.openai.com/v1/models",
    header: { Authorization: "Bearer sk-1" },
    models: [
      { id: "gpt-new", name: "gpt-new" },
      { id: "gpt-old", name: "gpt-old" },
    ],
  },
  {
    provider: "openai-responses",
    body: openAi,
    url: "https://api.openai.com/v1/models",
    header: { Authorization: "Bearer sk-1" },
    models: [
      { id: "gpt-new", name: "gpt-new" },
      { id: "gpt-old", name: "gpt-old" },
    ],
  },
  {
    provider: "anthropic",
    body: anthropic,
    url: "https://api.anthropic.com/v1/models?limit=1000",
    header: { "x-api-key": "sk-1", "anthropic-version": "2023-06-01" },
    models: [
      { id: "claude-opus-4-8", name: "Claude Opus 4.8" },
      { id: "claude-haiku-4-5-20251001", name: "Claude Haiku 4.5", context: 200_000 },
    ],
  },
  {
    provider: "google",
    body: google,
    url: "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
    header: { "x-goog-api-key": "sk-1" },
    models: [{ id: "gemini-2.5-flash", name: "Gemini 2.5 Flash", context: 1_048_576 }],
  },
  {
    provider: "azure-openai",
    options: { baseUrl: "https://mine.openai.azure.com", apiVersion: "2024-10-21" },
    body: azure,
    url: "https://mine.openai.azure.com/openai/models?api-version=2024-10-21",
    header: { "api-key": "sk-1" },
    models: [{ id: "gpt-4o-2024-08-06", name: "gpt-4o-2024-08-06" }],
  },
  {
    provider: "openai",
    options: { baseUrl: "https://openrouter.ai/api/v1" },
    body: openRouter,
    url: "https://openrouter.ai/api/v1/models",
    header: {},
    models: [{ id: "openai/gpt-4o", name: "OpenAI: GPT-4o", context: 128_000 }],
  },
  {
    provider: "openrouter",
    body: openRouter,
    url: "https://openrouter.ai/api/v1/models",
    header: { Authorization: "Bearer sk-1" },
    models: [{ id: "openai/gpt-4o", name: "OpenAI: GPT-4o", context: 128_000 }],
  },
  {
    provider: "openai",
    options: { baseUrl: "https://gateway.example/chat/completions?team=shop" },
    body: openAi,
    url: "https://gateway.example/models?team=shop",
    header: {},
    models: [
      { id: "gpt-new", name: "gpt-new" },
      { id: "gpt-old", name: "gpt-old" },
    ],
  },
  {
    provider: "google",
    options: { baseUrl: "https://gateway.example/?team=shop" },
    body: google,
    url: "https://gateway.example/v1beta/models?pageSize=1000&team=shop",
    header: {},
    models: [{ id: "gemini-2.5-flash", name: "Gemini 2.5 Flash", context: 1_048_576 }],
  },
  {
    provider: "openai",
    options: { baseUrl: "http://127.0.0.1:11434/v1", apiKey: "" },
    body: { object: "list", data: [{ id: "llama3.2:latest", object: "model", created: 3, owned_by: "library" }] },
    url: "http://127.0.0.1:11434/v1/models",
    header: {},
    models: [{ id: "llama3.2:latest", name: "llama3.2:latest" }],
  },
  {
    provider: "openai",
    options: { baseUrl: "http://127.0.0.1:8000" },
    body: { data: [{ id: "Qwen/Qwen3-8B", max_model_len: 32_768, created: 3 }] },
    url: "http://127.0.0.1:8000/v1/models",
    header: {},
    models: [{ id: "Qwen/Qwen3-8B", name: "Qwen/Qwen3-8B", context: 32_768 }],
  },
  {
    provider: "openai",
    options: { baseUrl: "https://api.together.xyz" },
    body: [
      { id: "meta/Llama", display_name: "Llama", type: "chat", context_length: 8192 },
      { id: "x/pic", display_name: "Pic", type: "image" },
    ],
    url: "https://api.together.xyz/v1/models",
    header: {},
    models: [{ id: "meta/Llama", name: "Llama", context: 8192 }],
  },
  {
    provider: "openai",
    options: { baseUrl: "/api/ai" },
    body: { models: [{ name: "llama3.2:latest", model: "llama3.2:latest", details: { family: "llama" } }] },
    url: "/api/ai/v1/models",
    header: {},
    models: [{ id: "llama3.2:latest", name: "llama3.2:latest" }],
  },
])("models at $url ($provider)", async ({ provider, options, body, url, header, models }) => {
  const list = listOf(provider, () => Response.json(body), options);
  expect(await list.models).toEqual(models);
  expect(list.asked).toEqual([{ url, method: "GET", headers: expect.objectContaining(header) }]);
  expect(Object.keys(list.asked[0]?.headers ?? {})).not.toContain("Content-Type");
});

test("a provider that has its own fetch asks by it, over the one that was given", async () => {
  const keys: (string | undefined)[] = [];
  const signing: IAiProvider = {
    ...plainProvider,
    buildRequest: () => ({ url: "https://signed.test/v1/chat/completions", headers: { a: "b" }, body: "" }),
    createFetch({ apiKey, fetch: send = fetch }) {
      keys.push(apiKey);
      return (url, init) => send(url, { ...init, headers: { ...(init?.headers as object), "x-signed": "yes" } });
    },
  };
  const { asked, models } = listOf(signing, () => Response.json(openAi));
  expect((await models).map(({ id }) => id)).toEqual(["gpt-new", "gpt-old"]);
  expect(asked).toMatchObject([{ url: "https://signed.test/v1/models", headers: { a: "b", "x-signed": "yes" } }]);
  expect(keys).toEqual(["sk-1"]);
});

test("a refusal is an AiHttpError as in `error`", async () => {
  const refuse = () => Response.json({ error: { message: "No." } }, { status: 401, headers: { "retry-after": "3" } });
  const list = listOf("openai", refuse);
  await expect(list.models).rejects.toMatchObject({ status: 401, body: '{"error":{"message":"No."}}', retryAfter: 3 });
});

test.each([
  ["no JSON", () => new Response("<html>"), "sent no list of models"],
  ["an object", () => Response.json({ error: null }), "sent no list of models"],
  ["nothing", () => new Response(null, { status: 204 }), "sent no list of models"],
  ["a network failure", () => Promise.reject(new TypeError("fetch failed")), "could not be reached: fetch failed"],
  ["a list without an end", () => new Response("[".repeat(9_000_000)), "more than 8388608 characters"],
])("%s is an Error that says so", async (_, respond, words) => {
  const { models } = listOf("openai", respond as () => Response);
  await expect(models).rejects.toThrow(words);
});

test("what is no model is left out, each is there once, and the list is bounded", async () => {
  const data = [null, 7, "x", {}, { id: 7 }, { id: "" }, { id: "x".repeat(201) }, { id: "a" }, { id: "a" }];
  expect(await listOf("openai", () => Response.json({ data })).models).toEqual([{ id: "a", name: "a" }]);
  const many = Array.from({ length: 5000 }, (_, at) => ({ id: `m${at}`, name: "n".repeat(999), context_length: -1 }));
  const found = await listOf("openai", () => Response.json({ data: many })).models;
  expect([found.length, found[0]?.name.length, found[0]?.context]).toEqual([1000, 200, undefined]);
});

test("a stop ends the request, and a provider that is none is an error", async () => {
  const stop = new AbortController();
  const core = new AiCore();
  core.provider = "openai";
  const send: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("stopped")));
      stop.abort();
    });
  const models = core.models({ fetch: send, signal: stop.signal });
  await expect(models).rejects.toThrow("The list of models was stopped.");
  await expect(new AiCore().models()).rejects.toThrow("provider must be");
});

test("a provider of one's own lists its models itself, or is none that does", async () => {
  const mine = [{ id: "small", name: "Small", context: 100 }];
  const list = listOf({ ...plainProvider, models: async () => mine }, () => Response.error());
  expect(await list.models).toEqual(mine);
  expect(list.asked).toEqual([]);
  await expect(listOf(plainProvider, () => Response.error()).models).rejects.toThrow("give it a method `models`");
});

test("a provider of one's own that lists nothing ends with its time, or when it is stopped", async () => {
  const late = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
  const signals: (AbortSignal | undefined)[] = [];
  const provider: IAiProvider = {
    ...plainProvider,
    models({ signal }) {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const stop = new AbortController();
  const stopped = listOf(provider, () => Response.error(), { signal: stop.signal }).models;
  const slow = listOf(provider, () => Response.error()).models;
  const isStopped = expect(stopped).rejects.toThrow("The list of models was stopped.");
  const isLate = expect(slow).rejects.toThrow("The provider did not answer within 10 s");
  await vi.waitFor(() => expect(signals).toHaveLength(2));
  stop.abort();
  await isStopped;
  late.abort();
  await isLate;
  await expect(listOf(provider, () => Response.error()).models).rejects.toThrow("within 10 s");
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
});

test.each([
  [
    "a key that never comes",
    { getApiKey: () => new Promise<string>(() => {}), respond: () => Response.json(openAi) },
    "getApiKey",
  ],
  ["a provider that never answers", { getApiKey: () => "sk-1", respond: () => new Promise(() => {}) }, "The provider"],
  [
    "an answer that never ends",
    { getApiKey: () => "sk-1", respond: () => new Response(new ReadableStream()) },
    "The provider",
  ],
])(
  "with getApiKey %s has the same ten seconds, and the error says whose they were",
  async (_, { getApiKey, respond }, who) => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    const core = new AiCore();
    core.provider = "openai";
    const asked = vi.fn<typeof fetch>(() => respond() as Promise<Response>);
    const key = vi.fn<() => string | Promise<string>>(getApiKey);
    const models = core.models({ getApiKey: key, fetch: async (...given) => asked(...given) });
    const isLate = expect(models).rejects.toThrow(`${who} did not answer within 10 s.`);
    await vi.waitFor(() => expect(who === "getApiKey" ? key : asked).toHaveBeenCalled());
    late.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    await isLate;
    expect(timeout).toHaveBeenCalledTimes(1);
  },
);

test("with getApiKey a stop says that the list was stopped", async () => {
  const stop = new AbortController();
  const core = new AiCore();
  core.provider = "openai";
  const getApiKey = () => (stop.abort(), new Promise<string>(() => {}));
  await expect(core.models({ getApiKey, signal: stop.signal })).rejects.toThrow("The list of models was stopped.");
});

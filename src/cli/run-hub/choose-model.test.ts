import { expect, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import type { ModelChoice, ModelWish } from "./choose-model.ts";

const nobody: typeof fetch = () => Promise.reject(new TypeError("fetch failed"));

function choose(environment: ModelWish["environment"] = {}, wish: Partial<ModelWish> = {}): Promise<ModelChoice> {
  const unasked = { model: undefined, isUnwanted: false, isJwtMode: false, chosen: () => undefined };
  return chooseModel({ ...unasked, environment, fetch: nobody, ...wish });
}

/** An Ollama server with these models. */
function ollamaWith(...names: readonly unknown[]): typeof fetch {
  return (url) => {
    expect(url).toBe("http://127.0.0.1:11434/api/tags");
    return Promise.resolve(Response.json({ models: names.map((name) => ({ name })) }));
  };
}

const azure = {
  AZURE_OPENAI_API_KEY: "secret-azure",
  AZURE_OPENAI_ENDPOINT: "https://me.openai.azure.com/",
  AZURE_OPENAI_DEPLOYMENT: "mine",
  OPENAI_API_VERSION: "2024-10-21",
};

test.each([
  [{ OPENAI_API_KEY: "secret" }, "openai/gpt-5.4-mini", "OPENAI_API_KEY"],
  [{ ANTHROPIC_API_KEY: "secret" }, "anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY"],
  [{ GEMINI_API_KEY: "secret" }, "google/gemini-flash-latest", "GEMINI_API_KEY"],
  [{ GOOGLE_API_KEY: "secret" }, "google/gemini-flash-latest", "GOOGLE_API_KEY"],
  [azure, "azure-openai/mine", "AZURE_OPENAI_API_KEY"],
  [{ ANTHROPIC_API_KEY: "secret", OPENAI_API_KEY: "secret" }, "openai/gpt-5.4-mini", "OPENAI_API_KEY"],
  [{ OPENAI_API_KEY: "  ", GEMINI_API_KEY: "secret" }, "google/gemini-flash-latest", "GEMINI_API_KEY"],
])("with %j the model is found by itself", async (environment, name, key) => {
  const choice = await choose(environment, { fetch: ollamaWith("llama3.2") });
  expect(choice).toMatchObject({ name, key, note: expect.stringContaining(`the key of ${key}`) });
  expect(choice.name + choice.note).not.toContain("secret");
  expect(choice.ai?.apiKey).toMatch(/^secret/);
});

test("without a key, it is a model of Ollama on this machine, but not one for embeddings", async () => {
  const choice = await choose({}, { fetch: ollamaWith("nomic-embed-text", 7, "qwen3:8b", "llama3.2") });
  expect(choice).toMatchObject({ name: "ollama/qwen3:8b", note: "without a key, at http://127.0.0.1:11434" });
  expect(choice.ai).toEqual({ provider: "openai", model: "qwen3:8b", baseUrl: "http://127.0.0.1:11434" });
});

test.each([
  ["nobody", nobody],
  ["no model", ollamaWith()],
  ["a page", () => Promise.resolve(new Response("<!doctype html>"))],
  ["an error", () => Promise.resolve(new Response("{}", { status: 500 }))],
  ["null", () => Promise.resolve(Response.json(null))],
])("with no key, and %s where an Ollama would answer, it is the rehearsal, which says why", async (_, fetch) => {
  const choice = await choose({}, { fetch });
  expect(choice).toMatchObject({ name: "rehearsal", ai: { provider: "rehearsal" } });
  expect(choice.note).toContain(
    "no key was found. Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, AZURE",
  );
});

test("in jwt mode, there is no rehearsal unless requested", async () => {
  expect(await choose({}, { isJwtMode: true })).toMatchObject({ name: "none", ai: undefined });
  expect(await choose({}, { isJwtMode: true, model: "rehearsal" })).toMatchObject({ name: "rehearsal" });
  expect(await choose({ OPENAI_API_KEY: "secret" }, { isJwtMode: true })).toMatchObject({
    name: "openai/gpt-5.4-mini",
  });
});

const keys = { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a", GEMINI_API_KEY: "g", ...azure };

test.each([
  ["openai/gpt-4o", { provider: "openai", model: "gpt-4o", apiKey: "o" }],
  ["openai/org/model", { provider: "openai", model: "org/model", apiKey: "o" }],
  ["openai-responses/o3", { provider: "openai-responses", model: "o3", apiKey: "o" }],
  ["anthropic/claude-x", { provider: "anthropic", model: "claude-x", apiKey: "a" }],
  ["anthropic", { provider: "anthropic", model: "claude-haiku-4-5", apiKey: "a" }],
  ["gemini/gemini-x", { provider: "google", model: "gemini-x", apiKey: "g" }],
  ["ollama/llama3.2", { provider: "openai", model: "llama3.2", baseUrl: "http://127.0.0.1:11434" }],
  [
    "azure/other",
    {
      provider: "azure-openai",
      model: "other",
      apiKey: "secret-azure",
      baseUrl: "https://me.openai.azure.com",
      apiVersion: "2024-10-21",
    },
  ],
  ["rehearsal", { provider: "rehearsal" }],
  ["none", undefined],
])("--model %s decides, and so does PAGEWIRE_MODEL", async (model, ai) => {
  expect((await choose(keys, { model })).ai).toEqual(ai);
  expect((await choose({ ...keys, PAGEWIRE_MODEL: model })).ai).toEqual(ai);
  expect((await choose({ ...keys, PAGEWIRE_MODEL: "none" }, { model })).ai).toEqual(ai);
});

test("--no-model turns the model off in any environment", async () => {
  expect(await choose({ ...keys, PAGEWIRE_MODEL: "openai" }, { isUnwanted: true })).toMatchObject({ name: "none" });
});

test("a custom address is used as in the vendors' libraries, and reported", async () => {
  const choice = await choose({ OPENAI_API_KEY: "o", OPENAI_BASE_URL: "https://llm.example:8443/v1/" });
  expect(choice.ai?.baseUrl).toBe("https://llm.example:8443");
  expect(choice.note).toBe("with the key of OPENAI_API_KEY, at llm.example:8443");
});

test.each([
  [{ model: "gpt-4o" }, {}, '"gpt-4o" is no model. Write <provider>/<model>'],
  [{ model: "" }, {}, '"" is no model.'],
  [{ model: "openai/x" }, {}, "needs a key. Put it into OPENAI_API_KEY."],
  [{ model: "google/x" }, {}, "Put it into GEMINI_API_KEY or GOOGLE_API_KEY."],
  [{ model: "azure/x" }, { AZURE_OPENAI_API_KEY: "k" }, "needs an address. Put it into AZURE_OPENAI_ENDPOINT."],
  [{ model: "openai/x" }, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "here" }, "OPENAI_BASE_URL holds no address"],
  [
    { model: "openai/x" },
    { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:1234" },
    'OPENAI_BASE_URL holds no address that begins with http: "localhost:1234"',
  ],
  [{ model: "ollama" }, {}, "No Ollama with a model answers at http://127.0.0.1:11434."],
  [{ model: "openai/x", isUnwanted: true }, {}, "Give --model or --no-model, not both."],
])("%j with %j is refused, and told what to write", async (wish, environment, message) => {
  await expect(choose(environment, wish)).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining(message),
  });
});

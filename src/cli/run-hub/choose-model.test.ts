import { expect, test } from "vitest";
import { chooseModel } from "./choose-model.ts";
import type { ModelChoice, ModelWish } from "./choose-model.ts";

const nobody: typeof fetch = () => Promise.reject(new TypeError("fetch failed"));

function choose(environment: ModelWish["environment"] = {}, wish: Partial<ModelWish> = {}): Promise<ModelChoice> {
  const unasked = { model: undefined, isUnwanted: false, isJwtMode: false, chosen: () => undefined };
  return chooseModel({ ...unasked, environment, fetch: nobody, ...wish });
}

/** Only an Ollama, with these models. */
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
  [{ OPENROUTER_API_KEY: "secret" }, "openrouter/openrouter/auto", "OPENROUTER_API_KEY"],
  [{ MISTRAL_API_KEY: "secret" }, "mistral/mistral-small-latest", "MISTRAL_API_KEY"],
  [{ GROQ_API_KEY: "secret" }, "groq/openai/gpt-oss-20b", "GROQ_API_KEY"],
  [{ DEEPSEEK_API_KEY: "secret" }, "deepseek/deepseek-chat", "DEEPSEEK_API_KEY"],
  [{ XAI_API_KEY: "secret" }, "xai/grok-4-fast", "XAI_API_KEY"],
  [{ TOGETHER_API_KEY: "secret" }, "together/openai/gpt-oss-20b", "TOGETHER_API_KEY"],
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
  expect(choice.ai).toEqual({ provider: "ollama", model: "qwen3:8b" });
});

test("LM Studio is used where it is asked for, and is not looked for otherwise", async () => {
  const asked: unknown[] = [];
  const lmStudio: typeof fetch = async (url) => {
    asked.push(url);
    if (url !== "http://127.0.0.1:1234/v1/models") throw new TypeError("fetch failed");
    return Response.json({ data: [{ id: "text-embedding-nomic" }, { id: "qwen3-8b" }] });
  };
  expect(await choose({}, { fetch: lmStudio })).toMatchObject({ name: "rehearsal" });
  expect(asked).toEqual(["http://127.0.0.1:11434/api/tags"]);
  expect(await choose({}, { fetch: lmStudio, model: "lmstudio" })).toMatchObject({
    name: "lmstudio/qwen3-8b",
    ai: { provider: "lmstudio", model: "qwen3-8b" },
  });
});

const aws = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "a/secret+key", AWS_REGION: "eu-central-1" };
const google = { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.secret", GOOGLE_CLOUD_PROJECT: "shop" };

test.each([
  [
    "bedrock",
    aws,
    { apiKey: "AKIDEXAMPLE:a/secret+key", baseUrl: "https://bedrock-runtime.eu-central-1.amazonaws.com" },
  ],
  [
    "bedrock",
    { ...aws, AWS_SESSION_TOKEN: "to:ken", AWS_REGION: "", AWS_DEFAULT_REGION: "us-gov-west-1" },
    { apiKey: "AKIDEXAMPLE:a/secret+key:to:ken", baseUrl: "https://bedrock-runtime.us-gov-west-1.amazonaws.com" },
  ],
  ["bedrock", { ...aws, AWS_BEARER_TOKEN_BEDROCK: "ABSKkey" }, { apiKey: "ABSKkey" }],
  [
    "bedrock",
    { AWS_BEARER_TOKEN_BEDROCK: "ABSKkey", AWS_ENDPOINT_URL_BEDROCK_RUNTIME: "https://vpce.example" },
    { apiKey: "ABSKkey", baseUrl: "https://vpce.example" },
  ],
  [
    "vertex/claude-x",
    { ...google, GOOGLE_CLOUD_LOCATION: "europe-west4" },
    {
      model: "claude-x",
      apiKey: "ya29.secret",
      baseUrl: "https://europe-west4-aiplatform.googleapis.com/v1/projects/shop/locations/europe-west4",
    },
  ],
  ["vertex", google, { baseUrl: "https://aiplatform.googleapis.com/v1/projects/shop/locations/global" }],
  ["azure", azure, { model: "mine", apiKey: "secret-azure", baseUrl: "https://me.openai.azure.com/" }],
])("the cloud %s is used with %j where it is asked for", async (model, environment, ai) => {
  const provider = model.replace(/\/.*/, "");
  const choice = await choose(environment, { model });
  expect(choice.ai).toMatchObject({ provider, ...ai });
  expect(choice.note).not.toMatch(/secret|ABSK/);
});

test("a cloud's variables, which are there for other programs too, choose no model", async () => {
  expect((await choose({ ...aws, ...google, AWS_BEARER_TOKEN_BEDROCK: "ABSKkey" })).name).toBe("rehearsal");
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
  ["ollama/llama3.2", { provider: "ollama", model: "llama3.2" }],
  ["lmstudio/qwen3", { provider: "lmstudio", model: "qwen3" }],
  [
    "azure-openai/other",
    {
      provider: "azure-openai",
      model: "other",
      apiKey: "secret-azure",
      baseUrl: "https://me.openai.azure.com/",
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
  expect(choice.ai?.baseUrl).toBe("https://llm.example:8443/v1/");
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
  [{ model: "bedrock" }, { AWS_ACCESS_KEY_ID: "k" }, "needs a key. Put it into AWS_BEARER_TOKEN_BEDROCK."],
  [{ model: "bedrock" }, { ...aws, AWS_REGION: "" }, "The model bedrock needs a region. Put it into AWS_REGION."],
  [{ model: "bedrock" }, { ...aws, AWS_REGION: "x.example/#" }, "needs a region"],
  [{ model: "vertex" }, { GOOGLE_API_KEY: "k" }, "needs a project. Put it into GOOGLE_CLOUD_PROJECT."],
  [{ model: "lmstudio" }, {}, "No LM Studio with a model answers at http://127.0.0.1:1234."],
  [{ model: "ollama" }, {}, "No Ollama with a model answers at http://127.0.0.1:11434."],
  [{ model: "openai/x", isUnwanted: true }, {}, "Give --model or --no-model, not both."],
])("%j with %j is refused, and told what to write", async (wish, environment, message) => {
  await expect(choose(environment, wish)).rejects.toMatchObject({
    code: "options-invalid",
    message: expect.stringContaining(message),
  });
});

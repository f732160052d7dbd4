import { expect, test } from "vitest";
import type { IAiProvider } from "../provider.ts";
import { AnthropicProvider } from "./anthropic.ts";
import { AzureOpenAiProvider } from "./azure-openai.ts";
import { GoogleProvider } from "./google.ts";
import { OpenAiResponsesProvider } from "./openai-responses.ts";
import { OpenAiProvider } from "./openai.ts";

function urlOf(provider: IAiProvider, baseUrl: string): string {
  return provider.buildRequest([{ role: "user", content: "Hi" }], { model: "m", baseUrl }).url;
}

test.each([
  { name: "openai", provider: new OpenAiProvider(), version: "/v1", path: "/chat/completions" },
  { name: "openai-responses", provider: new OpenAiResponsesProvider(), version: "/v1", path: "/responses" },
  { name: "anthropic", provider: new AnthropicProvider(), version: "/v1", path: "/messages" },
  {
    name: "google",
    provider: new GoogleProvider(),
    version: "/v1beta",
    path: "/models/m:streamGenerateContent?alt=sse",
  },
])("for $name a base URL may end in the API's version", ({ provider, version, path }) => {
  for (const base of ["http://127.0.0.1:1234", "https://gateway.example/api", "/api/ai"]) {
    for (const ending of ["", "/", version, `${version}/`]) {
      expect(urlOf(provider, base + ending)).toBe(base + version + path);
    }
    expect(urlOf(provider, `${base}/x${version.slice(1)}`)).toBe(`${base}/x${version.slice(1)}${version}${path}`);
  }
});

test("OpenAI's own address is its own by either form, and a deployment of Azure's has no version in its path", () => {
  const { body } = new OpenAiProvider().buildRequest([{ role: "user", content: "Hi" }], {
    model: "m",
    baseUrl: "https://api.openai.com/v1/",
  });
  expect(JSON.parse(body)).toMatchObject({ stream_options: { include_usage: true } });
  expect(urlOf(new AzureOpenAiProvider(), "https://proxy.example/v1/")).toMatch(
    "https://proxy.example/v1/openai/deployments/m/",
  );
});

import { expect, test } from "vitest";
import type { IAiProvider } from "../provider.ts";
import { AnthropicProvider } from "./anthropic.ts";
import { AzureOpenAiProvider } from "./azure-openai.ts";
import { GoogleProvider } from "./google.ts";
import { BedrockProvider } from "./bedrock.ts";
import { OpenAiResponsesProvider } from "./openai-responses.ts";
import { OpenAiProvider } from "./openai.ts";
import { createPreset } from "./presets.ts";
import { VertexProvider } from "./vertex.ts";

function urlOf(provider: IAiProvider, baseUrl: string): string {
  return provider.buildRequest([{ role: "user", content: "Hi" }], { model: "m", baseUrl }).url;
}

const apis = [
  { name: "openai", provider: new OpenAiProvider(), version: "/v1", path: "/chat/completions", own: "" },
  { name: "openai-responses", provider: new OpenAiResponsesProvider(), version: "/v1", path: "/responses", own: "" },
  { name: "anthropic", provider: new AnthropicProvider(), version: "/v1", path: "/messages", own: "" },
  {
    name: "google",
    provider: new GoogleProvider(),
    version: "/v1beta",
    path: "/models/m:streamGenerateContent",
    own: "?alt=sse",
  },
];

const query = "?api-version=preview&team=a%2Fb";

test.each(apis)("for $name a base URL may have the API's version, slashes and a query", (api) => {
  const { provider, version, path, own } = api;
  for (const base of [
    "http://127.0.0.1:1234",
    "https://gateway.example/api",
    "/api/ai",
    "http://v1",
    "https://v1.test",
  ]) {
    for (const ending of ["", "/", version, `${version}/`, `${version}//`]) {
      expect(urlOf(provider, base + ending)).toBe(base + version + path + own);
      const asked = own ? `${own}${query.replace("?", "&")}` : query;
      expect(urlOf(provider, base + ending + query)).toBe(base + version + path + asked);
    }
    for (const other of ["/xv1", "/v", "/v1-beta", "/version1"])
      expect(urlOf(provider, base + other)).toBe(base + other + version + path + own);
  }
});

test.each(apis)("for $name a version of another name, or further to the front, is the one that counts", (api) => {
  const { provider, path, own } = api;
  for (const base of [
    "https://a.example/v4",
    "https://a.example/v1beta1",
    "https://a.example/v1beta/openai/",
    "/v1/team",
  ])
    expect(urlOf(provider, base)).toBe(base.replace(/\/$/, "") + path + own);
});

test("a server without a version is asked at the whole address", () => {
  for (const [provider, address] of [
    [new OpenAiProvider(), "https://api.example/inference/chat/completions"],
    [new OpenAiResponsesProvider(), "https://api.example/responses"],
    [new AnthropicProvider(), "https://api.example/claude/messages"],
  ] as const) {
    expect(urlOf(provider, address)).toBe(address);
    expect(urlOf(provider, `${address}/?key=1`)).toBe(`${address}?key=1`);
  }
});

test("OpenAI's own address is its own by any form", () => {
  const bodyAt = (baseUrl: string) =>
    JSON.parse(new OpenAiProvider().buildRequest([{ role: "user", content: "Hi" }], { model: "m", baseUrl }).body);
  for (const own of [
    "",
    "https://api.openai.com",
    "https://api.openai.com/v1/",
    "https://api.openai.com/v1/chat/completions",
  ])
    expect(bodyAt(own)).toMatchObject({ stream_options: { include_usage: true } });
  expect(bodyAt("https://api.openai.com.example/v1")).not.toHaveProperty("stream_options");
});

test("Azure's address is the resource's, a proxy's, or the deployment's own, with the version that it names", () => {
  const azure = new AzureOpenAiProvider();
  const deployment = "/openai/deployments/m/chat/completions";
  for (const base of ["https://r.openai.azure.com", "https://proxy.example/v1", "/api/azure"]) {
    const address = base + deployment;
    // As Azure's portal shows it.
    expect(urlOf(azure, `${address}?api-version=2024-10-21`)).toBe(`${address}?api-version=2024-10-21`);
    for (const ending of ["", "/"]) {
      expect(urlOf(azure, base + ending)).toBe(`${address}?api-version=2024-02-01`);
      expect(urlOf(azure, `${base}${ending}?a=1`)).toBe(`${address}?api-version=2024-02-01&a=1`);
      expect(urlOf(azure, `${base}${ending}?api-version=2024-10-21`)).toBe(`${address}?api-version=2024-10-21`);
    }
  }
});

const everyApi = [
  ...apis,
  { name: "azure-openai", provider: new AzureOpenAiProvider() },
  { name: "azure", provider: createPreset("azure") },
  { name: "ollama", provider: createPreset("ollama") },
  { name: "bedrock", provider: new BedrockProvider() },
  { name: "vertex", provider: new VertexProvider() },
];

test.each(everyApi)(
  "for $name spaces and line ends in a base URL never lead to the page's own origin",
  ({ provider }) => {
    for (const base of [
      "https://gateway.example",
      "https://gateway.example/v1",
      "/api/ai",
      "https://gateway.example?a=1",
    ])
      for (const given of [`${base}\n`, `\r\n${base}`, ` ${base}\t`])
        expect(urlOf(provider, given)).toBe(urlOf(provider, base));
    for (const inside of ["https://gate\nway.example", "https://gateway.example/\nv1", "https://gateway.example?a=\n1"])
      expect(new URL(urlOf(provider, inside), "https://page.example").host).toBe("gateway.example");
  },
);

test.each(everyApi)("for $name a base URL that is no address is refused, and the key goes nowhere", ({ provider }) => {
  for (const given of [
    " ",
    "https:",
    "https://",
    "https:///",
    "https://?a=1",
    "http:/g",
    "https:g",
    "://g",
    "\u200bhttps://g",
  ])
    expect(() => urlOf(provider, given), given).toThrow(/baseUrl/);
});

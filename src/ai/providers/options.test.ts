import { expect, test } from "vitest";
import { AnthropicProvider } from "./anthropic.ts";
import { AzureOpenAiProvider } from "./azure-openai.ts";
import { GoogleProvider } from "./google.ts";
import { OpenAiProvider } from "./openai.ts";
import { OpenAiResponsesProvider } from "./openai-responses.ts";

test.each([OpenAiProvider, AzureOpenAiProvider, OpenAiResponsesProvider, AnthropicProvider, GoogleProvider])(
  "%o validates options before it builds a request",
  (Provider) => {
    const options = { model: "a-model", baseUrl: "/api" };
    const ask = (more: object) => () => new Provider().buildRequest([], { ...options, ...more });
    expect(ask({ temperature: Number.NaN })).toThrow("temperature must be a finite number, got NaN");
    expect(ask({ maxTokens: 1.5 })).toThrow("maxTokens must be a positive integer, got 1.5");
    expect(ask({})).not.toThrow();
  },
);

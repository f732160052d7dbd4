import { expect, test } from "vitest";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { AzureOpenAiProvider } from "./azure-openai.ts";
import { OpenAiProvider } from "./openai.ts";
import * as openai from "./openai.test-fixture.ts";
import { readStream, streamOf } from "./read-stream.test-helper.ts";

const hello: AiMessage[] = [{ role: "user", content: "Hello" }];

test("Azure has the deployment, escaped, and the version in the URL, and the key in api-key", () => {
  const azure = new AzureOpenAiProvider();
  const more = { model: "my model/1", apiKey: "k", baseUrl: "https://r.openai.azure.com/" };
  const request = azure.buildRequest(hello, more);
  const deployment = "https://r.openai.azure.com/openai/deployments/my%20model%2F1/chat/completions";
  expect(request.url).toBe(`${deployment}?api-version=2024-02-01`);
  expect(azure.buildRequest(hello, { ...more, apiVersion: "v&1" }).url).toBe(`${deployment}?api-version=v%261`);
  expect(request.headers).toEqual({ "Content-Type": "application/json", "api-key": "k" });
  expect(JSON.parse(request.body)).toEqual({ messages: hello, stream: true, stream_options: { include_usage: true } });
  expect(() => azure.buildRequest(hello, { model: "m" })).toThrow("The provider azure-openai needs baseUrl");
  expect(azure).toBeInstanceOf(OpenAiProvider);
  expect(readStream(azure, streamOf(openai.refusalStream)).finishReason).toBe("safety");
});

test("an Azure deployment of a model that thinks is told its limit through body", () => {
  const bodyFor = (more: Partial<AiRequestOptions>) =>
    JSON.parse(
      new AzureOpenAiProvider().buildRequest(hello, { model: "my-deployment", baseUrl: "/api/ai", ...more }).body,
    );
  expect(bodyFor({ maxTokens: 900, body: { max_completion_tokens: 800, max_tokens: undefined } })).toEqual(
    bodyFor({ body: { max_completion_tokens: 800 } }),
  );
  expect(bodyFor({ body: { max_completion_tokens: 800 } })).toMatchObject({ max_completion_tokens: 800 });
});

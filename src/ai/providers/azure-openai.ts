import type { AiProviderRequest } from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { OpenAiProvider } from "./openai.ts";
import { chatBody } from "./openai-request.ts";
import { post } from "./request.ts";

/** OpenAI's chat completions as Azure serves them: the deployment is in the URL. */
export class AzureOpenAiProvider extends OpenAiProvider {
  override buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const { apiKey, apiVersion = "2024-02-01", baseUrl, model } = options;
    if (!baseUrl)
      throw new Error("The provider azure-openai needs baseUrl: the address of your resource, or of your proxy.");
    const deployment = `${baseUrl.replace(/\/$/, "")}/openai/deployments/${encodeURIComponent(model)}`;
    return post(options, {
      url: `${deployment}/chat/completions?api-version=${encodeURIComponent(apiVersion)}`,
      headers: { "api-key": apiKey },
      body: chatBody(messages, options, true),
    });
  }
}

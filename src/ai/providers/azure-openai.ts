import type { AiProviderRequest } from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { OpenAiProvider } from "./openai.ts";
import { chatBody } from "./openai-request.ts";
import { endpointOf, post } from "./request.ts";

/** OpenAI's chat completions as Azure serves them: the deployment is in the URL. */
export class AzureOpenAiProvider extends OpenAiProvider {
  override buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const { apiKey, apiVersion = "2024-02-01", baseUrl, model } = options;
    if (!baseUrl) throw new Error("The provider azure-openai needs baseUrl: your resource's address, or your proxy's.");
    // A version that the address names counts.
    const version = baseUrl.includes("api-version=") ? "" : `?api-version=${encodeURIComponent(apiVersion)}`;
    return post(options, {
      url: endpointOf(baseUrl, `/openai/deployments/${encodeURIComponent(model)}/chat/completions${version}`),
      headers: { "api-key": apiKey },
      body: chatBody(messages, options, true),
    });
  }
}

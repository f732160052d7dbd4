// Google's Vertex AI: Gemini in Google's own format, Claude in Anthropic's.
import type {
  AiFileForm,
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
} from "../provider.ts";
import { namesForAll } from "../tool-names.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { AnthropicProvider } from "./anthropic.ts";
import { validateOptions } from "../validate-options.ts";
import { fileForms } from "./file-forms.ts";
import { withFittedTools } from "./fit-tools.ts";
import { GoogleProvider } from "./google.ts";
import { createCallParts } from "./google-call-parts.ts";
import { loose, objectIn, parse } from "./read.ts";
import { endpointOf } from "./request.ts";

function isClaude(model: string): boolean {
  return model.startsWith("claude");
}

export class VertexProvider implements IAiProvider {
  readonly #anthropic = new AnthropicProvider();
  readonly #google = new GoogleProvider();
  /** The options of both. */
  readonly toolNames = namesForAll;
  readonly files: AiFileForm = (file, options) =>
    fileForms[isClaude(options.model) ? "anthropic" : "google"](file, options) as object | undefined;

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    const { apiKey, baseUrl, model } = options;
    const isByClaude = isClaude(model);
    const api = isByClaude ? this.#anthropic : this.#google;
    validateOptions(options);
    const request = api.buildRequest(messages, withFittedTools(options, api.files));
    let { body } = request;
    let method = options.stream === false ? "generateContent" : "streamGenerateContent?alt=sse";
    if (isByClaude) {
      const { model: _, ...rest } = objectIn(body) ?? {};
      body = JSON.stringify({ anthropic_version: "vertex-2023-10-16", ...rest });
      method = rest["stream"] ? "streamRawPredict" : "rawPredict";
    }
    // A model's date stands behind an @.
    const name = encodeURIComponent(model).replaceAll("%40", "@");
    const url = endpointOf(
      baseUrl?.replace(/\/publishers\/[^?]*/, "") || "https://aiplatform.googleapis.com",
      `/v1/publishers/${isByClaude ? "anthropic" : "google"}/models/${name}:${method}`,
    );
    const { "x-goog-api-key": _key, "x-api-key": _other, "anthropic-version": _version, ...headers } = request.headers;
    return { url, headers: { ...(apiKey && authorize(apiKey)), ...headers }, body };
  }

  parseResponse(data: unknown): AiProviderResponse {
    return (Array.isArray(loose(data)?.content) ? this.#anthropic : this.#google).parseResponse(data);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return this.createStreamReader().read(event, data);
  }

  createStreamReader(): AiStreamReader {
    const claude = this.#anthropic.createStreamReader();
    const gemini = this.#google.createStreamReader();
    const parts = createCallParts();
    return {
      read(event, data) {
        // Anthropic's events say what they are.
        if (event ?? loose(parse(data))?.type) return claude.read(event, data);
        return parts.finish(gemini.read(event, parts.join(data)));
      },
    };
  }

  models(): Promise<never> {
    return Promise.reject(new Error("Vertex AI lists no models for requests: name the one that you want."));
  }
}

/** A key of Google's, or a token of an account, such as `gcloud auth print-access-token` gives. */
function authorize(apiKey: string): Record<string, string> {
  return /^(AIza|AQ\.)/.test(apiKey) ? { "x-goog-api-key": apiKey } : { Authorization: `Bearer ${apiKey}` };
}

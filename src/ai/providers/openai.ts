import type {
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
} from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { readAnswer, readEvent } from "./answer.ts";
import { createNumbers, readChunk } from "./openai-answer.ts";
import { chatBody } from "./openai-request.ts";
import { baseOf, post } from "./request.ts";

const ownBase = "https://api.openai.com";

/** OpenAI's chat completions, and every server that is compatible with them. */
export class OpenAiProvider implements IAiProvider {
  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const base = baseOf(options, ownBase);
    return post(options, {
      url: `${base}/v1/chat/completions`,
      headers: { Authorization: options.apiKey && `Bearer ${options.apiKey}` },
      body: { model: options.model, ...chatBody(messages, options, base === ownBase) },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("OpenAI", data, readChunk);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return readEvent("OpenAI", [event, data], readChunk);
  }

  /** A refusal comes before the reason to finish, which says nothing of it. */
  createStreamReader(): AiStreamReader {
    let refused = false;
    const numberOf = createNumbers();
    return {
      read: (event, data) => {
        const result = this.parseStreamChunk(event, data);
        refused ||= Boolean(result?.providerHints?.openai?.refused);
        if (refused && result?.finishReason) result.finishReason = "safety";
        for (const delta of result?.toolCallDeltas ?? []) delta.index = numberOf(delta);
        return result;
      },
    };
  }
}

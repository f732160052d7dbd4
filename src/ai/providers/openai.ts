import type {
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
  AiToolCallDelta,
  AiFileForm,
} from "../provider.ts";
import type { AiMessage, AiRequestOptions, AiFinishReason } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { readAnswer, readEvent, call, say, think } from "./answer.ts";
import { chatBody, thoughtFields } from "./openai-request.ts";
import { endpointOf, post } from "./request.ts";
import { finishOf, jsonText, listOf, plainText, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";

const finishReasons: Readonly<Record<string, AiFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "safety",
};

function readChunk(fields: Loose, chunk: AiStreamChunkResult): boolean {
  const [choice] = listOf(fields?.choices);
  const message = choice?.delta ?? choice?.message;
  const refusal = textOf(message?.refusal);
  const thoughts = thoughtFields.find((name) => textOf(message?.[name]));
  say(chunk, plainText(message?.content) + refusal);
  if (thoughts) {
    think(chunk, textOf(message?.[thoughts]));
    chunk.providerHints = { openai: { thoughts } };
  }
  if (refusal) chunk.providerHints = { openai: { refused: true } };
  for (const [position, part] of listOf(message?.tool_calls).entries()) {
    const index = Number(part?.index ?? position);
    call(chunk, {
      index,
      id: textOf(part?.id),
      name: textOf(part?.function?.name),
      argumentsDelta: jsonText(part?.function?.arguments),
    });
  }
  const reason = choice?.finish_reason;
  if (reason) chunk.finishReason = refusal ? "safety" : finishOf(finishReasons, reason);
  const usage = fields?.usage;
  if (usage) {
    chunk.usage = usageOf({
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens,
      total: usage.total_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens,
      reasoning: usage.completion_tokens_details?.reasoning_tokens,
    });
  }
  return Boolean(message);
}

/** Renumbers a stream's calls: some servers give all of them one index, and start each with a new id. */
function createNumbers(): (delta: AiToolCallDelta) => number {
  const begun = new Map<number, { id: string; number: number }>();
  let calls = 0;
  return ({ index, id = "", name }) => {
    let call = begun.get(index);
    if (!call || (id && name && call.id && call.id !== id)) begun.set(index, (call = { id, number: calls++ }));
    call.id ||= id;
    return call.number;
  };
}

const ownBase = "https://api.openai.com/";

/** OpenAI's chat completions, and every server that is compatible with them. */
export class OpenAiProvider implements IAiProvider {
  readonly files: AiFileForm = "openai";

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const url = endpointOf(options.baseUrl || ownBase, "/v1/chat/completions");
    return post(options, {
      url,
      headers: { Authorization: options.apiKey && `Bearer ${options.apiKey}` },
      body: { model: options.model, ...chatBody(messages, options, url.startsWith(ownBase)) },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("OpenAI", data, readChunk);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return readEvent("OpenAI", [event, data], readChunk);
  }

  /** A refusal arrives before the finish reason, which does not show it. */
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

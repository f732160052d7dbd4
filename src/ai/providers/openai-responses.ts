import type { AiProviderRequest, AiProviderResponse, AiStreamChunkResult, IAiProvider } from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { readAnswer, readEvent } from "./answer.ts";
import { isReasoningModel } from "./openai-models.ts";
import { readResponse, readResponseEvent } from "./openai-responses-answer.ts";
import { inputOf } from "./openai-responses-input.ts";
import { baseOf, post, refuse, toolsOf } from "./request.ts";

/** OpenAI's responses. Nothing is kept there: the conversation is sent whole, thoughts with it, encrypted. */
export class OpenAiResponsesProvider implements IAiProvider {
  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    refuse("openai-responses", options, "stop", "seed");
    const { apiKey, model, reasoning, responseSchema: schema, stream = true, toolChoice } = options;
    const tools = toolsOf(options, ({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    }));
    return post(options, {
      url: `${baseOf(options, "https://api.openai.com")}/v1/responses`,
      headers: { Authorization: apiKey && `Bearer ${apiKey}` },
      body: {
        model,
        input: inputOf(messages, options),
        stream,
        store: false,
        include: reasoning || isReasoningModel(model) ? ["reasoning.encrypted_content"] : undefined,
        reasoning: reasoning && { effort: reasoning.effort, summary: "auto" },
        temperature: options.temperature,
        top_p: options.topP,
        max_output_tokens: options.maxTokens,
        tools,
        tool_choice: tools && (typeof toolChoice === "object" ? { type: "function", ...toolChoice } : toolChoice),
        text: schema && {
          format: { type: "json_schema", name: options.responseSchemaName ?? "response", schema, strict: true },
        },
      },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("OpenAI", data, readResponse);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return readEvent("OpenAI", [event, data], readResponseEvent);
  }
}

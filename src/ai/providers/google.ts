import type {
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
} from "../provider.ts";
import type { AiMessage, AiReasoningOptions, AiRequestOptions, AiTool, AiToolChoice } from "../types.ts";
import { isPlain } from "../check.ts";
import { validateOptions } from "../validate-options.ts";
import { readAnswer } from "./answer.ts";
import { createChunks, createReader } from "./google-answer.ts";
import { contentsBody } from "./google-contents.ts";
import { listOf } from "./read.ts";
import { baseOf, post, toolsOf } from "./request.ts";

/** Google's Gemini. */
export class GoogleProvider implements IAiProvider {
  readonly toolNames = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/, maxLength: 64 };

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const base = baseOf(options, "https://generativelanguage.googleapis.com");
    const method = options.stream === false ? "generateContent" : "streamGenerateContent?alt=sse";
    const { responseSchema: schema, reasoning } = options;
    const functionDeclarations = toolsOf(options, declarationOf);
    return post(options, {
      url: `${base}/v1beta/models/${encodeURIComponent(options.model.replace(/^models\//, ""))}:${method}`,
      headers: { "x-goog-api-key": options.apiKey },
      body: {
        ...contentsBody(messages, options),
        generationConfig: {
          temperature: options.temperature,
          topP: options.topP,
          maxOutputTokens: options.maxTokens,
          stopSequences: options.stop,
          seed: options.seed,
          responseMimeType: schema && "application/json",
          ...(schema && { [fits(schema) ? "responseSchema" : "responseJsonSchema"]: schema }),
          thinkingConfig: reasoning && thinkingOf(reasoning),
        },
        ...(functionDeclarations && {
          tools: [{ functionDeclarations }],
          toolConfig: options.toolChoice && { functionCallingConfig: callingOf(options.toolChoice) },
        }),
      },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("Google", data, createChunks());
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return createReader(true).read(event, data);
  }

  createStreamReader(): AiStreamReader {
    return createReader();
  }
}

function declarationOf({ name, description, parameters }: AiTool): object {
  return { name, description, [fits(parameters) ? "parameters" : "parametersJsonSchema"]: parameters };
}

const ownKeywords = /^(title|description|default|nullable|pattern|required|m(in|ax)(imum|Items|Length|Properties))$/;

/** Whether Gemini's own kind of schema can hold it, which has fewer words; others go as JSON Schema, by another name. */
function fits(schema: unknown): boolean {
  if (!isPlain(schema)) return false;
  const { type, enum: values, properties, items, anyOf, ...rest } = schema;
  const parts = Object.values(properties ?? {});
  return (
    (type !== "object" || parts.length > 0) &&
    [type ?? "", ...listOf(values)].every((value) => typeof value === "string") &&
    [...parts, ...(items ? [items] : []), ...listOf(anyOf)].every(fits) &&
    Object.keys(rest).every((name) => ownKeywords.test(name))
  );
}

function callingOf(choice: AiToolChoice): object {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
}

/** A budget is for models that count their thoughts; an effort for those that have levels. */
function thinkingOf({ budgetTokens, effort }: AiReasoningOptions): object {
  return {
    includeThoughts: budgetTokens !== 0,
    ...(budgetTokens === undefined ? { thinkingLevel: effort?.toUpperCase() } : { thinkingBudget: budgetTokens }),
  };
}

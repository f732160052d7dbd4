// Services that are like OpenAI's chat completions: their address, and where they differ.
import type { AiProviderRequest, AiProviderResponse, AiStreamChunkResult, IAiProvider } from "../provider.ts";
import type { AiFinishReason, AiMessage, AiRequestOptions, AiUsage } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { failureOf } from "./answer.ts";
import { OpenAiProvider } from "./openai.ts";
import { listOf, loose, parse, plainText, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";

export interface Preset extends Pick<IAiProvider, "files" | "models"> {
  /** For messages about its answers. */
  readonly title: string;
  readonly baseUrl: string;
  /** Makes of a request what the service takes in another form. */
  adapt?(messages: AiMessage[], options: AiRequestOptions): readonly [AiMessage[], AiRequestOptions];
}

interface Differences {
  readonly error?: Error;
  readonly finishReason?: AiFinishReason;
  readonly usage?: AiUsage;
  readonly thoughts: string;
}

export class CompatibleProvider extends OpenAiProvider {
  readonly #preset: Preset;
  override readonly files;
  declare readonly models?: NonNullable<IAiProvider["models"]>;

  constructor(preset: Preset) {
    super();
    this.#preset = preset;
    this.files = preset.files ?? "openai";
    if (preset.models) this.models = preset.models;
  }

  override buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const { baseUrl, adapt } = this.#preset;
    const given = { streamOptions: "always" as const, ...options, baseUrl: options.baseUrl || baseUrl };
    return super.buildRequest(...(adapt?.(messages, given) ?? ([messages, given] as const)));
  }

  override parseResponse(data: unknown): AiProviderResponse {
    const { error, thoughts, ...more } = differencesIn(this.#preset, loose(data));
    if (error) throw error;
    return { ...super.parseResponse(data), ...(thoughts && { reasoning: thoughts }), ...more };
  }

  override parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    const chunk = super.parseStreamChunk(event, data);
    if (!chunk || chunk.error || chunk.done) return chunk;
    const { thoughts, ...more } = differencesIn(this.#preset, loose(parse(data)));
    return { ...chunk, ...(thoughts && { reasoningDelta: thoughts }), ...more };
  }
}

/** Reasons to finish that OpenAI does not have. */
const finishReasons: Readonly<Record<string, AiFinishReason>> = { eos: "stop", model_length: "length" };

/** The service gave up: there is no answer, however it began. */
const failures = /^(error|abort|insufficient_system_resource)$/;

function differencesIn({ title }: Preset, fields: Loose): Differences {
  const [choice] = listOf(fields?.choices);
  const reason = textOf(choice?.finish_reason);
  const finishReason = Object.hasOwn(finishReasons, reason) ? finishReasons[reason] : undefined;
  const failed = fields?.x_groq?.error ?? (failures.test(reason) ? `it gave up the answer (${reason}).` : undefined);
  const usage = fields?.x_groq?.usage ?? fields?.usage;
  const cached = usage?.prompt_cache_hit_tokens;
  return {
    ...(failed && { error: failureOf(title, failed, JSON.stringify(fields)) as Error }),
    ...(finishReason && { finishReason }),
    ...((cached ?? fields?.x_groq?.usage) && { usage: usageIn(usage, cached) }),
    thoughts: thoughtsIn((choice?.delta ?? choice?.message)?.content),
  };
}

function usageIn(usage: Loose, cached: Loose): AiUsage {
  return usageOf({
    prompt: usage?.prompt_tokens,
    completion: usage?.completion_tokens,
    total: usage?.total_tokens,
    cached: cached ?? usage?.prompt_tokens_details?.cached_tokens,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
  });
}

/** Mistral's thoughts are parts of the content, which have parts of their own. */
function thoughtsIn(content: Loose): string {
  return listOf(content)
    .map((part) => plainText(part?.thinking))
    .join("");
}

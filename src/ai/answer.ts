// Assembles one answer from a provider's events.
import type { AiCitation } from "./citation.ts";
import type { AiStreamChunkResult, AiToolCallDelta } from "./provider.ts";
import type {
  AiContentImagePart,
  AiContentTextPart,
  AiFinishReason,
  AiHttpError,
  AiProviderHints,
  AiUsage,
} from "./types.ts";

export interface Answer {
  content: string;
  reasoning: string;
  usage: AiUsage | null;
  deltas: AiToolCallDelta[];
  finishReason?: AiFinishReason | undefined;
  hints?: AiProviderHints;
  citations?: AiCitation[];
  /** With a text for those that could not be kept. */
  images?: (AiContentImagePart | AiContentTextPart)[];
  /** The provider marked it complete. */
  isDone?: boolean;
  /** The connection broke, so a retry may succeed. */
  isLost?: boolean;
}

export function createAnswer(): Answer {
  return { content: "", reasoning: "", usage: null, deltas: [] };
}

/** Applies one event of a stream; throws its error if the answer was not finished. */
export function take(answer: Answer, result: AiStreamChunkResult | null): void {
  if (!result) return;
  const { delta = "", reasoningDelta = "", toolCallDeltas, finishReason, usage, providerHints, error, done } = result;
  const { citations } = result;
  // A finished answer counts, even if the connection breaks after it.
  if (error) {
    if (!answer.finishReason) throw error;
    answer.isDone = true;
    return;
  }
  answer.content += delta;
  answer.reasoning += reasoningDelta;
  if (toolCallDeltas) answer.deltas.push(...toolCallDeltas);
  if (citations) answer.citations = (answer.citations ?? []).concat(citations);
  answer.finishReason = finishReason ?? answer.finishReason;
  answer.isDone ||= done;
  if (usage) answer.usage = mergeUsage(answer.usage, usage);
  for (const provider in providerHints) {
    answer.hints = { ...answer.hints, [provider]: { ...answer.hints?.[provider], ...providerHints[provider] } };
  }
}

function mergeUsage(before: AiUsage | null, more: Partial<AiUsage>): AiUsage {
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, ...before, ...more };
  usage.totalTokens = more.totalTokens ?? usage.promptTokens + usage.completionTokens;
  return usage;
}

/** Throws; a retry may succeed. */
export function lose(answer: Answer, what: string, cause?: unknown): never {
  answer.isLost = true;
  throw new Error(cause instanceof Error ? `${what}: ${cause.message}` : `${what}.`, { cause });
}

export function isHttpError(error: unknown): error is AiHttpError {
  return typeof (error as AiHttpError | null | undefined)?.status === "number";
}

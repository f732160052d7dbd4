// Reads untrusted JSON: each function takes anything and returns a known type.
import { isPlain } from "../check.ts";
import type { AiFinishReason, AiUsage } from "../types.ts";

/** A JSON value whose fields may all be missing or of any type. */
export type Loose = { readonly [name: string]: Loose } | null | undefined;

/** Undefined where the text is not JSON. */
export function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Only for parsed JSON: a value that is not an object has no fields. */
export function loose(value: unknown): Loose {
  return value as Loose;
}

export function listOf(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The text of content that may come in parts. */
export function plainText(content: unknown): string {
  return (
    textOf(content) ||
    listOf(content)
      .map((part) => textOf(part?.text))
      .join("")
  );
}

/** Converts to JSON text, unless it is JSON text already; empty if there is no value. */
export function jsonText(value: unknown): string {
  return value ? textOf(value) || JSON.stringify(value) : "";
}

/** The object that JSON text holds; undefined where it holds none. */
export function objectIn(json: string): Record<string, unknown> | undefined {
  const value = parse(json);
  return isPlain(value) ? value : undefined;
}

export function finishOf(reasons: Readonly<Record<string, AiFinishReason>>, reason: unknown): AiFinishReason {
  return (Object.hasOwn(reasons, textOf(reason)) && reasons[textOf(reason)]) || "other";
}

interface Counts {
  readonly prompt: unknown;
  readonly completion: unknown;
  readonly total?: unknown;
  readonly cached: unknown;
  readonly reasoning: unknown;
}

export function usageOf({ prompt, completion, total, cached, reasoning }: Counts): AiUsage {
  const [promptTokens, completionTokens] = [countOf(prompt), countOf(completion)];
  const [cachedTokens, reasoningTokens] = [countOf(cached), countOf(reasoning)];
  return {
    promptTokens,
    completionTokens,
    totalTokens: countOf(total) || promptTokens + completionTokens,
    ...(cachedTokens && { cachedTokens }),
    ...(reasoningTokens && { reasoningTokens }),
  };
}

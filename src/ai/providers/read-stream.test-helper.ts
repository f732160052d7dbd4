import type { AiStreamChunkResult, IAiProvider } from "../provider.ts";
import { createSseParser } from "../sse.ts";
import type { AiToolCall, AiUsage } from "../types.ts";

export interface ReadAnswer {
  content: string;
  reasoning: string;
  toolCalls: AiToolCall[];
  usage?: Partial<AiUsage>;
  finishReason?: string;
  providerHints?: unknown;
  error?: unknown;
  done: boolean;
}

/** Reads a stream as AiCore does. */
export function readStream(provider: IAiProvider, text: string): ReadAnswer {
  const answer: ReadAnswer = { content: "", reasoning: "", toolCalls: [], done: false };
  const calls = new Map<number, AiToolCall>();
  const reader = provider.createStreamReader?.() ?? { read: provider.parseStreamChunk.bind(provider) };
  const parser = createSseParser((event, data) => take(answer, calls, reader.read(event, data)));
  parser.push(text);
  parser.end();
  answer.toolCalls = [...calls.values()];
  return answer;
}

function take(answer: ReadAnswer, calls: Map<number, AiToolCall>, result: AiStreamChunkResult | null): void {
  if (!result) return;
  answer.content += result.delta ?? "";
  answer.reasoning += result.reasoningDelta ?? "";
  for (const { index, id, name, argumentsDelta } of result.toolCallDeltas ?? []) {
    const call = calls.get(index) ?? { id: "", name: "", arguments: "" };
    calls.set(index, call);
    if (id) call.id = id;
    if (name) call.name = name;
    call.arguments += argumentsDelta ?? "";
  }
  if (result.usage) answer.usage = { ...answer.usage, ...result.usage };
  if (result.finishReason) answer.finishReason = result.finishReason;
  if (result.providerHints) answer.providerHints = result.providerHints;
  if (result.error) answer.error ??= result.error;
  if (result.done) answer.done = true;
}

/** Events in the text of a stream; those without a name have none there either. */
export function streamOf(events: readonly unknown[]): string {
  return events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");
}

export function namedStreamOf(events: readonly { readonly type: string; readonly [field: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

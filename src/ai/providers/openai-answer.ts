// What a chunk of a chat completion says, or a whole one.
import type { AiStreamChunkResult, AiToolCallDelta } from "../provider.ts";
import type { AiFinishReason } from "../types.ts";
import { call, say, think } from "./answer.ts";
import { thoughtFields } from "./openai-models.ts";
import { finishOf, jsonText, listOf, plainText, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";

const finishReasons: Readonly<Record<string, AiFinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "safety",
};

export function readChunk(fields: Loose, chunk: AiStreamChunkResult): boolean {
  const [choice] = listOf(fields?.choices);
  const said = choice?.delta ?? choice?.message;
  const refusal = textOf(said?.refusal);
  const thoughts = thoughtFields.find((name) => textOf(said?.[name]));
  say(chunk, plainText(said?.content) + refusal);
  if (thoughts) {
    think(chunk, textOf(said?.[thoughts]));
    chunk.providerHints = { openai: { thoughts } };
  }
  if (refusal) chunk.providerHints = { openai: { refused: true } };
  for (const [position, part] of listOf(said?.tool_calls).entries()) {
    const index = typeof part?.index === "number" ? part.index : position;
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
  return Boolean(said);
}

/** Numbers a stream's calls anew: some servers give all of them one number, and say only by the id where one begins. */
export function createNumbers(): (delta: AiToolCallDelta) => number {
  const begun = new Map<number, { id: string; number: number }>();
  let calls = 0;
  return ({ index, id = "", name }) => {
    let call = begun.get(index);
    if (!call || (id && name && call.id && call.id !== id)) begun.set(index, (call = { id, number: calls++ }));
    call.id ||= id;
    return call.number;
  };
}

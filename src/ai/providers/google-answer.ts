// What a chunk of one of Gemini's answers says, or a whole one.
import type { AiStreamChunkResult, AiStreamReader } from "../provider.ts";
import type { AiFinishReason, AiUsage } from "../types.ts";
import { call, readEvent, say, think } from "./answer.ts";
import { ownIdPrefix } from "./google-contents.ts";
import { createLayout } from "./layout.ts";
import { countOf, jsonText, listOf, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";

let callsSeen = 0;

/** One that reads a chunk without knowing what came before numbers its calls unlike all others. */
export function createReader(alone = false): AiStreamReader {
  const read = createChunks(alone ? callsSeen : 0);
  return { read: (event, data) => readEvent("Google", [event, data], read) };
}

export function createChunks(first = 0): (fields: Loose, chunk: AiStreamChunkResult) => boolean {
  const layout = createLayout();
  let calls = 0;

  function readPart(part: Loose, chunk: AiStreamChunkResult): void {
    const text = textOf(part?.text);
    const called = part?.functionCall;
    const thoughtSignature = part?.thoughtSignature;
    const fields = thoughtSignature ? { thoughtSignature } : undefined;
    if (called) {
      const name = textOf(called.name);
      // Its arguments would come in later parts, each with a path: only where the request asked for that.
      if (called.willContinue || called.partialArgs)
        chunk.error = new Error("Google sent a call in parts: leave out streamFunctionCallArguments.");
      const id = textOf(called.id) || `${ownIdPrefix}${name}:${callsSeen}`;
      call(chunk, { index: first + calls++, id, name, argumentsDelta: jsonText(called.args ?? {}) });
      callsSeen++;
      layout.add({ call: true, fields });
    } else if (part?.thought) {
      think(chunk, text);
      if (fields) layout.add({ block: part });
    } else if (text || fields) {
      say(chunk, text);
      layout.add({ text: text.length, fields });
    }
  }

  return (fields, chunk) => {
    const candidate = listOf(fields?.candidates)[0];
    const feedback = fields?.promptFeedback;
    for (const part of listOf(candidate?.content?.parts)) readPart(part, chunk);
    if (fields?.usageMetadata) chunk.usage = readUsage(fields.usageMetadata);
    const reason = textOf(candidate?.finishReason);
    if (feedback?.blockReason) {
      say(chunk, textOf(feedback.blockReasonMessage));
      chunk.finishReason = "safety";
    } else if (reason) {
      chunk.finishReason = finishOf(reason, calls > 0);
      layout.keep("google", chunk);
    }
    return Boolean(candidate ?? feedback);
  };
}

/** Gemini stops for calls as for anything else. */
function finishOf(reason: string, hasCalls: boolean): AiFinishReason {
  if (reason === "STOP") return hasCalls ? "tool_use" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/.test(reason) ? "safety" : "other";
}

function readUsage(usage: NonNullable<Loose>): AiUsage {
  const reasoning = usage.thoughtsTokenCount;
  return usageOf({
    prompt: countOf(usage.promptTokenCount) + countOf(usage.toolUsePromptTokenCount),
    completion: countOf(usage.candidatesTokenCount) + countOf(reasoning),
    total: usage.totalTokenCount,
    cached: usage.cachedContentTokenCount,
    reasoning,
  });
}

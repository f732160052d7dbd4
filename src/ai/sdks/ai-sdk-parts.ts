// The answer of an AI SDK model as AiCore's events.
import { createLayout } from "../providers/layout.ts";
import { listOf, loose, textOf, usageOf } from "../providers/read.ts";
import type { Loose } from "../providers/read.ts";
import { call, draw, failureOf, readAnswer, say, think } from "../providers/answer.ts";
import type { AiProviderResponse, AiStreamChunkResult } from "../provider.ts";
import type { AiFinishReason, AiUsage } from "../types.ts";

/** Reads the parts of one stream. A call's arguments come in deltas, and once more whole. */
export function createPartReader(): (part: unknown) => AiStreamChunkResult {
  const layout = createLayout();
  const calls = new Map<string, number>();
  let thoughts = "";

  function indexOf(id: string): number {
    const index = calls.get(id) ?? calls.size;
    calls.set(id, index);
    return index;
  }

  function read(part: Loose, chunk: AiStreamChunkResult): void {
    const id = textOf(part?.id);
    const fields = part?.providerMetadata ? { providerOptions: part.providerMetadata } : undefined;
    switch (textOf(part?.type)) {
      case "text-delta":
        say(chunk, textOf(part?.delta));
        return layout.add({ text: textOf(part?.delta).length, fields });
      case "reasoning-start":
        thoughts = "";
        break;
      case "reasoning-delta":
        thoughts += textOf(part?.delta);
        return think(chunk, textOf(part?.delta));
      case "reasoning-end":
        return layout.add({ block: { type: "reasoning", text: thoughts, ...fields } });
      case "tool-input-start":
        // A tool of the provider's own runs there, and its result is in the answer.
        if (!part?.providerExecuted) call(chunk, { index: indexOf(id), id, name: textOf(part?.toolName) });
        break;
      case "tool-input-delta":
        if (calls.has(id)) call(chunk, { index: indexOf(id), argumentsDelta: textOf(part?.delta) });
        break;
      default:
        readWhole(part, chunk, fields);
    }
  }

  function readWhole(part: Loose, chunk: AiStreamChunkResult, fields: object | undefined): void {
    switch (textOf(part?.type)) {
      case "text":
        say(chunk, textOf(part?.text));
        return layout.add({ text: textOf(part?.text).length, fields });
      case "reasoning":
        think(chunk, textOf(part?.text));
        return layout.add({ block: { type: "reasoning", text: textOf(part?.text), ...fields } });
      case "tool-call": {
        if (part?.providerExecuted) return;
        const id = textOf(part?.toolCallId);
        const whole = textOf(part?.input) || "{}";
        call(chunk, { index: indexOf(id), id, name: textOf(part?.toolName), arguments: whole });
        return layout.add({ call: true, fields });
      }
      case "source":
        if (textOf(part?.sourceType) === "url") chunk.citations = [citationOf(part)];
        break;
      case "file": {
        const url = pictureOf(part ?? {});
        if (url === undefined) return;
        draw(chunk, url);
        return layout.add({ image: url.length, fields });
      }
      case "error":
        chunk.error = failure(part?.error);
        break;
      case "finish":
        finish(part, chunk);
        chunk.done = true;
    }
  }

  function finish(part: Loose, chunk: AiStreamChunkResult): void {
    chunk.usage = usageIn(part?.usage);
    chunk.finishReason = reasonOf(part?.finishReason);
    layout.keep("ai-sdk", chunk);
  }

  return (part) => {
    const chunk: AiStreamChunkResult = { done: false };
    read(loose(part), chunk);
    return chunk;
  };
}

/** The result of `doGenerate`: the same parts, whole. */
export function partsOfResult(result: unknown): AiProviderResponse {
  return readAnswer("The model", result, (fields, chunk) => {
    const read = createPartReader();
    const parts = [...listOf(fields?.content), { ...fields, type: "finish" }];
    for (const part of parts) merge(chunk, read(part));
    return fields?.finishReason;
  });
}

function merge(
  whole: AiStreamChunkResult,
  { delta, reasoningDelta, toolCallDeltas, citations, images = [], ...more }: AiStreamChunkResult,
): void {
  say(whole, delta ?? "");
  think(whole, reasoningDelta ?? "");
  for (const { arguments: json = "", ...named } of toolCallDeltas ?? [])
    call(whole, { ...named, argumentsDelta: json });
  if (citations) whole.citations = [...(whole.citations ?? []), ...citations];
  for (const { url } of images) draw(whole, url);
  Object.assign(whole, more);
}

/** The data of a file is bytes, base64 or an address; version 4 of the models says which it is. */
function pictureOf({ mediaType: type, data }: NonNullable<Loose>): string | undefined {
  const mediaType = textOf(type);
  if (!mediaType.startsWith("image/")) return undefined;
  const given: unknown = data?.data ?? data?.url ?? data;
  const text = given instanceof Uint8Array ? base64(given) : String(given);
  return text.startsWith("https:") ? text : `data:${mediaType};base64,${text}`;
}

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function citationOf(part: Loose): { url: string; title?: string } {
  const title = textOf(part?.title);
  return { url: textOf(part?.url), ...(title && { title }) };
}

/** An error's message and status are not in its JSON: it is read before it is sent on. */
function failure(error: unknown): NonNullable<AiStreamChunkResult["error"]> {
  const { statusCode, responseBody, message } = (error ?? {}) as {
    statusCode?: number;
    responseBody?: string;
    message?: string;
  };
  if (statusCode) return { status: statusCode, statusText: "", body: responseBody ?? message ?? "" };
  return failureOf(
    "The model",
    typeof error === "string" ? error : { message, type: (error as Loose)?.type },
    JSON.stringify(error) ?? "",
  );
}

const reasons: Readonly<Record<string, AiFinishReason>> = {
  ...{ stop: "stop", length: "length", "tool-calls": "tool_use", "content-filter": "safety" },
};

/** A word in version 2 of the models; later with the provider's own word beside it. */
function reasonOf(reason: Loose): AiFinishReason {
  return reasons[textOf(reason) || textOf(reason?.unified)] ?? "other";
}

function usageIn(usage: Loose): AiUsage {
  const { inputTokens: input, outputTokens: output, totalTokens: total } = usage ?? {};
  return usageOf({
    prompt: input?.total ?? input,
    completion: output?.total ?? output,
    total,
    cached: input?.cacheRead ?? usage?.cachedInputTokens,
    reasoning: output?.reasoning ?? usage?.reasoningTokens,
  });
}

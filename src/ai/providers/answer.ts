// Helpers that all providers' answers share: JSON and errors.
import type { AiProviderResponse, AiStreamChunkResult, AiToolCallDelta } from "../provider.ts";
import type { AiHttpError } from "../types.ts";
import { loose, parse, textOf } from "./read.ts";
import type { Loose } from "./read.ts";

/** Reads an event of a stream, or returns its error. */
export function readEvent(
  provider: string,
  [event, data]: readonly [event: string | undefined, data: string],
  read: (fields: Loose, chunk: AiStreamChunkResult) => void,
): AiStreamChunkResult | null {
  if (data === "") return null;
  if (data.startsWith("[DONE]")) return { done: true };
  const fields = loose(parse(data));
  const chunk: AiStreamChunkResult = { done: false };
  if (fields === undefined) {
    chunk.error = new Error(`${provider} sent an event that is not JSON: ${data.slice(0, 100)}`);
    return chunk;
  }
  const failed = fields?.error || ((event === "error" || textOf(fields?.type) === "error") && fields);
  if (failed) chunk.error = failureOf(provider, failed, data);
  else read(fields, chunk);
  return chunk;
}

/** Parses the body of a response with status 200; throws if it is not an answer. */
export function readAnswer(
  provider: string,
  data: unknown,
  read: (fields: Loose, chunk: AiStreamChunkResult) => unknown,
): AiProviderResponse {
  const chunk: AiStreamChunkResult = { done: true };
  const failed = loose(data)?.error;
  if (failed || !read(loose(data), chunk)) {
    const body = JSON.stringify(data) ?? "";
    throw failureOf(provider, failed || `its answer holds none: ${body.slice(0, 200)}`, body);
  }
  const {
    delta: content = "",
    reasoningDelta: reasoning,
    toolCallDeltas = [],
    usage,
    done: _,
    error: _none,
    ...more
  } = chunk;
  const toolCalls = toolCallDeltas.flatMap(({ id, name, argumentsDelta: json = "" }) =>
    id && name ? [{ id, name, arguments: json }] : [],
  );
  return {
    ...more,
    content,
    ...(reasoning && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(usage && { usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, ...usage } }),
  };
}

export function say(chunk: AiStreamChunkResult, text: string): void {
  if (text) chunk.delta = (chunk.delta ?? "") + text;
}

export function think(chunk: AiStreamChunkResult, text: string): void {
  if (text) chunk.reasoningDelta = (chunk.reasoningDelta ?? "") + text;
}

export function draw(chunk: AiStreamChunkResult, url: string): void {
  (chunk.images ??= []).push({ type: "image", url });
}

export function call(chunk: AiStreamChunkResult, delta: AiToolCallDelta): void {
  (chunk.toolCallDeltas ??= []).push(delta);
}

/** An HTTP error where the provider names one, so that it is retried like one. */
export function failureOf(provider: string, failed: unknown, body: string): AiHttpError | Error {
  const error = loose(failed);
  const code = Number(error?.code);
  const name = textOf(error?.status) || textOf(error?.code) || textOf(error?.type);
  const status = code >= 400 && code < 600 ? code : statuses.find(([kind]) => kind.test(name))?.[1];
  if (status) return { status, statusText: name, body };
  return new Error(`${provider} failed: ${textOf(failed) || textOf(error?.message) || name || body}`);
}

/** The HTTP status for an error of that type. */
const statuses = [
  [/rate_limit/, 429],
  [/(api|server)_error/, 500],
  [/timeout/, 504],
  [/overloaded/, 529],
] as const;

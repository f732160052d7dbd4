// A language model of the Vercel AI SDK as a provider: AiCore's request becomes the model's call, and what the model
// streams becomes AiCore's events. The request never leaves this program, so its body only has to be JSON.
import type { IAiProvider, AiStreamChunkResult } from "../provider.ts";
import { withFittedTools } from "../providers/fit-tools.ts";
import { namesForAll } from "../tool-names.ts";
import { callOf } from "./ai-sdk-call.ts";
import type { AiSdkCall, Part } from "./ai-sdk-call.ts";
import { base64, createPartReader, partsOfResult } from "./ai-sdk-parts.ts";

/** A language model of the AI SDK 5, 6 or 7, such as `openai("gpt-5")`. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  // oxlint-disable-next-line no-explicit-any -- each version of the SDK has its own types
  doGenerate(options: any): PromiseLike<any>;
  // oxlint-disable-next-line no-explicit-any -- as above
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<any> }>;
}

/** A provider that asks this model. The requests' `model`, `apiKey` and `baseUrl` are the model's own affair. */
export function fromAiSdk(model: AiSdkModel): IAiProvider {
  if (!/^v[234]$/.test(model?.specificationVersion ?? ""))
    throw new TypeError('fromAiSdk takes a language model of the AI SDK 5, 6 or 7, such as openai("gpt-5").');
  return {
    buildRequest: (messages, options) => ({
      url: `ai-sdk:${model.provider}/${model.modelId}`,
      headers: {},
      body: JSON.stringify({
        isWhole: options.stream === false,
        call: callOf(messages, withFittedTools(options, "any"), model.specificationVersion),
      }),
    }),
    createFetch:
      () =>
      (_url, { body, signal } = {}) =>
        respond(model, JSON.parse(body as string) as Asked, signal ?? undefined),
    toolNames: namesForAll,
    files: ({ mediaType, name, data, url }) => ({ type: "file", mediaType, filename: name, data: data ?? { url } }),
    parseResponse: (result) => partsOfResult(result),
    parseStreamChunk: (_event, data) => readEvent(data),
    models: () => Promise.resolve([{ id: model.modelId, name: model.modelId }]),
  };
}

interface Asked {
  readonly isWhole: boolean;
  readonly call: AiSdkCall;
}

async function respond(model: AiSdkModel, { isWhole, call }: Asked, abortSignal?: AbortSignal): Promise<Response> {
  const options = { ...revive(call, model.specificationVersion), abortSignal };
  try {
    if (isWhole) return responseOf(JSON.stringify(await model.doGenerate(options), bytesAsText), "application/json");
    const { stream } = await model.doStream(options);
    const read = createPartReader();
    const encoder = new TextEncoder();
    const events = new TransformStream<unknown, Uint8Array>({
      transform: (part, out) => out.enqueue(encoder.encode(eventOf(read(part)))),
    });
    return responseOf(stream.pipeThrough(events), "text/event-stream");
  } catch (error) {
    const { statusCode, responseBody = String(error) } = error as { statusCode?: number; responseBody?: string };
    if (!statusCode || statusCode < 400 || statusCode > 599) throw error;
    return new Response(responseBody, { status: statusCode });
  }
}

function bytesAsText(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? base64(value) : value;
}

function responseOf(body: string | ReadableStream<Uint8Array>, type: string): Response {
  return new Response(body, { headers: { "content-type": type } });
}

/** An Error has no JSON. */
function eventOf({ error, ...chunk }: AiStreamChunkResult): string {
  const failed = error instanceof Error ? { failed: error.message } : { error };
  return `data: ${JSON.stringify({ ...chunk, ...failed })}\n\n`;
}

function readEvent(data: string): AiStreamChunkResult {
  const { failed, ...chunk } = JSON.parse(data) as AiStreamChunkResult & { readonly failed?: string };
  return failed === undefined ? chunk : { ...chunk, error: new Error(failed) };
}

/** Files as this version of the SDK takes them: addresses are URL objects, and version 4 of the models says which it is. */
function revive(call: AiSdkCall, version: string): AiSdkCall {
  return {
    ...call,
    prompt: call.prompt.map((message) =>
      typeof message.content === "string"
        ? message
        : { ...message, content: message.content.map((part) => (part.type === "file" ? fileOf(part, version) : part)) },
    ),
  };
}

function fileOf(part: Part, version: string): Part {
  const { data } = part;
  const url = typeof data === "object" && data !== null && "url" in data ? new URL(String(data.url)) : undefined;
  if (version === "v4") return { ...part, data: url ? { type: "url", url } : { type: "data", data } };
  return { ...part, data: url ?? data };
}

// The rehearsal as an AiCore provider. It needs no server: a request's body is already the answer, which
// `rehearsalFetch` returns.
import type { AiStreamChunkResult, AiProviderResponse, IAiProvider } from "../../ai/index.ts";
import { rehearse, textOf } from "./rehearse.ts";

const charactersPerToken = 4;

export const rehearsalProvider: IAiProvider = {
  toolNames: { pattern: /^.*$/s, maxLength: 1024 },
  buildRequest(messages, options) {
    const turn = rehearse(messages, options, new Date().toISOString().slice(0, 10));
    const { maxTokens = Infinity, tools, system = "", stream } = options;
    const max = maxTokens * charactersPerToken;
    const isCut = turn.content.length > max;
    const texts = messages.map(({ content }) => textOf(content));
    const prompt = tokensIn(system + texts.join("") + JSON.stringify(tools ?? ""));
    const completion = tokensIn(turn.content.slice(0, max) + JSON.stringify(turn.toolCalls ?? ""));
    const answer: AiProviderResponse = {
      ...turn,
      ...(isCut && { content: turn.content.slice(0, max), finishReason: "length" }),
      usage: { promptTokens: prompt, completionTokens: completion, totalTokens: prompt + completion },
    };
    const accept = stream === false ? "application/json" : "text/event-stream";
    return { url: "rehearsal:", headers: { accept }, body: JSON.stringify(answer) };
  },
  parseResponse: (data: AiProviderResponse) => data,
  parseStreamChunk: (_, data) => JSON.parse(data) as AiStreamChunkResult,
};

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** The delay between chunks in milliseconds, so that streaming is visible. */
const pieceDelay = 4;

export const rehearsalFetch: typeof fetch = async (_, init) => {
  init?.signal?.throwIfAborted();
  const body = typeof init?.body === "string" ? init.body : "";
  const type = new Headers(init?.headers).get("accept") ?? "";
  return new Response(type === "application/json" ? body : streamOf(body), { headers: { "content-type": type } });
};

function streamOf(body: string): ReadableStream<Uint8Array> {
  const { content, toolCalls = [], finishReason, usage } = JSON.parse(body) as AiProviderResponse;
  const chunks: AiStreamChunkResult[] = (content.match(/\s*\S+/g) ?? []).map((delta) => ({ delta, done: false }));
  const toolCallDeltas = toolCalls.map((call, index) => ({ index, ...call }));
  chunks.push({ toolCallDeltas, ...(finishReason && { finishReason }), ...(usage && { usage }), done: true });
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, pieceDelay));
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
      else controller.close();
    },
  });
}

import type { AiProviderRequest, AiProviderResponse, AiStreamChunkResult, IAiProvider } from "../provider.ts";
import type { AiMessage, AiRequestOptions, AiContentPart, AiToolCall, AiFinishReason } from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { readAnswer, readEvent, call, failureOf, say, think } from "./answer.ts";
import { isReasoningModel } from "./openai-request.ts";
import { endpointOf, post, refuse, toolsOf, withSystem } from "./request.ts";
import { layOut, createLayout } from "./layout.ts";
import type { Layout } from "./layout.ts";
import { objectIn, plainText, countOf, finishOf, jsonText, listOf, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";

const cutReasons: Readonly<Record<string, AiFinishReason>> = { max_output_tokens: "length", content_filter: "safety" };

/**
 * Ignored: the start and end of parts, repetitions of text deltas, and tools that OpenAI runs itself. The arguments of
 * a call are also read at its end, because some servers send them only there.
 */
function readResponseEvent(event: Loose, chunk: AiStreamChunkResult): void {
  const index = countOf(event?.output_index);
  const delta = textOf(event?.delta);
  const { item, response } = event ?? {};
  switch (textOf(event?.type).replace("response.", "")) {
    case "output_text.delta":
    case "refusal.delta":
      return say(chunk, delta);
    case "reasoning_summary_part.added":
      return think(chunk, event?.summary_index ? "\n\n" : "");
    case "reasoning_summary_text.delta":
    case "reasoning_text.delta":
      return think(chunk, delta);
    case "output_item.added":
      return isCall(item) ? call(chunk, { index, ...nameOf(item) }) : undefined;
    case "output_item.done":
      return isCall(item) ? call(chunk, { index, ...nameOf(item), arguments: jsonText(item?.arguments) }) : undefined;
    case "function_call_arguments.delta":
      return call(chunk, { index, argumentsDelta: delta });
    case "function_call_arguments.done":
      return call(chunk, { index, arguments: jsonText(event?.arguments) });
    case "completed":
    case "incomplete": {
      const whole: AiStreamChunkResult = { done: true };
      readResponse(response, whole);
      // These have come already.
      delete whole.delta;
      delete whole.reasoningDelta;
      delete whole.toolCallDeltas;
      Object.assign(chunk, whole);
      return;
    }
    case "failed":
      chunk.error = failureOf("OpenAI", response?.error, JSON.stringify(event));
  }
}

function isCall(item: Loose): boolean {
  return textOf(item?.type) === "function_call";
}

function nameOf(item: Loose) {
  return { id: textOf(item?.call_id), name: textOf(item?.name) };
}

function readResponse(response: Loose, chunk: AiStreamChunkResult): boolean {
  const layout = createLayout();
  chunk.finishReason = "stop";
  for (const item of listOf(response?.output)) readItem(item, chunk, layout);
  const cut = response?.incomplete_details?.reason;
  if (cut) chunk.finishReason = finishOf(cutReasons, cut);
  layout.keep("openaiResponses", chunk);
  const usage = response?.usage;
  if (usage) {
    chunk.usage = usageOf({
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
      total: usage.total_tokens,
      cached: usage.input_tokens_details?.cached_tokens,
      reasoning: usage.output_tokens_details?.reasoning_tokens,
    });
  }
  return Array.isArray(response?.output) && !/failed|cancelled/.test(textOf(response.status));
}

function readItem(item: Loose, chunk: AiStreamChunkResult, layout: Layout): void {
  const parts = listOf(item?.content);
  switch (textOf(item?.type)) {
    case "message": {
      const text = parts.map((part) => textOf(part?.text) + textOf(part?.refusal)).join("");
      const phase = item?.phase;
      say(chunk, text);
      layout.add({ text: text.length, fields: phase ? { phase } : undefined });
      if (parts.some((part) => part?.refusal)) chunk.finishReason = "safety";
      return;
    }
    case "function_call": {
      const index = chunk.toolCallDeltas?.length ?? 0;
      call(chunk, { index, ...nameOf(item), argumentsDelta: jsonText(item?.arguments) });
      layout.add({ call: true });
      chunk.finishReason = "tool_use";
      return;
    }
    case "reasoning":
      for (const part of [...listOf(item?.summary), ...parts])
        think(chunk, (chunk.reasoningDelta ? "\n\n" : "") + textOf(part?.text));
      // Without its content it is only an id, and the server has not stored it.
      if (item?.encrypted_content) layout.add({ block: item });
  }
}

/** OpenAI's responses. The server stores nothing: the whole conversation is sent, including encrypted thoughts. */
export class OpenAiResponsesProvider implements IAiProvider {
  readonly files = "openai-responses";

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    refuse("openai-responses", options, "stop", "seed");
    const { apiKey, model, reasoning, responseSchema: schema, stream = true, toolChoice } = options;
    const tools = toolsOf(options, ({ name, description, parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    }));
    return post(options, {
      url: endpointOf(options.baseUrl || "https://api.openai.com", "/v1/responses"),
      headers: { Authorization: apiKey && `Bearer ${apiKey}` },
      body: {
        model,
        input: inputOf(messages, options),
        stream,
        store: false,
        include: reasoning || isReasoningModel(model) ? ["reasoning.encrypted_content"] : undefined,
        reasoning: reasoning && { effort: reasoning.effort, summary: "auto" },
        temperature: options.temperature,
        top_p: options.topP,
        max_output_tokens: options.maxTokens,
        tools,
        tool_choice: tools && (typeof toolChoice === "object" ? { type: "function", ...toolChoice } : toolChoice),
        text: schema && {
          format: { type: "json_schema", name: options.responseSchemaName ?? "response", schema, strict: true },
        },
      },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("OpenAI", data, readResponse);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return readEvent("OpenAI", [event, data], readResponseEvent);
  }
}

function inputOf(messages: readonly AiMessage[], options: AiRequestOptions): object[] {
  return withSystem(messages, options).flatMap((message) => {
    const { role, content, toolCallId } = message;
    if (role === "assistant") return layOut(message, "openaiResponses", { text: said, call: called });
    if (role === "tool") return [{ type: "function_call_output", call_id: toolCallId, output: plainText(content) }];
    const whole = role === "system" || typeof content === "string";
    return [{ role, content: whole ? plainText(content) : content.map(partOf) }];
  });
}

function said(content: string, fields?: object): object {
  return { role: "assistant", content, ...fields };
}

function called({ id, name, arguments: json }: AiToolCall): object {
  return { type: "function_call", call_id: id, name, arguments: objectIn(json) ? json : "{}" };
}

function partOf(part: AiContentPart): object {
  if (part.type === "text") return { type: "input_text", text: part.text };
  if (part.type === "file") return part.wire ?? part;
  return { type: "input_image", image_url: part.url, detail: part.detail ?? "auto" };
}

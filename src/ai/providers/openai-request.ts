// The body of a chat completions request.
import type { AiContentPart, AiMessage, AiRequestOptions } from "../types.ts";
import { objectIn, plainText } from "./read.ts";
import { toolsOf, withSystem } from "./request.ts";

/**
 * Whether it is one of OpenAI's reasoning models, even under a router's name for it: they refuse `max_tokens`, and only
 * they encrypt their thoughts.
 */
export function isReasoningModel(model: string): boolean {
  return /(^|\/)(ft:)?(o\d|gpt-[5-9](?!.*-chat))/.test(model);
}

/** The fields in which OpenAI-compatible servers send reasoning; OpenAI itself does not. */
export const thoughtFields = ["reasoning_content", "reasoning"] as const;

export function chatBody(messages: readonly AiMessage[], options: AiRequestOptions, givesUsage: boolean): object {
  const { model, stream = true, streamOptions = "auto", toolChoice, responseSchema: schema } = options;
  const asksUsage = stream && (streamOptions === "auto" ? givesUsage : streamOptions === "always");
  const tools = toolsOf(options, ({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  return {
    messages: withSystem(messages, options).map(toWire),
    stream,
    stream_options: asksUsage ? { include_usage: true } : undefined,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    seed: options.seed,
    reasoning_effort: options.reasoning?.effort,
    [isReasoningModel(model) ? "max_completion_tokens" : "max_tokens"]: options.maxTokens,
    tools,
    tool_choice: tools && (typeof toolChoice === "object" ? { type: "function", function: toolChoice } : toolChoice),
    response_format: schema && {
      type: "json_schema",
      json_schema: { name: options.responseSchemaName ?? "response", schema, strict: true },
    },
  };
}

function toWire(message: AiMessage): object {
  const { role, content, reasoning, toolCalls = [] } = message;
  if (role === "user") return { role, content: typeof content === "string" ? content : content.map(partOf) };
  const text = plainText(content);
  if (toolCalls.length === 0) return { role, content: text, tool_call_id: message.toolCallId };
  // Servers that show their thoughts require them back with the calls that followed, in the same field.
  const thoughts = thoughtFields.find((field) => field === message.providerHints?.openai?.thoughts);
  return {
    role,
    content: text || null,
    tool_calls: toolCalls.map(({ id, name, arguments: json }) => ({
      id,
      type: "function",
      function: { name, arguments: objectIn(json) ? json : "{}" },
    })),
    ...(thoughts && { [thoughts]: reasoning }),
  };
}

function partOf(part: AiContentPart): object {
  if (part.type === "text") return part;
  if (part.type === "file") return part.wire ?? part;
  return { type: "image_url", image_url: { url: part.url, detail: part.detail } };
}

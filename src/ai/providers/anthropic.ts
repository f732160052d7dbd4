import type {
  AiProviderRequest,
  AiProviderResponse,
  AiStreamChunkResult,
  AiStreamReader,
  IAiProvider,
} from "../provider.ts";
import type {
  AiMessage,
  AiReasoningOptions,
  AiRequestOptions,
  AiToolChoice,
  AiContentPart,
  AiToolCall,
} from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { answerTool, createReader, readMessage } from "./anthropic-answer.ts";
import { endpointOf, post, refuse, toolsOf, withSystem, inlineImage, turnsOf } from "./request.ts";
import { layOut } from "./layout.ts";
import { objectIn, plainText } from "./read.ts";

const ownBase = "https://api.anthropic.com/";
const defaultMaxTokens = 4096;

/** Anthropic's messages. */
export class AnthropicProvider implements IAiProvider {
  readonly files = "anthropic";

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    refuse("anthropic", options, "seed");
    const { apiKey, responseSchema: schema, reasoning, stream = true } = options;
    const url = endpointOf(options.baseUrl || ownBase, "/v1/messages");
    const tools = schema
      ? [{ name: answerTool, description: "Gives the answer.", input_schema: schema }]
      : toolsOf(options, ({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
    const choice = tools && choiceOf(schema ? { name: answerTool } : options.toolChoice);
    const thoughts = reasoning && thinkingOf(reasoning);
    if (thoughts && thoughts.thinking.type !== "disabled")
      refuseForced(choice, schema ? "responseSchema" : "toolChoice that forces a call");
    return post(options, {
      url,
      headers: {
        "x-api-key": apiKey,
        "anthropic-version": "2023-06-01",
        "anthropic-dangerous-direct-browser-access":
          apiKey && url.startsWith(ownBase) && isInBrowser() ? "true" : undefined,
      },
      body: {
        model: options.model,
        max_tokens: options.maxTokens ?? defaultMaxTokens + (reasoning?.budgetTokens ?? 0),
        ...messagesBody(messages, options),
        // A part of a tool's input is no answer.
        stream: stream && !schema,
        temperature: options.temperature,
        top_p: options.topP,
        stop_sequences: options.stop,
        tools,
        tool_choice: choice,
        ...thoughts,
      },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readMessage(data);
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return createReader().read(event, data);
  }

  createStreamReader(): AiStreamReader {
    return createReader();
  }
}

/** A page or a browser's worker: Anthropic requires a header that confirms the risk of exposing a key there. */
function isInBrowser(): boolean {
  return "document" in globalThis || "importScripts" in globalThis;
}

interface Choice {
  readonly type: "auto" | "none" | "any" | "tool";
  readonly name?: string;
}

function choiceOf(choice: AiToolChoice | undefined): Choice | undefined {
  if (typeof choice === "object") return { type: "tool", name: choice.name };
  return choice && { type: choice === "required" ? "any" : choice };
}

/** Anthropic would answer thinking together with a forced tool with an error that names none of the options. */
function refuseForced(choice: Choice | undefined, option: string): void {
  if (choice?.type !== "any" && choice?.type !== "tool") return;
  throw new Error(`The provider anthropic has no reasoning beside a ${option}; leave one of the two out.`);
}

/** A budget is for models with a fixed reasoning length; an effort for those that decide themselves. */
function thinkingOf({ budgetTokens, effort }: AiReasoningOptions) {
  const display = "summarized";
  const thinking = budgetTokens
    ? { type: "enabled", budget_tokens: budgetTokens, display }
    : { type: "adaptive", display };
  return {
    thinking: budgetTokens === 0 ? { type: "disabled" } : thinking,
    output_config: effort && { effort: effort === "minimal" ? "low" : effort },
  };
}

interface Block {
  type?: string;
  text?: string;
  signature?: string;
  cache_control?: unknown;
}

function messagesBody(given: readonly AiMessage[], options: AiRequestOptions): object {
  const messages = withSystem(given, options);
  const system = messages.filter(({ role }) => role === "system").flatMap(blocksOf);
  return {
    system: system.some((block) => block.cache_control)
      ? system
      : system.map(({ text }) => text).join("\n\n") || undefined,
    messages: turnsOf(messages, blocksOf).map(({ role, parts }) => ({ role, content: parts })),
  };
}

function blocksOf(message: AiMessage): Block[] {
  // Refused: text that shows nothing, and a thought that was cut off before its signature.
  const isTaken = ({ type, text, signature }: Block) => text?.trim() !== "" && (type !== "thinking" || signature);
  const blocks = allBlocksOf(message).filter(isTaken);
  const mark: unknown = message.providerHints?.anthropic?.cacheControl;
  const last = blocks.pop();
  if (!last) return blocks;
  const isMarked = mark && !/thinking/.test(last.type ?? "");
  return [...blocks, isMarked ? { ...last, cache_control: mark === true ? { type: "ephemeral" } : mark } : last];
}

function allBlocksOf(message: AiMessage): Block[] {
  const { role, content, toolCallId } = message;
  if (role === "assistant") return layOut(message, "anthropic", { text: textBlock, call: callBlock });
  if (role === "user" && typeof content !== "string") return content.map(partBlock);
  const text = plainText(content);
  if (role !== "tool") return [textBlock(text)];
  const is_error = typeof objectIn(text)?.error === "string" || undefined;
  const result = { type: "tool_result", tool_use_id: toolCallId, content: text, is_error };
  return [result];
}

function textBlock(text: string): object {
  return { type: "text", text };
}

function callBlock({ id, name, arguments: json }: AiToolCall): object {
  return { type: "tool_use", id, name, input: objectIn(json) ?? {} };
}

function partBlock(part: AiContentPart): object {
  if (part.type === "text") return part;
  if (part.type === "file") return part.wire ?? part;
  const bytes = inlineImage(part);
  const source = bytes ? { type: "base64", media_type: bytes.type, data: bytes.data } : { type: "url", url: part.url };
  return { type: "image", source };
}

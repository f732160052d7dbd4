// A conversation as Anthropic's messages.
import type { AiContentPart, AiMessage, AiRequestOptions, AiToolCall } from "../types.ts";
import { inlineImage } from "./inline-image.ts";
import { layOut } from "./layout.ts";
import { objectIn, plainText } from "./read.ts";
import { withSystem } from "./request.ts";
import { turnsOf } from "./turns.ts";

interface Block {
  type?: string;
  text?: string;
  signature?: string;
  cache_control?: unknown;
}

export function messagesBody(given: readonly AiMessage[], options: AiRequestOptions): object {
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
  const bytes = inlineImage(part);
  const source = bytes ? { type: "base64", media_type: bytes.type, data: bytes.data } : { type: "url", url: part.url };
  return { type: "image", source };
}

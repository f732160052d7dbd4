// Bedrock's Converse: one format for the models of many vendors.
import type { AiFile, AiProviderResponse, AiStreamChunkResult, AiStreamReader } from "../provider.ts";
import type { AiContentPart, AiFinishReason, AiMessage, AiRequestOptions, AiToolCall, AiUsage } from "../types.ts";
import { answerTool } from "./anthropic-answer.ts";
import { call, readAnswer, readEvent, say, think } from "./answer.ts";
import { createLayout, layOut } from "./layout.ts";
import { countOf, finishOf, jsonText, listOf, loose, objectIn, plainText, textOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";
import { inlineImage, refuse, toolsOf, turnsOf, withSystem } from "./request.ts";

export function converseBody(given: readonly AiMessage[], options: AiRequestOptions) {
  refuse("bedrock", options, "seed", "reasoning");
  const { responseSchema: schema, toolChoice, stream = true } = options;
  if (toolChoice === "none") throw new Error("Bedrock's Converse has no toolChoice none; leave out the tools.");
  const messages = withSystem(given, options);
  const system = messages
    .filter(({ role, content }) => role === "system" && plainText(content).trim())
    .map(({ content }) => textBlock(plainText(content)));
  const answer = { name: answerTool, description: "Gives the answer.", parameters: schema ?? {} };
  const tools = toolsOf(schema ? { ...options, tools: [answer] } : options, ({ name, description, parameters }) => ({
    toolSpec: { name, description: description || undefined, inputSchema: { json: parameters } },
  }));
  const choice = schema ? { name: answerTool } : toolChoice;
  return {
    // A part of a tool's input is no answer.
    isStream: stream && !schema,
    body: {
      messages: alternating(turnsOf(messages, blocksOf)),
      system: system[0] && system,
      inferenceConfig: {
        maxTokens: options.maxTokens,
        temperature: options.temperature,
        topP: options.topP,
        stopSequences: options.stop,
      },
      toolConfig: tools && { tools, toolChoice: choice && choiceOf(choice) },
    },
  };
}

/** Refused: two turns of one role after each other, as where an answer without blocks is left out. */
function alternating(turns: ReturnType<typeof turnsOf>): object[] {
  const made: { readonly role: string; readonly content: object[] }[] = [];
  for (const { role, parts } of turns) {
    const last = made.at(-1);
    if (last?.role === role) last.content.push(...parts);
    else made.push({ role, content: parts });
  }
  return made;
}

function choiceOf(choice: "auto" | "required" | { readonly name: string }): object {
  return typeof choice === "object" ? { tool: { name: choice.name } } : { [choice === "auto" ? choice : "any"]: {} };
}

function blocksOf(message: AiMessage): object[] {
  const { role, content, toolCallId } = message;
  // Refused: a text that shows nothing.
  if (role === "assistant")
    return layOut(message, "bedrock", { text: textBlock, call: callBlock }).filter(
      (block) => !("text" in block) || textOf(block.text).trim(),
    );
  const text = plainText(content);
  if (role === "tool") {
    const status = typeof objectIn(text)?.error === "string" ? "error" : "success";
    return [{ toolResult: { toolUseId: toolCallId, content: [{ text: text.trim() ? text : "Done." }], status } }];
  }
  if (typeof content === "string") return content.trim() ? [textBlock(content)] : [];
  return content.filter((part) => part.type !== "text" || part.text.trim()).map(partBlock);
}

function textBlock(text: string): object {
  return { text };
}

function callBlock({ id, name, arguments: json }: AiToolCall): object {
  return { toolUse: { toolUseId: id, name, input: objectIn(json) ?? {} } };
}

function partBlock(part: AiContentPart): object {
  if (part.type === "text") return textBlock(part.text);
  if (part.type === "file") return part.wire ?? part;
  const bytes = inlineImage(part);
  if (bytes) return imageBlock(bytes.type, bytes.data);
  throw new Error(`Bedrock takes an image as a data: URL only; fetch and encode ${part.url.slice(0, 200)} first.`);
}

function imageBlock(type: string, bytes: string): object {
  return { image: { format: type.replace(/^image\//, "").replace("jpg", "jpeg"), source: { bytes } } };
}

/** Texts are given as text; what else it does not take is refused. */
export function converseFile({ kind, mediaType, name, data }: AiFile): object | undefined {
  if (data === undefined) return undefined;
  if (kind === "picture") return imageBlock(mediaType, data);
  if (kind !== "pdf") return undefined;
  const named = name.replace(/\.pdf$/i, "").replace(/[^a-zA-Z0-9()[\]-]+/g, " ");
  return { document: { format: "pdf", name: named.trim() || "file", source: { bytes: data } } };
}

const finishReasons: Readonly<Record<string, AiFinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_use",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "safety",
  content_filtered: "safety",
};

function createReads() {
  const layout = createLayout();
  /** The thought that is being written. */
  let thought: { text: string; signature?: string } | undefined;

  function reason(part: Loose, chunk: AiStreamChunkResult): void {
    const { reasoningText = part, redactedContent } = part ?? {};
    if (redactedContent) return layout.add({ block: { reasoningContent: { redactedContent } } });
    if (!thought) layout.add({ block: { reasoningContent: { reasoningText: (thought = { text: "" }) } } });
    const text = textOf(reasoningText?.text);
    thought.text += text;
    if (reasoningText?.signature) thought.signature = textOf(reasoningText.signature);
    think(chunk, text);
  }

  function write(part: Loose, index: number, chunk: AiStreamChunkResult): void {
    const { text, toolUse, reasoningContent } = part ?? {};
    if (reasoningContent) return reason(reasoningContent, chunk);
    thought = undefined;
    if (textOf(text)) layout.add({ text: textOf(text).length });
    say(chunk, textOf(text));
    if (!toolUse) return;
    if (toolUse.name) layout.add({ call: true });
    const [id, name] = [textOf(toolUse.toolUseId), textOf(toolUse.name)];
    call(chunk, { index, ...(id && { id }), ...(name && { name }), argumentsDelta: jsonText(toolUse.input) });
  }

  function end({ stopReason, usage }: NonNullable<Loose>, chunk: AiStreamChunkResult): void {
    if (stopReason) {
      chunk.finishReason = finishOf(finishReasons, stopReason);
      layout.keep("bedrock", chunk);
    }
    if (usage) chunk.usage = readUsage(usage);
  }

  return { write, end };
}

function readUsage(usage: NonNullable<Loose>): AiUsage {
  const { inputTokens, cacheReadInputTokens: cached, cacheWriteInputTokens } = usage;
  const prompt = countOf(inputTokens) + countOf(cached) + countOf(cacheWriteInputTokens);
  return usageOf({ prompt, completion: usage.outputTokens, cached, reasoning: undefined });
}

export function createConverseReader(): AiStreamReader {
  const { write, end } = createReads();
  return {
    read: (event, data) =>
      readEvent("Bedrock", [event, data], (fields, chunk) => {
        write(fields?.start ?? fields?.delta, countOf(fields?.contentBlockIndex), chunk);
        if (fields) end(fields, chunk);
        chunk.done = event === "metadata";
      }),
  };
}

export function readConverse(data: unknown): AiProviderResponse {
  return readAnswer("Bedrock", data, (fields, chunk) => {
    const { write, end } = createReads();
    const blocks = listOf(fields?.output?.message?.content);
    const structured = blocks.find((block) => textOf(block?.toolUse?.name) === answerTool);
    const shown = structured ? [loose({ text: jsonText(structured.toolUse?.input) })] : blocks;
    for (const [index, block] of shown.entries()) write(block, index, chunk);
    if (fields) end(fields, chunk);
    if (structured && chunk.finishReason === "tool_use") chunk.finishReason = "stop";
    return Array.isArray(fields?.output?.message?.content);
  });
}

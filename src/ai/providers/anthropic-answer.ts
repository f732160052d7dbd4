// Anthropic's answers, whole and in a stream.
import type { AiProviderResponse, AiStreamReader, AiStreamChunkResult } from "../provider.ts";
import { readAnswer, readEvent, call, say, think } from "./answer.ts";
import { jsonText, listOf, loose, textOf, countOf, finishOf, usageOf } from "./read.ts";
import type { Loose } from "./read.ts";
import type { AiFinishReason, AiUsage } from "../types.ts";
import { createLayout } from "./layout.ts";

const finishReasons: Readonly<Record<string, AiFinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_use",
  refusal: "safety",
};

/** Ignores pings, citations, blocks of tools that Anthropic runs itself, and unknown events. */
function createAnthropicEvents(): (event: Loose, chunk: AiStreamChunkResult) => void {
  const layout = createLayout();
  const usage: Record<string, Loose> = {};
  /** The block that is being written: they come one after another. */
  let block: Record<string, unknown> = {};
  let hasThoughts = false;
  /** The index of this message's first block, and of the next message's: a stream may have a second message. */
  let first = 0;
  let next = 0;

  function start(opened: Loose, index: number, chunk: AiStreamChunkResult): void {
    next = index + 1;
    block = { ...opened, ...(opened?.thinking !== undefined && { thinking: "", signature: "" }) };
    if (block.type === "tool_use") {
      const json = jsonText(block.input);
      layout.add({ call: true });
      call(chunk, { index, id: textOf(block.id), name: textOf(block.name), argumentsDelta: json === "{}" ? "" : json });
    } else if (textOf(block.type).endsWith("thinking")) {
      layout.add({ block });
      if (hasThoughts && opened?.thinking !== undefined) think(chunk, "\n\n");
      hasThoughts = true;
    }
  }

  /** The first content of a block, which has the same fields as its deltas. */
  function write(part: Loose, index: number, chunk: AiStreamChunkResult): void {
    const text = textOf(part?.text);
    if (text) layout.add({ text: text.length });
    say(chunk, text);
    think(chunk, textOf(part?.thinking));
    for (const field of ["thinking", "signature"]) {
      if (part?.[field]) block[field] = textOf(block[field]) + textOf(part[field]);
    }
    const argumentsDelta = textOf(part?.partial_json);
    if (argumentsDelta && (block.type ?? "tool_use") === "tool_use") call(chunk, { index, argumentsDelta });
  }

  return (event, chunk) => {
    if (event?.message) first = next;
    const index = first + countOf(event?.index);
    const opened = event?.content_block;
    if (opened) start(opened, index, chunk);
    write(opened ?? event?.delta, index, chunk);
    const spent = event?.message?.usage ?? event?.usage;
    for (const name in spent) usage[name] = spent[name] || usage[name];
    if (spent) chunk.usage = readUsage(usage);
    const reason = event?.delta?.stop_reason;
    if (reason) {
      chunk.finishReason = finishOf(finishReasons, reason);
      layout.keep("anthropic", chunk);
    }
  };
}

function readUsage(usage: Loose): Partial<AiUsage> {
  const completion = usage?.output_tokens;
  const cached = usage?.cache_read_input_tokens;
  const prompt = countOf(usage?.input_tokens) + countOf(cached) + countOf(usage?.cache_creation_input_tokens);
  // If only the end of a stream was read, it must not report a prompt of zero tokens.
  if (!prompt) return { completionTokens: countOf(completion) };
  return usageOf({ prompt, completion, cached, reasoning: usage?.output_tokens_details?.thinking_tokens });
}

/** The tool that represents an answer with a schema. */
export const answerTool = "__wc_bindable_structured_response__";

export function createReader(): AiStreamReader {
  const read = createAnthropicEvents();
  return {
    read: (event, data) =>
      readEvent("Anthropic", [event, data], (fields, chunk) => {
        read(fields, chunk);
        chunk.done = textOf(fields?.type ?? event) === "message_stop";
      }),
  };
}

export function readMessage(data: unknown): AiProviderResponse {
  return readAnswer("Anthropic", data, (message, chunk) => {
    const read = createAnthropicEvents();
    const blocks = listOf(message?.content);
    const structured = blocks.find((block) => textOf(block?.name) === answerTool);
    const shown = structured ? [{ text: jsonText(structured.input) }] : blocks;
    shown.forEach((content_block, index) => read(loose({ content_block, index }), chunk));
    read({ delta: message, usage: message?.usage }, chunk);
    if (structured && chunk.finishReason === "tool_use") chunk.finishReason = "stop";
    return Array.isArray(message?.content);
  });
}

// A request of AiCore as the call options of an AI SDK model. What both take under one name is passed on as it is.
import { layOut } from "../providers/layout.ts";
import { objectIn, plainText } from "../providers/read.ts";
import { inlineImage, toolsOf } from "../providers/request.ts";
import type { AiContentPart, AiMessage, AiReasoningOptions, AiRequestOptions } from "../types.ts";

export type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface AiSdkCall {
  readonly prompt: readonly { readonly role: string; readonly content: string | readonly Part[] }[];
  readonly [option: string]: unknown;
}

export function callOf(messages: readonly AiMessage[], options: AiRequestOptions, version: string): AiSdkCall {
  const { temperature, topP, seed, maxTokens, stop, headers, system, toolChoice, reasoning, body } = options;
  refuseReasoning(reasoning, version);
  const { responseSchema: schema, responseSchemaName: name } = options;
  const tools = toolsOf(options, ({ name: tool, description, parameters }) => ({
    ...{ type: "function", name: tool, description, inputSchema: parameters },
  }));
  return {
    prompt: [...(system ? [{ role: "system", content: system }] : []), ...promptOf(messages)],
    ...{ temperature, topP, seed, maxOutputTokens: maxTokens, stopSequences: stop, headers },
    reasoning: reasoning?.effort,
    responseFormat: schema && { type: "json", schema, name },
    tools,
    toolChoice: tools && choiceOf(toolChoice),
    ...body,
  };
}

/** The models' calls have no budget, and an effort only since version 4: vendors take them as options of their own. */
function refuseReasoning(reasoning: AiReasoningOptions | undefined, version: string): void {
  const { budgetTokens, effort } = reasoning ?? {};
  const refused = budgetTokens === undefined ? version !== "v4" && effort && "effort" : "budgetTokens";
  if (refused)
    throw new Error(
      `A model of the AI SDK (${version}) takes no reasoning.${refused}: use body.providerOptions, such as { openai: { reasoningEffort: "low" } }.`,
    );
}

function choiceOf(choice: AiRequestOptions["toolChoice"] = "auto"): object {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function promptOf(messages: readonly AiMessage[]): AiSdkCall["prompt"] {
  const names = new Map<string | undefined, string>();
  const prompt: { role: string; content: string | Part[] }[] = [];
  for (const message of messages) {
    const { role, content } = message;
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    if (role === "system") prompt.push({ role, content: plainText(content) });
    else if (role === "assistant") prompt.push({ role, content: answerOf(message) });
    else if (role === "user")
      prompt.push({ role, content: typeof content === "string" ? [textPart(content)] : content.map(partOf) });
    else {
      const result = resultOf(message, names.get(message.toolCallId));
      const last = prompt.at(-1);
      if (last?.role === "tool" && typeof last.content === "object") last.content.push(result);
      else prompt.push({ role, content: [result] });
    }
  }
  return prompt;
}

/** With its reasoning and each part's metadata, as the model sent them. */
function answerOf(message: AiMessage): Part[] {
  return layOut(message, "ai-sdk", {
    text: (text, fields) => ({ ...textPart(text), ...fields }),
    call: ({ id, name, arguments: json }, fields) => ({
      ...{ type: "tool-call", toolCallId: id, toolName: name, input: objectIn(json) ?? {} },
      ...fields,
    }),
    image: (url, fields) => ({ ...partOf({ type: "image", url }), ...fields }),
  }) as Part[];
}

function resultOf({ toolCallId = "", toolStatus, content }: AiMessage, toolName = toolCallId): Part {
  const value = plainText(content);
  return { type: "tool-result", toolCallId, toolName, output: { type: toolStatus ? "error-text" : "text", value } };
}

function textPart(text: string): Part {
  return { type: "text", text };
}

function partOf(part: AiContentPart): Part {
  if (part.type === "text") return textPart(part.text);
  if (part.type === "file") return { ...(part.wire ?? part) } as Part;
  const bytes = inlineImage(part);
  return {
    type: "file",
    mediaType: bytes?.type ?? part.mediaType ?? "image/*",
    data: bytes?.data ?? { url: part.url },
  };
}

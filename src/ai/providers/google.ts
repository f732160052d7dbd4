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
  AiTool,
  AiToolChoice,
  AiFinishReason,
  AiUsage,
  AiContentPart,
  AiToolCall,
} from "../types.ts";
import { validateOptions } from "../validate-options.ts";
import { draw, readAnswer, call, readEvent, say, think } from "./answer.ts";
import { listOf, countOf, jsonText, textOf, usageOf, objectIn, parse, plainText } from "./read.ts";
import type { Loose } from "./read.ts";
import { endpointOf, post, toolsOf, inlineImage, withSystem, turnsOf } from "./request.ts";
import { isGeminiSchema } from "./gemini-schema.ts";
import { createLayout, layOut } from "./layout.ts";

/** Ids of calls that Gemini gave none. They are for this side only. */
const ownIdPrefix = "gemini:";

function contentsBody(given: readonly AiMessage[], options: AiRequestOptions): object {
  const messages = withSystem(given, options);
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => ({ text: plainText(content) }));
  const names = new Map<string | undefined, string>();
  const turns = turnsOf(messages, (message) => {
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    if (message.role === "assistant")
      return layOut(message, "google", { text: textPart, call: callPart, image: imagePart });
    if (message.role === "tool") return [resultPart(message, names.get(message.toolCallId))];
    const { content } = message;
    return typeof content === "string" ? [{ text: content }] : content.map(partOf);
  });
  return {
    contents: turns.map(({ role, parts }) => ({ role: role === "user" ? role : "model", parts })),
    systemInstruction: system[0] && { parts: system },
  };
}

function textPart(text: string, fields?: object): object {
  return { text, ...fields };
}

function callPart({ id, name, arguments: json }: AiToolCall, fields?: object): object {
  return { functionCall: { ...given(id), name, args: objectIn(json) ?? {} }, ...fields };
}

function imagePart(url: string, fields?: object): object | undefined {
  const [head, mimeType] = /^data:([^;,]+);base64,/.exec(url) ?? [];
  return head === undefined ? undefined : { inlineData: { mimeType, data: url.slice(head.length) }, ...fields };
}

/** Gemini accepts objects only. */
function resultPart({ toolCallId: id = "", content }: AiMessage, name = id): object {
  const text = plainText(content);
  const response = objectIn(text) ?? { content: parse(text) ?? text };
  return { functionResponse: { ...given(id), name, response } };
}

function given(id: string): { id?: string } {
  return id.startsWith(ownIdPrefix) ? {} : { id };
}

function partOf(part: AiContentPart): object {
  if (part.type === "text") return { text: part.text };
  if (part.type === "file") return part.wire ?? part;
  const bytes = inlineImage(part);
  if (bytes) return { inlineData: { mimeType: bytes.type, data: bytes.data } };
  throw new Error(`Gemini takes an image as a data: URL only; fetch and encode ${part.url.slice(0, 200)} first.`);
}

/** Numbers all calls, so that those of chunks that are parsed independently have ids of their own, too. */
let callsSeen = 0;

function createReader(): AiStreamReader {
  const read = createChunks();
  return { read: (event, data) => readEvent("Google", [event, data], read) };
}

function createChunks(): (fields: Loose, chunk: AiStreamChunkResult) => boolean {
  const layout = createLayout();
  let hasCalls = false;

  function readPart(part: Loose, chunk: AiStreamChunkResult): void {
    const text = textOf(part?.text);
    const called = part?.functionCall;
    const { mimeType, data } = part?.inlineData ?? {};
    const thoughtSignature = part?.thoughtSignature;
    const fields = thoughtSignature ? { thoughtSignature } : undefined;
    if (called) {
      const name = textOf(called.name);
      // Its arguments would follow in later parts, each with a path: only if the request asked for that.
      if (called.willContinue || called.partialArgs)
        chunk.error = new Error("Google sent a call in parts: leave out streamFunctionCallArguments.");
      const id = textOf(called.id) || `${ownIdPrefix}${name}:${callsSeen}`;
      call(chunk, { index: callsSeen++, id, name, argumentsDelta: jsonText(called.args ?? {}) });
      hasCalls = true;
      layout.add({ call: true, fields });
    } else if (part?.thought) {
      think(chunk, text);
      // A sketch is none of the answer's pictures, and is not sent back.
      if (fields && !data) layout.add({ block: part });
    } else if (data) {
      const url = `data:${textOf(mimeType)};base64,${textOf(data)}`;
      draw(chunk, url);
      layout.add({ image: url.length, fields });
    } else if (text || fields) {
      say(chunk, text);
      layout.add({ text: text.length, fields });
    }
  }

  return (fields, chunk) => {
    const candidate = listOf(fields?.candidates)[0];
    const feedback = fields?.promptFeedback;
    for (const part of listOf(candidate?.content?.parts)) readPart(part, chunk);
    if (fields?.usageMetadata) chunk.usage = readUsage(fields.usageMetadata);
    const reason = textOf(candidate?.finishReason);
    if (feedback?.blockReason) {
      say(chunk, textOf(feedback.blockReasonMessage));
      chunk.finishReason = "safety";
    } else if (reason) {
      chunk.finishReason = finishOf(reason, hasCalls);
      layout.keep("google", chunk);
    }
    return Boolean(candidate ?? feedback);
  };
}

/** Gemini stops for calls as for anything else. */
function finishOf(reason: string, hasCalls: boolean): AiFinishReason {
  if (reason === "STOP") return hasCalls ? "tool_use" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return /SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII|LANGUAGE/.test(reason) ? "safety" : "other";
}

function readUsage(usage: NonNullable<Loose>): AiUsage {
  const reasoning = usage.thoughtsTokenCount;
  return usageOf({
    prompt: countOf(usage.promptTokenCount) + countOf(usage.toolUsePromptTokenCount),
    completion: countOf(usage.candidatesTokenCount) + countOf(reasoning),
    total: usage.totalTokenCount,
    cached: usage.cachedContentTokenCount,
    reasoning,
  });
}

/** Google's Gemini. */
export class GoogleProvider implements IAiProvider {
  readonly files = "google";
  readonly toolNames = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/, maxLength: 64 };

  buildRequest(messages: AiMessage[], options: AiRequestOptions): AiProviderRequest {
    validateOptions(options);
    const method = options.stream === false ? "generateContent" : "streamGenerateContent?alt=sse";
    const { responseSchema: schema, reasoning } = options;
    const functionDeclarations = toolsOf(options, declarationOf);
    return post(options, {
      url: endpointOf(
        options.baseUrl || "https://generativelanguage.googleapis.com",
        `/v1beta/models/${encodeURIComponent(options.model.replace(/^models\//, ""))}:${method}`,
      ),
      headers: { "x-goog-api-key": options.apiKey },
      body: {
        ...contentsBody(messages, options),
        generationConfig: {
          temperature: options.temperature,
          topP: options.topP,
          maxOutputTokens: options.maxTokens,
          stopSequences: options.stop,
          seed: options.seed,
          responseMimeType: schema && "application/json",
          ...(schema && { [isGeminiSchema(schema) ? "responseSchema" : "responseJsonSchema"]: schema }),
          thinkingConfig: reasoning && thinkingOf(reasoning),
        },
        ...(functionDeclarations && {
          tools: [{ functionDeclarations }],
          toolConfig: options.toolChoice && { functionCallingConfig: callingOf(options.toolChoice) },
        }),
      },
    });
  }

  parseResponse(data: unknown): AiProviderResponse {
    return readAnswer("Google", data, createChunks());
  }

  parseStreamChunk(event: string | undefined, data: string): AiStreamChunkResult | null {
    return createReader().read(event, data);
  }

  createStreamReader(): AiStreamReader {
    return createReader();
  }
}

function declarationOf({ name, description, parameters }: AiTool): object {
  return { name, description, [isGeminiSchema(parameters) ? "parameters" : "parametersJsonSchema"]: parameters };
}

function callingOf(choice: AiToolChoice): object {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
}

/** A budget is for models that count their thoughts; an effort for those that have levels. */
function thinkingOf({ budgetTokens, effort }: AiReasoningOptions): object {
  return {
    includeThoughts: budgetTokens !== 0,
    ...(budgetTokens === undefined ? { thinkingLevel: effort?.toUpperCase() } : { thinkingBudget: budgetTokens }),
  };
}

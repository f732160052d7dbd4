// A conversation as Gemini's contents.
import type { AiContentPart, AiMessage, AiRequestOptions, AiToolCall } from "../types.ts";
import { inlineImage } from "./inline-image.ts";
import { layOut } from "./layout.ts";
import { objectIn, parse, plainText } from "./read.ts";
import { withSystem } from "./request.ts";
import { turnsOf } from "./turns.ts";

/** Ids of calls that Gemini gave none. They are for this side only. */
export const ownIdPrefix = "gemini:";

export function contentsBody(given: readonly AiMessage[], options: AiRequestOptions): object {
  const messages = withSystem(given, options);
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => ({ text: plainText(content) }));
  const names = new Map<string | undefined, string>();
  const turns = turnsOf(messages, (message) => {
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    if (message.role === "assistant") return layOut(message, "google", { text: textPart, call: callPart });
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
  const bytes = inlineImage(part);
  if (bytes) return { inlineData: { mimeType: bytes.type, data: bytes.data } };
  throw new Error(`Gemini takes an image as a data: URL only; fetch and encode ${part.url.slice(0, 200)} first.`);
}

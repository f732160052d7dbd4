// A conversation as the input of OpenAI's responses.
import type { AiContentPart, AiMessage, AiRequestOptions, AiToolCall } from "../types.ts";
import { layOut } from "./layout.ts";
import { objectIn, plainText } from "./read.ts";
import { withSystem } from "./request.ts";

export function inputOf(messages: readonly AiMessage[], options: AiRequestOptions): object[] {
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
  return { type: "input_image", image_url: part.url, detail: part.detail ?? "auto" };
}
